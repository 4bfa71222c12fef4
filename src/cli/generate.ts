import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { generateReport } from "../report/generate.js";
import {
  checkFormat,
  type GenerateOptions,
  type GeneratorKind,
  generateTable,
  generatorKinds,
  writeTable,
} from "../table/index.js";
import { checkOutputs } from "./outputs.js";
import { print, printJson, type Session } from "./session.js";
import { choice, number } from "./values.js";

interface GenerateFlags extends GenerateOptions {
  readonly output: string;
  readonly json?: boolean;
}

/** The kinds for which an option means something; the others take none of them. */
const particular = {
  d: ["blobs"],
  k: ["blobs"],
  sd: ["blobs", "twomoon", "gaussian18", "grid"],
  beta: ["grid"],
  parties: ["grid"],
} satisfies Partial<Record<keyof GenerateOptions, readonly GeneratorKind[]>>;

const example = `
Example:
  $ moiety generate people --n 100000 --seed 1 -o people.parquet`;

export function addGenerate(program: Command, session: Session): void {
  const kind = choice<GeneratorKind>("kind of data", generatorKinds);
  program
    .command("generate")
    .description("Invent data to try things on: the same seed gives the same table.")
    .argument("<kind>", generatorKinds.join(", "), kind)
    .requiredOption("-o, --output <file>", "write .parquet, .csv or .csv.gz")
    .option("--n <number>", "rows (default: each kind has its own)", number("--n"))
    .option("--seed <number>", "the same seed gives the same table (default: 1)", number("--seed"))
    .option("--d <number>", "blobs: dimensions (default: 2)", number("--d"))
    .option("-k, --k <number>", "blobs: how many (default: 5)", number("--k"))
    .option("--sd <number>", "blobs, twomoon, gaussian18, grid: the spread of each cluster", number("--sd"))
    .option("--beta <number>", "grid: how far parties reach (default: 1)", number("--beta"))
    .option("--parties <number>", "grid: how many parties (default: 5)", number("--parties"))
    .option("--json", "print the result as JSON")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action((kind: GeneratorKind, flags: GenerateFlags) => run(kind, flags, session));
}

async function run(kind: GeneratorKind, flags: GenerateFlags, session: Session): Promise<void> {
  checkParticular(kind, flags);
  await checkOutputs([flags.output]);
  await checkFormat("output", flags.output);
  session.progress.say("generating");
  const table = generateTable(kind, flags);
  session.progress.say("writing");
  await writeTable(flags.output, table);
  session.progress.stop();
  const columns = table.columns.map(({ name, kind }) => ({ name, kind }));
  const result = { kind, seed: flags.seed ?? 1, rows: table.rows, columns, output: flags.output };
  if (flags.json) printJson(result);
  else print(generateReport(result));
}

function checkParticular(kind: GeneratorKind, flags: GenerateFlags): void {
  for (const [option, kinds] of Object.entries(particular) as [keyof typeof particular, readonly GeneratorKind[]][]) {
    if (flags[option] === undefined || kinds.includes(kind)) continue;
    throw new MoietyError("usage", `--${option} is for ${kinds.join(", ")} and not for ${kind}: leave it out`);
  }
}
