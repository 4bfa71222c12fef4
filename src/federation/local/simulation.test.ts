// Slow: runs whole federations.
import { afterAll, describe, expect, it } from "vitest";
import { measureFor } from "../../algorithms/measure.js";
import { resolveBounds } from "../../constraints/resolve-bounds.js";
import { Simulation } from "../../entries/federation.js";
import { cluster, encodePlaces, generateTable, preparePeople, type Table, tableFromColumns } from "../../index.js";
import { measureFairness } from "../../metrics/index.js";
import { renderFederatedReport } from "../../report/federated-page.js";
import { federatedReport } from "../../report/federation.js";
import { tableOfRows } from "../../table/index.js";
import type { FederatedResult } from "../results/summary.js";

const everybody = generateTable("people", { n: 120, seed: 3 });
const held = { bank: ["income", "sex"], clinic: ["age", "visits"] };
const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km]
features: [income, age, visits]
protect: [sex]
protection: masked
labels: [parties, analyst]
minimum: { rows: 10, clusterSize: 1 }
`;
const job = `k: 3
maxIterations: 4
labels: [parties, analyst]
parties:
  bank: { features: [income], protect: [sex] }
  clinic: { features: [age, visits] }
`;
const tableOf = (names: readonly string[]): Table => ({
  rows: everybody.rows,
  columns: everybody.columns.filter(({ name }) => names.includes(name)),
});
const simulation = await Simulation.open({
  bank: { table: tableOf(held.bank), policy },
  clinic: { table: tableOf(held.clinic), policy },
});
afterAll(() => simulation.close());

it.each(["", "protection: masked\n"])(
  "gives the labels of one process, with consent and audit logs: %j",
  async (more) => {
    const { result, labels } = await simulation.run(job + more);
    const people = preparePeople(everybody, { features: ["income", "age", "visits"], protect: ["sex"] });
    const alone = await cluster(people, { k: 3, effort: "lean", maxIterations: 4, minSize: 2 });
    expect(result.sizes).toEqual(alone.result.sizes);
    expect(labels?.clusters).toEqual([...alone.labels]);
    for (const member of ["coordinator", "bank", "clinic"])
      expect(simulation.audits.get(member)?.length).toBeGreaterThan(1);
  },
);

it("carries Manhattan distances where every policy has the word, and says what they add up to", async () => {
  const sites = (words: string) => ({
    bank: { table: tableOf(held.bank), policy: policy + words },
    clinic: { table: tableOf(held.clinic), policy },
  });
  const card = `${job}distance: manhattan\n`;
  const unwilling = await Simulation.open(sites("distances: [euclidean, manhattan]\n"));
  await expect(unwilling.run(card)).rejects.toThrow(
    /distance manhattan is not allowed: add 'distances: \[euclidean, manh/,
  );
  await unwilling.close();
  const both = sites("distances: [euclidean, manhattan]\n");
  const federation = await Simulation.open({ ...both, clinic: { ...both.clinic, policy: both.bank.policy } });
  const { result, labels } = await federation.run(card);
  await federation.close();
  const people = preparePeople(everybody, { features: ["income", "age", "visits"], protect: ["sex"] });
  const alone = await cluster(people, { k: 3, maxIterations: 4, minSize: 2, distance: "manhattan", effort: "lean" });
  expect(labels?.clusters).toEqual([...alone.labels]);
  const { distance, unconstrainedSse } = alone.result;
  expect(result).toMatchObject({ distance, unconstrainedSse });
  expect(result.cost).toBeCloseTo(alone.result.cost!, 6);
  expect(result.sse).toBeCloseTo(alone.result.sse, 6);
});

it("numbers clusters by the capacities that they fit, as one process does", async () => {
  const { result, labels } = await simulation.run(
    job.replace("k: 3\n", "k: 3\ncapacity: [{ min: 10, max: 25 }, { min: 60 }, {}]\n"),
  );
  const people = preparePeople(everybody, { features: ["income", "age", "visits"], protect: ["sex"] });
  const capacity = [{ min: 10, max: 25 }, { min: 60 }, {}];
  const alone = await cluster(people, { k: 3, effort: "lean", maxIterations: 4, capacity });
  expect(labels?.clusters).toEqual([...alone.labels]);
  expect(result).toMatchObject({ sizesKept: true, capacity: alone.result.capacity });
});

it("carries places and their sizes where every policy has the word, in the units of the columns", async () => {
  const words = "seats: [income, age, visits]\n";
  const card = job.replace(
    "k: 3\n",
    `k: 3
