import { arch, cpus, platform, release, totalmem } from "node:os";
import { kernelBuild } from "../src/kernels/module.js";
import { version } from "../src/version.js";
import type { Bench, Benchmark, BenchOptions, BenchResult, Figure, Machine, Sheet } from "./types.js";

/** The options of a benchmark with their defaults. Two threads, as in the goals, so that machines can be compared. */
export function settle(benchmark: Benchmark, asked: Partial<BenchOptions>): BenchOptions {
  const { seeds, threads = 2, quick = false, n, data } = asked;
  return {
    seeds: seeds ?? (quick ? 2 : benchmark.seeds),
    quick,
    threads,
    ...(n === undefined ? {} : { n }),
    ...(data === undefined ? {} : { data }),
  };
}

export async function measure(benchmark: Benchmark, bench: Bench): Promise<BenchResult> {
  const made = new Date().toISOString();
  const begun = performance.now();
  const run = await benchmark.load();
  const sheets = await run(bench);
  return {
    benchmark: benchmark.name,
    version,
    made,
    machine: machine(),
    options: bench.options,
    seconds: (performance.now() - begun) / 1000,
    // Small sizes can neither meet nor miss a goal.
    sheets: bench.options.quick ? sheets.map(withoutGoals) : sheets,
  };
}

function withoutGoals(sheet: Sheet): Sheet {
  const bare = ({ goal: _, met: __, ...figure }: Figure): Figure => figure;
  const lines = sheet.lines.map((line) => {
    const figures = Object.entries(line.figures).map(([name, figure]) => [name, bare(figure)]);
    return { ...line, figures: Object.fromEntries(figures) };
  });
  return { ...sheet, lines };
}

function machine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memory: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    kernels: kernelBuild(),
  };
}
