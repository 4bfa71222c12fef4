// Slow: compares with the optimum of all assignments.
import { describe, expect, it } from "vitest";
import { boundsFromDelta } from "../constraints/bounds.js";
import type { People } from "../table/types.js";
import { plainSse, sizesOf, worstExcess } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, peopleOf } from "../testing/people.js";
import { cluster } from "./cluster.js";

/** The least SSE of all fair labelings, by trying each. Clusters are alike, so the first person is in cluster 0. */
function bestFairSse(people: People, k: number, delta: number, tolerance: number): number {
  const bounds = people.attributes.map((attribute) => boundsFromDelta(attribute, delta));
  let best = Number.POSITIVE_INFINITY;
  const labels = new Array<number>(people.n).fill(0);
  for (let number = 0; number < k ** (people.n - 1); number++) {
    for (let i = 1, rest = number; i < people.n; i++, rest = Math.floor(rest / k)) labels[i] = rest % k;
    if (Math.min(...sizesOf(labels, k)) < 1) continue;
    if (worstExcess(people, bounds, labels, k) > tolerance + 1e-9) continue;
    best = Math.min(best, plainSse(people.dimensions, labels, k));
  }
  return best;
}

describe("the best fair clustering of a handful of people", () => {
  it("is reached by five starts nearly always, and beaten never", async () => {
    let reached = 0;
    let worst = 1;
    const instances = 200;
    for (let seed = 1; seed <= instances; seed++) {
      const draws = new Draws(seed);
      const k = draws.between(2, 3);
      const n = k === 2 ? draws.between(6, 10) : draws.between(6, 8);
      const codes = [drawCodes(n, 2, draws)];
      const landscape = (["spread", "apart", "line"] as const)[seed % 3];
      const people = peopleOf(drawColumns(landscape, n, 2, codes[0], draws), codes);
      const delta = [0, 0.2, 0.5][draws.below(3)];
      const best = bestFairSse(people, k, delta, 1);
      const { result } = await cluster(people, { k, delta, minSize: 1, starts: 5, seed, threads: 1 });
      expect(result.fair).toBe(true);
      // Coordinates are snapped to a grid, so that equal is equal to a few digits only.
      expect(result.sse).toBeGreaterThanOrEqual(best * (1 - 1e-3));
      if (result.sse <= best * (1 + 1e-3)) reached++;
      worst = Math.max(worst, result.sse / best);
    }
    expect(reached / instances).toBeGreaterThan(0.75);
    expect(worst).toBeLessThan(2.5);
  });
});