capacity: [{ min: 30, max: 50 }, { max: 60 }, {}]
seats:
  - { age: 30, income: 20000, visits: 1 }
  - { age: 45, income: 60000, visits: 2 }
  - { age: 60, income: 25000, visits: 4 }
`,
  );
  await expect(simulation.run(card)).rejects.toThrow(
    /may not be at given places in column 'income': add 'seats: \[inc/,
  );
  const federation = await Simulation.open({
    bank: { table: tableOf(held.bank), policy: policy + words },
    clinic: { table: tableOf(held.clinic), policy: policy + words },
  });
  const { result, labels } = await federation.run(card);
  await federation.close();
  const people = preparePeople(everybody, { features: ["income", "age", "visits"], protect: ["sex"] });
  const places = tableFromColumns({ visits: [1, 2, 4], income: [20000, 60000, 25000], age: [30, 45, 60] });
  const capacity = [{ min: 30, max: 50 }, { max: 60 }, {}];
  const seats = encodePlaces(people, places);
  const alone = await cluster(people, { k: 3, effort: "lean", maxIterations: 4, capacity, seats });
  expect(labels?.clusters).toEqual([...alone.labels]);
  expect(result).toMatchObject({ effort: null, sizesKept: true, capacity: alone.result.capacity });
  expect(result.sse / alone.result.sse).toBeCloseTo(1, 5);
  expect(result.unconstrainedSse! / alone.result.unconstrainedSse!).toBeCloseTo(1, 5);
});

describe("sites that hold rows", () => {
  const columns = ["person", "income", "age", "sex"];
  const rows = 300;
  const table = generateTable("people", { n: rows, seed: 5 });
  const whole = { rows, columns: table.columns.filter(({ name }) => columns.includes(name)) };
  const sites = ["north", "east", "south"].map((name, at) => {
    const own = Uint32Array.from({ length: rows / 3 }, (_, i) => (at * rows) / 3 + i);
    const words = `${policy}ids: [person]\nidsTo: [analyst]\nseats: [income, age]\n`;
    return [name, { table: tableOfRows(whole, own), policy: words }] as const;
  });
  const people = preparePeople(whole, {
    features: ["income", "age"],
    protect: ["sex"],
    id: "person",
    ...measureFor({ split: "rows" }),
  });
  const card = (more: string) =>
    `split: rows\nid: person\nlabels: [parties, analyst]\ngroups: { sex: [F, M, X] }\n${more}parties:\n${sites
      .map(([name]) => `  ${name}: { features: [income, age], protect: [sex] }\n`)
      .join("")}`;
  const federation = Simulation.open(Object.fromEntries(sites));
  afterAll(async () => (await federation).close());

  it("place people at given places of given sizes", async () => {
    const places = { income: [20000, 60000], age: [30, 45] };
    const seats = "seats: [{ age: 30, income: 20000 }, { age: 45, income: 60000 }]\n";
    const { result, labels } = await (await federation).run(
      card(`k: 2\n${seats}capacity: [{ min: 100, max: 140 }, { min: 5 }]\n`),
    );
    const capacity = [{ min: 100, max: 140 }, { min: 5 }];
    const encoded = encodePlaces(people, tableFromColumns(places));
    const alone = await cluster(people, { k: 2, capacity, seats: encoded, split: "rows", parties: 3 });
    expect(labels?.clusters).toEqual([...alone.labels]);
    expect(result).toMatchObject({ sizesKept: true, capacity: alone.result.capacity, effort: null });
    expect(result.sse / alone.result.sse).toBeCloseTo(1, 4);
    expect(federatedReport(result, [])).toMatch(/Sizes kept: clusters of .* where sizes of their own were asked for/);
  });

  it("represent every group somewhere, and say of small ones only whether", async () => {
    const { result, labels } = await (await federation).run(
      card("k: 3\nminSize: 20\nnotion: representation\nrepresent: 0.05\n"),
    );
    const asked = { notion: "representation", represent: 0.05, minSize: 20, split: "rows", parties: 3 } as const;
    const alone = await cluster(people, { k: 3, ...asked });
    expect(labels?.clusters).toEqual([...alone.labels]);
    expect(result).toMatchObject({ fair: alone.result.fair, notion: { name: "representation", share: 0.05 } });
    expect(result.notion).not.toHaveProperty("plain");
    expect(result.simplifiedSilhouette).toBe(alone.result.simplifiedSilhouette);
    expect(federatedReport(result, [])).toMatch(/Simplified silhouette 0\.\d+\./);
    expect(federatedReport(result, [])).toMatch(/Fair: every group has at least 5\.0% of at least 1 cluster\./);
  });
});

it("tells each site that holds rows what its own people are like, and nobody else", async () => {
  const rows = 300;
  const table = generateTable("people", { n: rows, seed: 6 });
  const names = ["north", "east", "south"];
  const words = `${policy}ids: [person]\nidsTo: [analyst]\n`;
  const sites = names.map((name, at) => {
    const own = Uint32Array.from({ length: rows / 3 }, (_, i) => (at * rows) / 3 + i);
    return [name, { table: tableOfRows(table, own), policy: words }] as const;
  });
  const federation = await Simulation.open(Object.fromEntries(sites));
  const parts = names.map((name) => `  ${name}: { features: [income, age], protect: [sex] }\n`).join("");
  const card = `k: 3\nsplit: rows\nid: person\nminCount: 5\ngroups: { sex: [F, M, X] }\nparties:\n${parts}`;
  const { result } = await federation.run(card);
  await federation.close();
  const owns = names.map((name) => {
    const { people, labels, part } = federation.results.find((each) => each.part.party === name)!;
    const own = part.own!;
    expect(own.n).toBe(100);
    // What moiety evaluate says of the site's own table and labels.
    const bounds = resolveBounds(people.attributes, { delta: 0.2 });
    const measured = measureFairness({ people, labels, k: 3, bounds, tolerance: 1 });
    const groups = people.attributes[0].groups;
    expect(own.maxViolation).toBeCloseTo(measured.maxViolation, 5);
    expect(own.fair).toBe(measured.maxViolation <= 1);
    expect(Object.fromEntries(groups.map((group) => [group, own.groups.sex[group]]))).toEqual(
      Object.fromEntries(
        groups.map((group, l) => [
          group,
          own.sizes.map((size, m) => {
            const there = people.attributes[0].codes.filter((code, i) => code === l && labels[i] === m).length;
            return size === 0 ? 0 : there / size;
          }),
        ]),
      ),
    );
    // In its own copy of the result, and in no other.
    const copy = federation.summaries.get(name)!;
    expect(copy.result).toMatchObject({ own });
    const page = renderFederatedReport({ ...copy, result: copy.result as FederatedResult, made: "today" });
    expect(page).toContain("The people of this site");
    return own;
  });
  expect(result).not.toHaveProperty("own");
  expect(JSON.stringify(result)).not.toContain('"own":');
  expect(owns.reduce((sum, { sse }) => sum + sse, 0) / result.sse).toBeCloseTo(1, 6);
  expect(result.sizes).toEqual(result.sizes.map((_, m) => owns.reduce((sum, { sizes }) => sum + sizes[m], 0)));
  // A site is told of others what it was told before.
  for (const name of names) {
    const { own: _, ...theirs } = federation.summaries.get(name)!.result as FederatedResult;
    for (const other of owns) expect(JSON.stringify(theirs)).not.toContain(String(other.sse));
  }
});

it("says why a job has failed", async () => {
  await expect(simulation.run(job.replace("age, visits", "age, secret"))).rejects.toMatchObject({
    name: "MoietyError",
    code: "failed",
  });
});

it("gives the labels of one process where single moves get stuck at first, and one process could have used a program", async () => {
  const census = generateTable("census", { n: 200, seed: 1 });
  const features = census.columns.filter(({ kind }) => kind === "numeric").map(({ name }) => name);
  const [sex, age] = census.columns.filter(({ kind }) => kind === "text").map(({ name }) => name);
  const sites = { a: [features[0], sex], b: [features[1], age], c: [features[2]] };
  const own = policy.replace(/(?<=features: ).*/, `[${features.slice(0, 3)}]`).replace("[sex]", `[${sex}, ${age}]`);
  const places = Object.entries(sites).map(([name, held]) => {
    const columns = census.columns.filter((each) => held.includes(each.name));
    return [name, { table: { rows: 200, columns }, policy: own }];
  });
  const federation = await Simulation.open(Object.fromEntries(places));
  const asked = Object.entries(sites).map(([name, [feature, ...groups]]) => {
    return `  ${name}: { features: [${feature}]${groups.map((group) => `, protect: [${group}]`)} }\n`;
  });
  const card = `k: 3\nlabels: [parties, analyst]\nprotection: masked\nparties:\n${asked.join("")}`;
  const { labels } = await federation.run(card);
  const people = preparePeople(census, { features: features.slice(0, 3), protect: [sex, age] });
  expect(labels?.clusters).toEqual([...(await cluster(people, { k: 3, effort: "lean", minSize: 2 })).labels]);
  await federation.close();
});

describe("each site's own people, for all who get the summary", () => {
  const names = ["north", "east", "south"];
  async function run(rows: number, siteShares: string, words = "siteShares: true\n") {
    const table = generateTable("people", { n: rows, seed: 6 });
    const sites = names.map((name, at) => {
      const own = Uint32Array.from({ length: rows / 3 }, (_, i) => (at * rows) / 3 + i);
      return [
        name,
        {
          table: tableOfRows(table, own),
          policy: `${policy.replace("[sex]", "[sex, ethnicity]")}ids: [person]\nidsTo: [analyst]\n${words}`,
        },
      ] as const;
    });
    const federation = await Simulation.open(Object.fromEntries(sites));
    const parts = names.map((name) => `  ${name}: { features: [income, age], protect: [sex, ethnicity] }\n`).join("");
    const groups = table.columns.filter(({ name }) => ["sex", "ethnicity"].includes(name));
    const named = groups.map((column) => `${column.name}: [${column.kind === "text" ? column.levels.join(", ") : ""}]`);
    const card = `k: 3\nsplit: rows\nid: person\nminCount: 5\n${siteShares}groups: { ${named.join(", ")} }\nparties:\n${parts}`;
    try {
      const { result } = await federation.run(card);
      return { result, federation };
    } finally {
      await federation.close();
    }
  }

  it("is shown of all sites where none has few people somewhere", async () => {
    const { result, federation } = await run(12_000, "siteShares: true\n");
    expect(Object.keys(result.siteShares!)).toEqual(names);
    for (const name of names) {
      const { own } = federation.results.find((each) => each.part.party === name)!.part;
      expect(result.siteShares![name]).toEqual(own);
      expect((federation.summaries.get(name)!.result as FederatedResult).siteShares).toEqual(result.siteShares);
    }
    expect(federatedReport(result, [])).toMatch(/at site +people +beyond bounds +fair there +SSE\n.*\nnorth +4,000/);
    const page = renderFederatedReport({ result, history: [], card: {}, made: "today" });
    expect(page).toContain("The people of each site");
    expect(renderFederatedReport({ result, history: [], card: {}, made: "heute", language: "de" })).toContain(
      "Die Personen jeder Stelle",
    );
  });

  it("is shown of no site where one has few people of a group in a cluster", async () => {
    const { result, federation } = await run(300, "siteShares: true\n");
    const smallest = (attribute: string) =>
      federation.results.flatMap(({ part: { own } }) =>
        Object.values(own!.groups[attribute]).flatMap((shares) =>
          shares.map((share, m) => Math.round(share! * own!.sizes[m])),
        ),
      );
    const isSmall = (count: number) => count > 0 && count < 5;
    expect(smallest("ethnicity").some(isSmall)).toBe(true);
    expect(result.warnings.join()).toMatch(/each site's own shares of .*ethnicity.* are not shown/);
    for (const name of names) expect(result.siteShares![name].groups).not.toHaveProperty("ethnicity");
  });

  it("is neither asked for nor sent without the card's word, and refused without the policy's", async () => {
    const { result, federation } = await run(300, "");
    expect(result).not.toHaveProperty("siteShares");
    for (const { part } of federation.results) expect(part).not.toHaveProperty("tables");
    await expect(run(300, "siteShares: true\n", "")).rejects.toThrow(/add 'siteShares: true' to the policy/);
  });
});
