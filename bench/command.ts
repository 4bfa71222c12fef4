import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { readJson } from "../src/cli/input-files.js";
import { checkOutputs, jsonOutput, textOutput, writeOutputs } from "../src/cli/outputs.js";
import { printResult, type Session } from "../src/cli/session.js";
import { defined } from "../src/defined.js";
import { MoietyError } from "../src/errors.js";
import { formatSeconds } from "../src/report/format.js";
import { unknownName } from "../src/table/index.js";
import { benchmarks } from "./catalogue.js";
import { onPage } from "./page.js";
import { runProgram } from "./speed/process.js";
import { parseResult } from "./stored.js";
import type { BenchOptions, BenchResult } from "./types.js";

interface BenchFlags extends Partial<BenchOptions> {
  readonly list?: boolean;
  readonly out?: string;
  readonly page?: string;
  readonly hours?: number;
  readonly json?: boolean;
}

const command = fileURLToPath(new URL("../cli/main.js", import.meta.url));

/** Where results go that nobody has named a file for. */
const resultsFolder = "bench-results";

const example = `
Example:
  $ moiety bench f3km-table4 --n 100000 --out before.json
  $ moiety bench compare before.json after.json
  $ moiety bench all --hours 8 --page results.md`;

export function define(command: Command, session: Session): void {
  command
    .argument("[name]", "see --list, or all", benchmarks[0].name)
    .usage("[name] [options]\n       moiety bench compare <before> <after> [options]")
    .option("--list", "what there is to measure")
    .option("--quick", "small sizes that take seconds: to see that it runs")
    .option("--seeds <number>", "runs of each figure (default: each benchmark has its own)")
    .option("--n <number>", "the most people of invented data")
    .option("--data <folder>", "the papers' public data, or none (default: $MOIETY_DATA, or ../shared/data)")
    .option("--threads <number>", "as many for those that ours is compared with (default: 2)")
    .option("--out <file>", `save the result here (default: ${resultsFolder}/<name>-<time>.json)`)
    .option("--page <file>", "write the figures as Markdown, too: between two lines with marks where the file has them")
    .option(
      "--hours <number>",
      "stop by then, and write what was measured; with all, each may take a quarter of what is left, and those that have not begun by then are named",
    )
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
  const { page, hours = Number.POSITIVE_INFINITY } = flags;
  if (!(hours > 0)) throw new MoietyError("usage", `hours is ${hours}: give a number above 0, such as 8`);
  if (name === "all") return runAll(flags, hours, session);
  const benchmark = benchmarks.find((known) => known.name === name);
  if (!benchmark) {
    const names = [...benchmarks.map((known) => known.name), "compare"];
    throw new MoietyError("usage", `${unknownName("benchmark", name, names)}; moiety bench --list names them all`);
  }
  const file = flags.out ?? (await newFile(name));
  await checkOutputs(page === undefined ? [file] : [file, page]);
  const { measure, settle } = await import("./run.js");
  session.progress.say(name);
  const result = await session.interruption.during((signal) =>
    measure(benchmark, {
      options: settle(benchmark, defined(flags) as Partial<BenchOptions>),
      signal: AbortSignal.any([signal, ...timeLimit(hours * milliseconds)]),
      say: (what) => session.progress.say(what),
    }),
  );
  const { benchPage, benchReport } = await import("./report.js");
  const written = page === undefined ? [] : [textOutput(page, await onPage(page, benchPage(result)))];
  await writeOutputs([jsonOutput(file, result), ...written]);
  session.progress.stop();
  printResult(flags, result, benchReport(result, file));
}

/** Of an hour. */
const milliseconds = 3_600_000;

function timeLimit(time: number): AbortSignal[] {
  return Number.isFinite(time) ? [AbortSignal.timeout(Math.min(Math.ceil(time), longestTimer))] : [];
}

/** Timers have no room for more: 24 days. */
const longestTimer = 2 ** 31 - 1;

