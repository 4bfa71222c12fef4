// Slow: runs whole federations.
import { afterAll, describe, expect, it } from "vitest";
import { measureFor } from "../../algorithms/measure.js";
import { Simulation } from "../../entries/federation.js";
import { cluster, encodePlaces, generateTable, preparePeople, type Table, tableFromColumns } from "../../index.js";
import { federatedReport } from "../../report/federation.js";
import { tableOfRows } from "../../table/index.js";

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
  const unwilling = await Simulation.open(sites("distances: [squared, manhattan]\n"));
  await expect(unwilling.run(card)).rejects.toThrow(
    /distance manhattan is not allowed: add 'distances: \[squared, manh/,
  );
  await unwilling.close();
  const both = sites("distances: [squared, manhattan]\n");
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
