import { cluster } from "../../src/algorithms/cluster.js";
import { settle } from "../../src/algorithms/settings.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { MoietyError } from "../../src/errors.js";
import type { People } from "../../src/table/types.js";
import { figure, seedsOf } from "../figure.js";
import { peopleOfManyGroups, peopleOfOneColumn } from "../shapes.js";
import type { Bench, Line, Sheet } from "../types.js";

/** People, the groups of each attribute, and what is asked of them. */
export type TightRequest = readonly [n: number, groups: readonly number[], options: ClusterOptions];

/** Hardly more than whole people allow. */
const tightRequests: readonly TightRequest[] = [
  [454, [2, 5, 6, 7], { k: 10, delta: 0.05, tolerance: 0.5 }],
  [454, [10, 10], { k: 10, delta: 0.05, tolerance: 0.5 }],
  [454, [20], { k: 10, delta: 0.05, tolerance: 0.5 }],
  [2000, [2, 5, 6, 7], { k: 10, delta: 0.02, tolerance: 1 }],
  [630, [8, 9, 7, 3], { k: 46, delta: 0.05 }],
];

/** More than whole people allow, or too near to that to be decided at once. */
export const refusedRequests: readonly TightRequest[] = [
  [454, [20], { k: 10, delta: 0.02, tolerance: 0.3 }],
  [454, [10, 10], { k: 20, delta: 0.02, tolerance: 0.5 }],
  [454, [2, 5, 6, 7], { k: 10, delta: 0.02, tolerance: 0 }],
  [630, [8, 9, 7, 3], { k: 46, delta: 0.05, tolerance: 0.5 }],
  [2000, [2, 5, 6, 7], { k: 40, delta: 0.01, tolerance: 0.3 }],
];

/** One run of a tight request beside the best of five starts, and beside fair-lp, which rounds an optimum of fractions of people. */
export async function tight(bench: Bench): Promise<Sheet> {
  const { quick, seeds } = bench.options;
  const lines: Line[] = [];
  const asked = quick ? tightRequests.slice(0, 1) : tightRequests;
  const people = asked.map(([n, groups, options]) => [peopleOfManyGroups(n, groups), groups, options] as const);
  const crowd: typeof people = quick ? [] : [[peopleOfOneColumn(3963, [7, 2]), [7, 2], { k: 98 }]];
  for (const [drawn, groups, options] of [...people, ...crowd]) {
    const runs: Awaited<ReturnType<typeof timed>>[] = [];
    const rounded: typeof runs = [];
    bench.say(`tight: ${drawn.n} people, groups ${groups.join(" + ")}`);
    const five = await timed(drawn, { ...options, starts: quick ? 2 : 5 });
    for (const seed of seedsOf(seeds)) {
      if (bench.signal.aborted) break;
      runs.push(await timed(drawn, { ...options, seed }));
      rounded.push(await timed(drawn, { ...options, seed, algorithm: "fair-lp" }));
    }
    lines.push({
      at: {
        people: drawn.n,
        groups: groups.join(" + "),
        k: options.k,
        delta: options.delta ?? "default",
        tolerance: options.tolerance ?? 1,
      },
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

/** Requests that are refused, with the nearest that are not: how long that takes, and how near they are. */
export async function refusals(bench: Bench): Promise<Sheet> {
  const lines: Line[] = [];
  for (const request of bench.options.quick ? refusedRequests.slice(0, 1) : refusedRequests) {
    if (bench.signal.aborted) break;
    const [n, groups, { k, delta, tolerance }] = request;
    bench.say(`refusals: ${n} people, groups ${groups.join(" + ")}`);
    const { seconds, verdict, advice } = await decided(request);
    lines.push({
      at: { people: n, groups: groups.join(" + "), k, delta: delta!, tolerance: tolerance! },
      figures: {
        seconds: figure([seconds], "s", { goal: { atMost: 3 } }),
        ...Object.fromEntries(
          Object.entries(advice).map(([name, value]) => [`${name} that would do`, figure([value], "")]),
        ),
      },
      remark: verdict,
    });
  }
  return {
    title: "Requests beyond what whole people allow: how soon they are refused, and what is advised",
    lines,
    notes: [
      "Seconds of the processor. What decides, and how hard, is counted in work: advice is the same on every machine.",
    ],
  };
}

/** Whether a request can be met, and what is advised where it cannot. */
export async function decided([n, groups, options]: TightRequest) {
  const people = peopleOfManyGroups(n, groups);
  const began = process.cpuUsage();
  const answer = await verdictOn(people, options);
  const { user, system } = process.cpuUsage(began);
  return { ...answer, seconds: (user + system) / 1e6 };
}

async function verdictOn(people: People, options: ClusterOptions) {
  try {
    return { verdict: (await settle(people, options)).feasible ? "feasible" : "undecided", advice: {} };
  } catch (error) {
    if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
    return { verdict: "refused", advice: Object.assign({}, ...(error.nearest ?? [])) as Record<string, number> };
  }
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
