import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cluster } from "../algorithms/cluster.js";
import { exactMoments } from "../solver/exact-moments.js";
import { generateTable, preparePeople, tableOfRows } from "../table/index.js";
import { cardOf } from "./consent/card.js";
import { MemoryFederation } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const everybody = generateTable("people", { n: 180, seed: 3 });
const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km]
features: [income, hours, balance]
protect: [age, sex]
labels: [parties, analyst]
protection: masked
minimum: { rows: 10, clusterSize: 1, parties: 3 }
`;
const parts = [0, 1, 2].map((part) => Uint32Array.from({ length: 60 }, (_, i) => 60 * part + i));
const sites = Object.fromEntries(
  parts.map((rows, part) => [`p${part}`, { table: tableOfRows(everybody, rows), policy }]),
);
const federation = new MemoryFederation(sites);
const folder = workplace();

beforeAll(() => federation.start(join(folder, "kits")));

describe("numbers that are cut into groups at several sites", () => {
  const rows = (protect: string, more = "") =>
    `k: 2\nsplit: rows\nmaxIterations: 3\n${more}parties:\n${[0, 1, 2].map((part) => `  p${part}: { features: [income, hours], protect: ["${protect}"] }\n`).join("")}`;

  it("with rows split, cuts on the card make the groups that one table has", async () => {
    const bounds = 'bounds: { age: { "<40": { min: 0.2 } } }\n';
    const { result } = await federation.run(rows("age:40,60", bounds));
    const asked = { features: ["income", "hours"], protect: ["age:40,60"], measure: exactMoments };
    const people = preparePeople(everybody, asked);
    const options = { k: 2, maxIterations: 3, bounds: { age: { "<40": { min: 0.2 } } } };
    const alone = await cluster(people, { ...options, split: "rows", parties: 3 });
    expect(result.sizes).toEqual(alone.result.sizes);
    expect(result.bounds).toEqual(alone.result.bounds);
    expect(Object.keys(result.groups.age)).toEqual(["<40", "40 to <60", "60+"]);
  });

  it("with columns split, cuts and quartiles are made by who has the column", async () => {
    const held = { p0: ["income"], p1: ["hours"], p2: ["balance", "age"] };
    for (const [name, columns] of Object.entries(held)) {
      const own = everybody.columns.filter((column) => columns.includes(column.name));
      federation.sites[name].table = { rows: everybody.rows, columns: own };
    }
    const parties = `  p0: { features: [income] }\n  p1: { features: [hours] }\n`;
    const job = `k: 2\nmaxIterations: 3\nparties:\n${parties}  p2: { features: [balance], protect: ["age:quartiles"] }\n`;
    const { result } = await federation.run(job);
    const asked = { features: ["income", "hours", "balance"], protect: ["age:quartiles"] };
    const alone = await cluster(preparePeople(everybody, asked), { k: 2, effort: "lean", maxIterations: 3 });
    expect(result.sizes).toEqual(alone.result.sizes);
    expect(Object.keys(result.groups.age)).toHaveLength(4);
    // Who holds the column refuses what it would refuse alone.
    await expect(federation.run(job.replace(":quartiles", ""))).rejects.toThrow(/p2.*its own log says why/);
    expect(federation.logs.join("\n")).toMatch(/p2: .*'age' has \d+ different numbers; make groups of them/);
  });

  it("quartiles with rows split are refused where they are asked for, and too many groups", () => {
    const submission = { federation: "federation", analyst: "alice", nonce: "ab".repeat(16) };
    const submit = (text: string) => () => cardOf(text, "job.yaml", submission);
    expect(submit(rows("age:quartiles"))).toThrow(
      "job.yaml: 'age:quartiles' needs everybody's values, which no site has with rows split: give cuts, such as age:25,40,65",
    );
    expect(submit(rows("sex*age:40"))).toThrow("name the groups of 'sex*age:40'");
    const many = Array.from({ length: 101 }, (_, i) => `g${i}`).join(", ");
    expect(submit(rows("job", `groups: { job: [${many}] }\n`))).toThrow(/'job' has more than 100 groups/);
    expect(submit(rows("job", `maxGroups: 101\ngroups: { job: [${many}] }\n`))).not.toThrow();
    expect(submit(rows("age:25,40"))().groups).toEqual({ "age:25,40": ["<25", "25 to <40", "40+"] });
  });

  it("a policy allows the column, however it is cut", () => {
    expect(federation.logs.filter((line) => line.includes("may not be protected"))).toEqual([]);
  });
});
