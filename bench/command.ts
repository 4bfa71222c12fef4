import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { readJson } from "../src/cli/input-files.js";
import { checkOutputs, jsonOutput, writeOutputs } from "../src/cli/outputs.js";
import { printResult, type Session } from "../src/cli/session.js";
import { defined } from "../src/defined.js";
import { MoietyError } from "../src/errors.js";
import { unknownName } from "../src/table/index.js";
import { benchmarks } from "./catalogue.js";
import type { BenchOptions } from "./types.js";

interface BenchFlags extends Partial<BenchOptions> {
  readonly list?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/** Where results go that nobody has named a file for. */
const resultsFolder = "bench-results";

const example = `
Example:
  $ moiety bench f3km-table4 --n 100000 --out before.json
  $ moiety bench compare before.json after.json`;

export function define(command: Command, session: Session): void {
  command
    .argument("[name]", "see --list", benchmarks[0].name)
    .usage("[name] [options]\n       moiety bench compare <before> <after> [options]")
    .option("--list", "what there is to measure")
    .option("--quick", "small sizes that take seconds: to see that it runs")
    .option("--seeds <number>", "runs of each figure (default: each benchmark has its own)")
    .option("--n <number>", "the most people of invented data")
    .option("--data <folder>", "the papers' public data, or none (default: $MOIETY_DATA, or ../shared/data)")
    .option("--threads <number>", "as many for those that ours is compared with (default: 2)")
    .option("--out <file>", `save the result here (default: ${resultsFolder}/<name>-<time>.json)`)
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((name: string, flags: BenchFlags) => (flags.list ? list(flags) : run(name, flags, session)));
  command
    .command("compare", { hidden: true })
    .description("Two saved results of one benchmark, as ratios.")
    .argument("<before>", "a file that moiety bench has saved")
    .argument("<after>", "another one of the same benchmark")
    .option("--json", "print the ratios as JSON")
    .addHelpText("after", "\nExample:\n  $ moiety bench compare before.json after.json")
    .action((before: string, after: string, _: object, command: Command) =>
      compare(before, after, command.optsWithGlobals<BenchFlags>().json),
    );
}

async function list({ json }: BenchFlags): Promise<void> {
  const listed = benchmarks.map(({ name, summary, paper, seeds }) => ({ name, summary, paper, seeds }));
  const { benchmarksReport } = await import("./report.js");
  printResult({ json }, listed, benchmarksReport(listed));
}

async function run(name: string, flags: BenchFlags, session: Session): Promise<void> {
  const benchmark = benchmarks.find((known) => known.name === name);
  if (!benchmark) {
    const names = [...benchmarks.map((known) => known.name), "compare"];
    throw new MoietyError("usage", `${unknownName("benchmark", name, names)}; moiety bench --list names them all`);
  }
  const { measure, settle } = await import("./run.js");
  const file = flags.out ?? (await newFile(name));
  await checkOutputs([file]);
  session.progress.say(name);
  const result = await session.interruption.during((signal) =>
    measure(benchmark, {
      options: settle(benchmark, defined(flags) as Partial<BenchOptions>),
      signal,
      say: (what) => session.progress.say(what),
    }),
  );
  await writeOutputs([jsonOutput(file, result)]);
  session.progress.stop();
  const { benchReport } = await import("./report.js");
  printResult(flags, result, benchReport(result, file));
}

/** A name that sorts by time. */
async function newFile(name: string): Promise<string> {
  await mkdir(resultsFolder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const advice = "name a file with --out";
    throw new MoietyError("output", `cannot make the folder ${resultsFolder}: ${error.code}; ${advice}`, {
      cause: error,
    });
  });
  return join(resultsFolder, `${name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.json`);
}

async function compare(before: string, after: string, json: boolean | undefined): Promise<void> {
  const [{ compareResults }, { parseResult }] = await Promise.all([import("./compare.js"), import("./stored.js")]);
  const [first, second] = await Promise.all(
    [before, after].map(async (path) => parseResult(await readJson("result", path), path)),
  );
  const compared = compareResults(first!, second!);
  const { comparisonReport } = await import("./report.js");
  printResult({ json }, compared, comparisonReport(compared));
}
