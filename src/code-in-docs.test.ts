// Slow: every program in the documents runs in a process of its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { Workplace } from "./cli/testing/command.js";

const root = join(import.meta.dirname, "..");
const work = new Workplace();

/** What stands in a document between fences of TypeScript. */
function programsIn(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, program]) => program);
}

const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));
const programs = ["README.md", ...documents].flatMap((page) =>
  programsIn(page).map((program, at) => ({ page, at: at + 1, program })),
);

/** What a reader has already where a program begins: what other programs of the document have declared, and files. */
const [first] = programsIn("docs/how-to/library.md");
const above: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  "docs/how-to/engines.md": {
    1: `import { DuckDBInstance } from "@duckdb/node-api";
const connection = await (await DuckDBInstance.create("warehouse.duckdb")).connect();
await connection.run("CREATE TABLE people AS FROM 'people.csv'");
connection.closeSync();`,
  },
  "docs/how-to/library.md": {
    2: first,
    3: first,
    4: first,
    5: `import { readFileSync } from "node:fs";
const file = new File([readFileSync("people.csv")], "people.csv");
globalThis.document = { body: {} };`,
    6: `import { readFileSync } from "node:fs";
const fileAt = (path) => new File([readFileSync(path)], path);
const kitFile = fileAt("demo/kits/alice/kit.json");
const files = ["bank-a", "hospital"].map((site) => fileAt(\`demo/kits/\${site}/state/audit.log\`));`,
    7: `import { readTable } from "moiety";
const accounts = await readTable("demo/bank-a.csv");
const visits = await readTable("demo/hospital.csv");
const policy = \`approval: automatic
analysts: [alice]
algorithms: [f3km]
features: [age, visits]
protect: [sex, ethnicity]
ids: [person]
labels: [parties]
minimum: { rows: 10, clusterSize: 1 }
\`;
const job = \`k: 3
id: person
parties:
  bank: { features: [age], protect: [sex] }
  hospital: { features: [visits], protect: [ethnicity] }
\`;`,
  },
};

beforeAll(async () => {
  mkdirSync(work.path("node_modules"));
  symlinkSync(root, work.path("node_modules/moiety"), "dir");
  symlinkSync(join(root, "node_modules/@duckdb"), work.path("node_modules/@duckdb"), "dir");
  const people = ["generate", "people", "--n", "600", "-o"];
  const vectors = ["generate", "blobs", "--n", "2000", "--d", "8", "--k", "10", "-o"];
  for (const name of ["people.csv", "people.parquet", "pool.csv"]) await work.run(...people, name);
  const [titles, ...rows] = work.read("people.csv").trimEnd().split("\n");
  const paired = rows.map((row, at) => `${row},${at < 40 ? `pair-${at >> 1}` : ""}`);
  work.write("people.csv", `${[`${titles},pair`, ...paired].join("\n")}\n`);
  const adults = rows.map((_, at) => `${20 + (at % 50)},${at % 3 ? "F" : "M"},${at % 50 > 25 ? ">50K" : "<=50K"}`);
  work.write("adult.csv", `${["age,sex,income", ...adults].join("\n")}\n`);
  for (const name of ["vectors.parquet", "queries.parquet"]) await work.run(...vectors, name);
  await work.run("demo", "--n", "200", "--folder", "demo");
});

it.each(programs)("$page, program $at runs", ({ page, at, program }) => {
  work.write("program.mjs", `${above[page]?.[at] ?? ""}\n${program}`);
  // One that hangs is stopped; the slowest machine takes seconds.
  const options = { cwd: work.folder, encoding: "utf8", timeout: 600_000 } as const;
  const { status, stderr } = spawnSync(process.execPath, ["program.mjs"], options);
  expect([status, stderr]).toEqual([0, ""]);
});
