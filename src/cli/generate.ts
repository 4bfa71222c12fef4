import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { formatNumber } from "../report/format.js";
import { generateReport } from "../report/generate.js";
import { checkFormat, writeFaces, writeParts } from "../table/disk/index.js";
import { type GenerateOptions, type GeneratorKind, generateParts, generatorKinds, type Table } from "../table/index.js";
import { checkOutputs } from "./outputs.js";
import { printResult, type Session } from "./session.js";
import { choice } from "./values.js";

/** Faces are a folder of pictures; all others are a table. */
type GenerateKind = GeneratorKind | "faces";

interface GenerateFlags extends GenerateOptions {
  readonly output: string;
  readonly size?: number;
  readonly json?: boolean;
}

/** The options that only some kinds take. */
const optionsOfKinds = {
  d: ["blobs"],
  k: ["blobs"],
  sd: ["blobs", "twomoon", "gaussian18", "grid"],
  beta: ["grid"],
  parties: ["grid"],
  size: ["faces"],
} satisfies Partial<Record<keyof GenerateFlags, readonly GenerateKind[]>>;

const kinds: readonly GenerateKind[] = [...generatorKinds, "faces"];
const defaultFaces = { n: 1000, size: 32 } as const;

const example = `
Example:
  $ moiety generate people --n 100000 --seed 1 -o people.parquet`;

export function define(command: Command, session: Session): void {
  const kind = choice<GenerateKind>("kind of data", kinds);
  command
    .argument("<kind>", kinds.join(", "), kind)
    .requiredOption("-o, --output <file>", "write .parquet, .csv or .csv.gz; faces: a new folder")
    .option("--n <number>", "rows (default: each kind has its own)")
    .option("--seed <number>", "the same seed gives the same table (default: 1)")
    .option("--d <number>", "blobs: dimensions (default: 2)")
    .option("-k, --k <number>", "blobs: how many (default: 5)")
    .option("--sd <number>", "blobs, twomoon, gaussian18, grid: the spread of each cluster")
    .option("--beta <number>", "grid: how far parties reach (default: 1)")
    .option("--parties <number>", "grid: how many parties (default: 5)")
    .option("--size <pixels>", "faces: width and height (default: 32)")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((kind: GenerateKind, flags: GenerateFlags) => run(kind, flags, session));
}

async function run(kind: GenerateKind, flags: GenerateFlags, session: Session): Promise<void> {
  for (const [option, kinds] of Object.entries(optionsOfKinds) as [
    keyof typeof optionsOfKinds,
    readonly GenerateKind[],
  ][]) {
    if (flags[option] === undefined || kinds.includes(kind)) continue;
    throw new MoietyError("usage", `--${option} is for ${kinds.join(", ")} and not for ${kind}: leave it out`);
  }
  session.progress.say("generating");
  const { rows, columns: made } = await make(kind, flags, session);
  session.progress.stop();
  const columns = made.map(({ name, kind }) => ({ name, kind }));
  const result = { kind, seed: flags.seed ?? 1, rows, columns, output: flags.output };
  printResult(flags, result, generateReport(result));
}

async function make(kind: GenerateKind, flags: GenerateFlags, session: Session): Promise<Table> {
  const { output, n = defaultFaces.n, seed = 1, size = defaultFaces.size } = flags;
  if (kind === "faces") return writeFaces(output, n, seed, size);
  await checkOutputs([output]);
  await checkFormat("output", output);
  const { rows, parts } = generateParts(kind, flags);
  let columns: Table["columns"] = [];
  const noted = (function* () {
    for (const part of parts) {
      columns = part.columns;
      yield part;
    }
  })();
  const tell = session.progress.say("writing");
  await writeParts(output, { rows, parts: noted }, (written) => tell(` ${formatNumber(written)} rows`));
  return { rows, columns };
}
