import { afterAll, expect, it } from "vitest";
import { Simulation } from "../../entries/federation.js";
import { cluster, encodePlaces, generateTable, preparePeople, type Table, tableFromColumns } from "../../index.js";

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