/** A benchmark may take this part of what is left of the hours: one that takes a night by itself leaves time for the others. */
const largestPart = 0.25;

/** What was asked to stop and goes on is ended after so many milliseconds. */
const patience = 60_000;

/**
 * Everything, one after the other, on one page, each in a process of its own: what fails, runs out of memory or takes too long is
 * named there, and does not stop the others.
 */
async function runAll(flags: BenchFlags, hours: number, session: Session): Promise<void> {
  const { page = join(resultsFolder, "all.md") } = flags;
  if (flags.out !== undefined)
    throw new MoietyError("usage", "--out names one file: all writes one for each benchmark, and --page");
  const { benchPage } = await import("./report.js");
  const end = performance.now() + hours * milliseconds;
  const parts: string[] = [];
  const names: Record<"measured" | "stopped" | "failed" | "left out", string[]> = {
    measured: [],
    stopped: [],
    failed: [],
    "left out": [],
  };
  for (const benchmark of benchmarks) {
    const { name, summary } = benchmark;
    const file = await newFile(name);
    if (parts.length === 0) await checkOutputs([file, page]);
    const heading = `## ${name}: ${summary}`;
    const begun = performance.now();
    if (begun > end) {
      names["left out"].push(name);
      continue;
    }
    const part = largestPart * (end - begun);
    session.progress.say(name);
    try {
      const result = await session.interruption.during((signal) => inProcess(name, file, { flags, part, signal }));
      parts.push(`${heading}\n\n${benchPage(result)}`);
      names.measured.push(name);
    } catch (error) {
      const stopped = performance.now() - begun >= part;
      if (error instanceof MoietyError && error.code === "cancelled" && !stopped) throw error;
      const advice = `run \`moiety bench ${name}\` by itself, or with fewer --seeds`;
      const why = stopped
        ? `Stopped after ${formatSeconds(part / 1000)}: ${advice}.`
        : `Failed: ${error instanceof Error ? error.message : error}`;
      parts.push(`${heading}\n\n${why}`);
      names[stopped ? "stopped" : "failed"].push(name);
    }
    // After each, so that a night that is cut short leaves what was measured.
    await writeOutputs([textOutput(page, await onPage(page, parts.join("\n\n")))]);
  }
  if (names["left out"].length > 0) {
    parts.push(`Not begun within ${hours} hours: ${names["left out"].join(", ")}.`);
    await writeOutputs([textOutput(page, await onPage(page, parts.join("\n\n")))]);
  }
  session.progress.stop();
  const told = Object.entries(names).flatMap(([what, list]) =>
    list.length > 0 ? [`${what}: ${list.join(", ")}`] : [],
  );
  printResult(flags, names, [...told, `Wrote ${page}.`].join("\n"));
}

/** A benchmark by a command of its own, which is asked to stop after its part of the time. */
async function inProcess(
  name: string,
  file: string,
  { flags, part, signal }: { readonly flags: BenchFlags; readonly part: number; readonly signal: AbortSignal },
): Promise<BenchResult> {
  const { seeds, n, data, threads, quick } = flags;
  const hours = Number.isFinite(part) ? part / milliseconds : undefined;
  const named = Object.entries(defined({ seeds, n, data, threads, hours }));
  const options = named.flatMap(([option, value]) => [`--${option}`, String(value)]);
  await runProgram({
    program: process.execPath,
    args: [command, "bench", name, "--out", file, ...options, ...(quick ? ["--quick"] : [])],
    what: name,
    signal: AbortSignal.any([signal, ...timeLimit(part + patience)]),
  });
  return parseResult(await readJson("result", file), file);
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
  const { compareResults } = await import("./compare.js");
  const [first, second] = await Promise.all(
    [before, after].map(async (path) => parseResult(await readJson("result", path), path)),
  );
  const compared = compareResults(first!, second!);
  const { comparisonReport } = await import("./report.js");
  printResult({ json }, compared, comparisonReport(compared));
}
