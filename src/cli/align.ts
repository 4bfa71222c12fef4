import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { alignReport } from "../report/align.js";
import { checkFormat } from "../table/disk/index.js";
import { type DistinctIds, type NormaliseStep, normaliseSteps } from "../table/index.js";
import { checkInputs, readIds, sourceDescription } from "./columns.js";
import { checkOutputs, idsOutput, writeOutputs } from "./outputs.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";
import { choice, list } from "./values.js";

interface AlignFlags {
  readonly id: string;
  readonly normalise?: readonly NormaliseStep[];
  readonly output: string;
  readonly threads?: number;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety align bank.csv hospital.csv --id person -o common.csv`;

const step = choice("step of --normalise", normaliseSteps);
const steps = list("--normalise", "trim,lower");
const stepList = (text: string): readonly NormaliseStep[] => steps(text).map(step);

export function define(command: Command, session: Session): void {
  command
    .argument("<sources...>", `two or more: ${sourceDescription}`)
    .requiredOption("--id <name>", "the column that names people, in every source")
    .option(
      "--normalise <steps>",
      "where files spell ids differently: trim, lower, digits (leaves 0 to 9 alone), or several, applied in this order",
      stepList,
    )
    .requiredOption("-o, --output <file>", "write the common ids, in the order of their bytes: .csv or .parquet")
    .option("--threads <number>", "threads to compute on (default: all cores)")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((sources: string[], flags: AlignFlags) => run(sources, flags, session));
}

async function run(sources: readonly string[], flags: AlignFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  if (sources.length < 2) {
    throw new MoietyError("usage", `${sources.length} source cannot be aligned: name two or more files`);
  }
  checkInputs("all sources but one", ...sources);
  await checkOutputs([flags.output], sources);
  await checkFormat("output", flags.output);
  session.progress.say("reading");
  const sets: { name: string; ids: DistinctIds }[] = [];
  // The same file may be named twice: parties have names of their own.
  for (const [at, source] of sources.entries())
    sets.push({ name: `${at}`, ids: await readIds(source, flags.id, flags) });
  // Loaded here, so that --help and wrong usage need not wait for it.
  const { alignLocally } = await import("../privacy/alignment/local.js");
  const { common, parties } = await session.interruption.during((signal) =>
    alignLocally(sets, {
      threads: flags.threads ?? availableParallelism(),
      random: randomBytes,
      signal,
      onProgress: (done, total) => session.progress.say(`aligning: ${Math.floor((100 * done) / total)}%`),
    }),
  );
  await writeOutputs([idsOutput(flags.output, flags.id, common)]);
  session.progress.stop();
  const files = parties.map(({ ids, duplicates }, at) => ({ source: sources[at], ids, duplicates }));
  const result = { id: flags.id, common: common.length, sources: files, seconds: { total: seconds() } };
  printResult(flags, result, alignReport(result, flags.output));
  warn(files.flatMap(({ source, duplicates }) => (duplicates > 0 ? [repeated(source, duplicates)] : [])));
}

function repeated(source: string, duplicates: number): string {
  return `${source}: ${duplicates} rows repeat an id that was there before; each id counts once`;
}
