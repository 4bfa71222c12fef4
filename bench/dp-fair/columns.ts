import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { MoietyError } from "../../src/errors.js";
import { seededNoise } from "../../src/privacy/noise/chance.js";
import { generateTable, type People, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";

const k = 5;
const box = { age: [15, 95], hours: [0, 80], income: [0, 150_000], visits: [0, 40] } as const;
const ways: Readonly<Record<string, Partial<ClusterOptions>>> = {
  "whole rows": { split: "rows" },
  "columns split": { split: "columns", parties: 3 },
};

/** What it costs to make everything private where columns are split: beside whole rows, no noise, and clusters that promise nothing. */
export async function overColumns(bench: Bench): Promise<Sheet[]> {
  const { quick, n } = bench.options;
  const sizes = n !== undefined ? [n] : quick ? [2000] : [1000, 10_000, 50_000];
  const epsilons = quick ? [4] : [1, 4, Number.POSITIVE_INFINITY];
  const sheets: Sheet[] = [];
  for (const people of sizes) {
    const lines: Line[] = [];
    for (const epsilon of epsilons) {
      for (const way of Object.keys(ways)) lines.push(await measured(bench, people, epsilon, way));
    }
    lines.push(await unpromised(bench, people));
    sheets.push({
      title: `People, ${people.toLocaleString("en-US")} of them, 4 columns, k ${k}, everything private: squared distances as a part of those without clusters, and the least balance`,
      lines,
      notes: ["Runs that are refused, since noise would leave nothing of their clusters, count for neither."],
    });
  }
  return sheets;
}

async function drawn(n: number, seed: number): Promise<{ readonly people: People; readonly whole: number }> {
  const people = preparePeople(generateTable("people", { n, seed }), {
    ...{ features: Object.keys(box), protect: ["sex"], box },
  });
  const { result } = await cluster({ ...people, attributes: [] }, { k: 1, algorithm: "lloyd" });
  return { people, whole: result.sse };
}

async function measured(bench: Bench, n: number, epsilon: number, way: string): Promise<Line> {
  const { seeds, threads } = bench.options;
  const sses: number[] = [];
  const balances: number[] = [];
  let refused = 0;
  for (const seed of seedsOf(seeds)) {
    bench.say(`${n} people, epsilon ${epsilon}, ${way}, seed ${seed} of ${seeds}`);
    const { people, whole } = await drawn(n, seed);
    try {
      const { result } = await cluster(people, {
        ...{ algorithm: "dp-fair", private: "all", k, epsilon, seed, threads, ...ways[way] },
        // Invented people, and a figure that can be printed again.
        ...{ noise: seededNoise(seed), signal: bench.signal },
      });
      sses.push(result.sse / whole);
      balances.push(Math.min(...result.balance));
    } catch (error) {
      if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
      refused++;
    }
  }
  return {
    at: { epsilon: Number.isFinite(epsilon) ? epsilon : "inf", way },
    figures: { ...(sses.length > 0 ? told(sses, balances) : {}), refused: figure([refused], "") },
  };
}

async function unpromised(bench: Bench, n: number): Promise<Line> {
  const { seeds, threads } = bench.options;
  const sses: number[] = [];
  const balances: number[] = [];
  for (const seed of seedsOf(seeds)) {
    const { people, whole } = await drawn(n, seed);
    const { result } = await cluster(people, { algorithm: "lloyd", k, seed, threads, signal: bench.signal });
    sses.push(result.sse / whole);
    balances.push(Math.min(...result.balance));
  }
  return {
    at: { epsilon: "none", way: "lloyd, nothing promised" },
    figures: { ...told(sses, balances), refused: figure([0], "") },
  };
}

function told(sses: readonly number[], balances: readonly number[]): Record<string, Figure> {
  return { "squared distances": figure(sses, ""), "least balance": figure(balances, "") };
}
