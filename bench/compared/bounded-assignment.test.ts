import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignWithin } from "./bounded-assignment.js";
import { roomFor } from "./ms-flowfc.js";

/** The least cost of all k^n assignments within the limits. */
function exhaustive(costs: Float64Array, k: number, least: readonly number[], most: readonly number[]): number {
  const n = costs.length / k;
  const counts = new Array<number>(k).fill(0);
  const search = (i: number, cost: number): number => {
    if (i === n) return counts.every((count, m) => count >= least[m] && count <= most[m]) ? cost : Infinity;
    let best = Infinity;
    for (let m = 0; m < k; m++) {
      counts[m]++;
      best = Math.min(best, search(i + 1, cost + costs[i * k + m]));
      counts[m]--;
    }
    return best;
  };
  return search(0, 0);
}

describe("an assignment within limits", () => {
  it("costs what exhaustive search finds, and keeps the limits", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(fc.nat(20)),
        (n, k, draws) => {
          const draw = () => draws.next().value;
          // Powers of two with all sorts of differences, of which many are equal.
          const costs = Float64Array.from({ length: n * k }, () => 2 ** (draw() % 7) * draw());
          // Limits around some assignment, so that there is one.
          const counts = new Array<number>(k).fill(0);
          for (let i = 0; i < n; i++) counts[draw() % k]++;
          const least = counts.map((count) => Math.max(0, count - (draw() % 3)));
          const most = counts.map((count) => count + (draw() % 3));
          const labels = assignWithin(costs, k, least, most);
          const found = new Array<number>(k).fill(0);
          let cost = 0;
          labels.forEach((label, i) => {
            found[label]++;
            cost += costs[i * k + label];
          });
          expect(found.every((count, m) => count >= least[m] && count <= most[m])).toBe(true);
          expect(cost).toBeCloseTo(exhaustive(costs, k, least, most), 6);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("the room for a group in MS-FlowFC", () => {
  it("is what balance allows, and is widened where rounding leaves too little", () => {
    expect(roomFor(100, 0.5, [60, 90], [60, 90])).toEqual({ least: [30, 45], most: [120, 180] });
    // Balance 0.9 of 0.1: ceil(0.09 * 5) three times is 3, of whom there are 2.
    const { least } = roomFor(2, 0.09, [5, 5, 5], [5, 5, 5]);
    expect(least.reduce((a, b) => a + b)).toBe(2);
    const { most } = roomFor(40, 0.9, [10, 10, 10], [10, 10, 10]);
    expect(most.reduce((a, b) => a + b)).toBe(40);
  });
});
