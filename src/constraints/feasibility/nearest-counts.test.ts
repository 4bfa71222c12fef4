import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundsFromDelta } from "../bounds.js";
import { bruteForceCounts, smallRequests } from "../testing/brute-force.js";
import { dealPeople } from "./deal-people.js";
import { nearestFeasibleCounts } from "./nearest-counts.js";
import { meetsRequest, requirementsOf } from "./request.js";

describe("nearest feasible counts", () => {
  it("moves as few people as brute force does, and none when nothing is feasible", async () => {
    await fc.assert(
      fc.asyncProperty(smallRequests(), fc.infiniteStream(fc.nat(1000)), async (request, draws) => {
        const current = scatter(request.patterns.counts, request.k, draws);
        let least = Number.POSITIVE_INFINITY;
        bruteForceCounts(request, (counts) => {
          if (meetsRequest(counts, request)) least = Math.min(least, moved(current, counts));
          return false;
        });
        const nearest = await nearestFeasibleCounts(current, request);
        expect(nearest === null).toBe(least === Number.POSITIVE_INFINITY);
        if (nearest === null) return;
        expect(meetsRequest(nearest, request)).toBe(true);
        expect(moved(current, nearest)).toBe(least);
      }),
      { numRuns: 150 },
    );
  });

  it("with a price on each cluster, moves as cheaply as brute force does", async () => {
    await fc.assert(
      fc.asyncProperty(
        smallRequests(),
        fc.infiniteStream(fc.nat(1000)),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 }),
        async (request, draws, prices) => {
          const current = scatter(request.patterns.counts, request.k, draws);
          // A price of arriving makes the cost of a matrix independent of who went where.
          const cost = (counts: Int32Array) =>
            counts.reduce((sum, c, at) => sum + Math.max(0, c - current[at]) * prices[at % request.k], 0);
          let least = Number.POSITIVE_INFINITY;
          bruteForceCounts(request, (counts) => {
            if (meetsRequest(counts, request)) least = Math.min(least, cost(counts));
            return false;
          });
          const nearest = await nearestFeasibleCounts(current, request, (_pattern, _from, to) => prices[to]);
          expect(nearest === null).toBe(least === Number.POSITIVE_INFINITY);
          if (nearest === null) return;
          expect(meetsRequest(nearest, request)).toBe(true);
          expect(cost(nearest)).toBeCloseTo(least, 6);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("repairs 200,000 people in 60 patterns and 8 clusters within seconds", async () => {
    const n = 200_000;
    let state = 1;
    const draw = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) ** 1.5 * below);
    };
    const attributes = [3, 4, 5].map((groups, a) => ({
      name: `attribute ${a}`,
      groups: Array.from({ length: groups }, (_, l) => `group ${l}`),
      codes: Uint16Array.from({ length: n }, () => draw(groups)),
    }));
    const bounds = attributes.map((attribute) => boundsFromDelta(attribute, 0.05));
    const request = requirementsOf({ n, k: 8, sizes: { min: 2, max: n }, bounds, tolerance: 1, attributes });
    const current = dealPeople(request);
    for (let move = 0; move < 200; move++) {
      const from = draw(current.length);
      const to = from - (from % 8) + draw(8);
      const people = Math.min(current[from], draw(400));
      current[from] -= people;
      current[to] += people;
    }
    expect(meetsRequest(current, request)).toBe(false);
    const nearest = await nearestFeasibleCounts(current, request);
    expect(nearest).not.toBeNull();
    expect(meetsRequest(nearest!, request)).toBe(true);
  });
});

function moved(from: Int32Array, to: Int32Array): number {
  return from.reduce((sum, count, at) => sum + Math.abs(count - to[at]), 0) / 2;
}

/** Any distribution of each pattern's people over the clusters. */
function scatter(counts: ArrayLike<number>, k: number, draws: Iterator<number>): Int32Array {
  const current = new Int32Array(counts.length * k);
  for (let p = 0; p < counts.length; p++) {
    for (let left = counts[p]; left > 0; left--) {
      current[p * k + (draws.next().value % k)] += 1;
    }
  }
  return current;
}
