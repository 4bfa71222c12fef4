import { afterAll, expect, it } from "vitest";
import { Simulation } from "../../entries/federation.js";
import { cluster, generateTable, preparePeople, type Table } from "../../index.js";

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
    const alone = await cluster(people, { k: 3, maxIterations: 4, minSize: 2 });
    expect(result.sizes).toEqual(alone.result.sizes);
    expect(labels?.clusters).toEqual([...alone.labels]);
    for (const member of ["coordinator", "bank", "clinic"])
      expect(simulation.audits.get(member)?.length).toBeGreaterThan(1);
  },
);

it("says why a job has failed", async () => {
  await expect(simulation.run(job.replace("age, visits", "age, secret"))).rejects.toMatchObject({
    name: "MoietyError",
    code: "failed",
  });
});
