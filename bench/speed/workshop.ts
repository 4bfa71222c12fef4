import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure } from "../figure.js";
import type { Bench, Figure, Line } from "../types.js";
import type { PeopleFile } from "./people-file.js";
import { runProgram } from "./process.js";
import type { Answers, Task, Whole } from "./tasks.js";

/** A run of the benchmark, and a folder for its files. */
export interface Workshop {
  readonly bench: Bench;
  readonly folder: string;
}

/** dist/: benchmarks run where the build has put them, in dist/bench. */
const built = new URL("../../", import.meta.url);

/** Does one task in a process of its own; a quick run, which measures little, starts one for whole runs only. */
export async function perform<T extends Task>({ bench }: Workshop, task: T): Promise<Answers[T["kind"]]> {
  if (bench.options.quick && task.kind !== "whole") {
    const { runTask } = await import("./perform.js");
    return runTask(task) as Promise<Answers[T["kind"]]>;
  }
  const args = [fileURLToPath(new URL("bench/speed/task.js", built)), JSON.stringify(task)];
  const printed = await runProgram({ program: process.execPath, args, what: `the ${task.kind}`, signal: bench.signal });
  return JSON.parse(printed);
}

/** Runs moiety itself, as a user would. */
export function moiety({ bench }: Workshop, args: readonly string[]): Promise<string> {
  const command = [fileURLToPath(new URL("cli/main.js", built)), ...args];
  return runProgram({ program: process.execPath, args: command, what: `moiety ${args[0]}`, signal: bench.signal });
}

/** Invented people in a file. */
export function store(shop: Workshop, n: number): Promise<PeopleFile> {
  shop.bench.say(`inventing ${n.toLocaleString("en-US")} people`);
  return perform(shop, { kind: "store-people", path: join(shop.folder, `people-${n}`), n, seed: 1 });
}

/** A whole fair run, seeding included unless it begins from given centres. */
export function wholeRun(
  shop: Workshop,
  { path }: PeopleFile,
  asked: { readonly k: number; readonly seed: number; readonly from?: readonly (readonly number[])[] },
): Promise<Whole> {
  return perform(shop, { kind: "whole", path, delta: 0.2, threads: shop.bench.options.threads, ...asked });
}

export function secondsOf(runs: readonly { readonly seconds: number }[], atMost?: number): Figure {
  const goal = atMost === undefined ? {} : { goal: { atMost } };
  return figure(
    runs.map(({ seconds }) => seconds),
    "s",
    goal,
  );
}

/** Seed by seed. */
export function ratioOf(ours: Figure, theirs: Figure, atMost?: number): Figure {
  const goal = atMost === undefined ? {} : { goal: { atMost } };
  return figure(
    ours.values.map((value, index) => value / theirs.values[index]),
    "x",
    goal,
  );
}

/** A run that is not what it should be says so. */
export function remarkOn(runs: readonly Whole[]): Pick<Line, "remark"> {
  const unfair = runs.filter(({ fair }) => !fair).length;
  const unfinished = runs.filter(({ converged }) => !converged).length;
  if (unfair + unfinished === 0) return { remark: "all fair, all converged" };
  return { remark: `${unfair} of ${runs.length} not fair, ${unfinished} not converged` };
}
