import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import type { People } from "../../src/table/types.js";
import { figure, seedsOf } from "../figure.js";
import { peopleOfManyGroups } from "../shapes.js";
import type { Bench, Line, Sheet } from "../types.js";

/** People, the groups of each attribute, and what is asked of them: hardly more than whole people allow. */
const tightRequests: readonly (readonly [n: number, groups: readonly number[], options: ClusterOptions])[] = [
  [454, [2, 5, 6, 7], { k: 10, delta: 0.05, tolerance: 0.5 }],
  [454, [10, 10], { k: 10, delta: 0.05, tolerance: 0.5 }],
  [454, [20], { k: 10, delta: 0.05, tolerance: 0.5 }],
  [2000, [2, 5, 6, 7], { k: 10, delta: 0.02, tolerance: 1 }],
];

/** One run of a tight request beside the best of five starts, and beside fair-lp, which rounds an optimum of fractions of people. */
export async function tight(bench: Bench): Promise<Sheet> {
  const { quick, seeds } = bench.options;
  const lines: Line[] = [];
  for (const [n, groups, options] of quick ? tightRequests.slice(0, 1) : tightRequests) {
    const people = peopleOfManyGroups(n, groups);
    const runs: Awaited<ReturnType<typeof timed>>[] = [];
    const rounded: typeof runs = [];
    bench.say(`tight: ${n} people, groups ${groups.join(" + ")}`);
    const five = await timed(people, { ...options, starts: quick ? 2 : 5 });
    for (const seed of seedsOf(seeds)) {
      if (bench.signal.aborted) break;
      runs.push(await timed(people, { ...options, seed }));
      rounded.push(await timed(people, { ...options, seed, algorithm: "fair-lp" }));
    }
    lines.push({
      at: { people: n, groups: groups.join(" + "), k: options.k, delta: options.delta!, tolerance: options.tolerance! },
      figures: {
        seconds: figure(column(runs, "seconds"), "s"),
        "people beyond": figure(column(runs, "beyond"), ""),
        "SSE of the best of five starts'": figure(
          runs.map(({ sse }) => sse / five.sse),
          "x",
        ),
        gap: figure(column(runs, "gap"), ""),
        "fair-lp: SSE of ours": figure(
          rounded.map(({ sse }, index) => sse / runs[index].sse),
          "x",
        ),
        "fair-lp: people beyond": figure(column(rounded, "beyond"), ""),
        "fair-lp: seconds": figure(column(rounded, "seconds"), "s"),
      },
    });
  }
  return {
    title: "Tight requests: many groups, few people, hardly any tolerance",
    lines,
    notes: [
      "Seconds of the processor, one thread. People beyond: of the worst group in the worst cluster, tolerance not counted.",
    ],
  };
}

async function timed(people: People, options: ClusterOptions) {
  const began = process.cpuUsage();
  const { result } = await cluster(people, { ...options, threads: 1 });
  const { user, system } = process.cpuUsage(began);
  return {
    sse: result.sse,
    beyond: result.maxViolation,
    gap: result.gap ?? Number.NaN,
    seconds: (user + system) / 1e6,
  };
}

function column<Row>(rows: readonly Row[], name: keyof Row): number[] {
  return rows.map((row) => Number(row[name]));
}
