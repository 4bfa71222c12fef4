import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { methodFor } from "../algorithms/catalogue.js";
import { MoietyError } from "../errors.js";
import { jobSchema } from "../federation/consent/card.js";
import { policySchema } from "../federation/consent/policy.js";
import { jsonSchema, schemaFile, schemaLine } from "../federation/editor-schema.js";
import { writeTable } from "../table/disk/index.js";
import { generateTable } from "../table/index.js";
import { version } from "../version.js";
import { print } from "./session.js";

/** Enough for bounds that mean something, and few enough that everything takes a second. */
const people = 2000;

const example = `
Example:
  $ moiety init my-project
  $ cd my-project && npm install && npm start`;

export function define(command: Command): void {
  command
    .argument("[folder]", "the folder to write to; it is made, or must be empty", ".")
    .addHelpText("after", example)
    .action(write);
}

async function write(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" || error.code === "ENOTDIR" ? "it is a file, or in one" : error.code;
    throw new MoietyError("usage", `the folder ${folder} cannot be made: ${why}; name another, such as my-project`);
  });
  const there = (await readdir(folder)).filter((name) => !name.startsWith("."));
  if (there.length > 0) {
    const seen = `${folder} has ${there.length === 1 ? "a file" : `${there.length} files`}`;
    throw new MoietyError(
      "usage",
      `${seen}, and nothing is overwritten: name a new folder, such as moiety init my-project`,
    );
  }
  const files = {
    "package.json": manifest,
    "job.yaml": schemaLine("job") + job,
    "policy.yaml": schemaLine("policy") + policy,
    [schemaFile("job")]: jsonSchema("job", jobSchema),
    [schemaFile("policy")]: jsonSchema("policy", policySchema),
    "federation.mjs": federation,
    "README.md": readme,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeTable(join(folder, "people.csv"), generateTable("people", { n: people, seed: 1 }));
  const go = folder === "." ? "" : `cd ${folder} && `;
  print(`Wrote ${[...Object.keys(files), "people.csv"].join(", ")}.\nNext: ${go}npm install && npm start`);
}

const cluster =
  "moiety cluster people.csv --k 4 --protect sex --id person --labels labels.csv --model model.json --report report.html";
const manifest = `${JSON.stringify(
  {
    name: "fair-clusters",
    private: true,
    type: "module",
    scripts: {
      start: cluster,
      check: "moiety evaluate people.csv --labels labels.csv --protect sex --id person",
      federation: "node federation.mjs",
    },
    dependencies: { moiety: `^${version}` },
  },
  null,
  2,
)}\n`;

const job = `# What the analyst asks for: four clusters of the people that a bank and a clinic have in common.
purpose: try a federation
k: 4
minSize: 10
labels: [parties, analyst]
parties:
  bank: { features: [income, balance], protect: [sex] }
  clinic: { features: [age, visits] }
`;

const policy = `# What both institutions allow. A job that asks for more is refused.
approval: automatic
analysts: [alice]
algorithms: [${methodFor("groups").name}]
features: [income, balance, age, visits]
protect: [sex]
labels: [parties, analyst]
minimum: { rows: 100, clusterSize: 10 }
`;

const federation = `// A federation of two institutions inside this process, with keys, consent, masks and audit logs; nothing is written to the disk.
import { readFile } from "node:fs/promises";
import { readTable } from "moiety";
import { Simulation } from "moiety/federation";

const everybody = await readTable("people.csv");
const policy = await readFile("policy.yaml", "utf8");
const holding = (...names) => ({
  table: { rows: everybody.rows, columns: everybody.columns.filter(({ name }) => names.includes(name)) },
  policy,
});

const simulation = await Simulation.open({
  bank: holding("income", "balance", "sex"),
  clinic: holding("age", "visits"),
});
const { result } = await simulation.run(await readFile("job.yaml", "utf8"));
console.log(\`\${result.n} people in \${result.k} clusters of \${result.sizes.join(", ")}: \${result.verdict}\`);
await simulation.close();
`;

const readme = `# Fair clusters

    npm install
    npm start                 # clusters people.csv: labels.csv, model.json and report.html
    npm run check             # measures the labels as anybody's
    npm run federation        # the same people at a bank and a clinic that share no column (job.yaml, policy.yaml)

people.csv is generated. Put your own in its place, and run \`npx moiety describe people.csv\` for the columns to name.
`;
