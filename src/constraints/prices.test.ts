import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tallyOf } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import type { Bounds } from "./bounds.js";
import { fairLimits, type Limits, sizeLimits, totalExcess } from "./limits.js";
import { Prices } from "./prices.js";

function boundsOf(lower: readonly number[], upper: readonly number[]): Bounds {
  return { attribute: "a", groups: lower.map((_, l) => `${l}`), counts: lower.map(() => 0), lower, upper };
}

/** The prices' own part of the dual value: what is gained for certain by what the limits allow. */
function constantPart({ limits, k, values }: Prices): number {
  return values.reduce((sum, price, at) => sum + price * limits.list[Math.floor(at / k)].constant, 0);
}

function* labelings(n: number, k: number): Generator<number[]> {
  for (let number = 0; number < k ** n; number++) {
    yield Array.from({ length: n }, (_, i) => Math.floor(number / k ** i) % k);
  }
}

describe("prices", () => {
  it("give a lower bound on the cost of every assignment that keeps the limits, whatever they are", () => {
    const cases = fc.record({
      n: fc.integer({ min: 1, max: 6 }),
      k: fc.integer({ min: 1, max: 3 }),
      tolerance: fc.constantFrom(0, 0.5, 1),
      dearest: fc.constantFrom(0, 1e5, 1e6, 1e7),
      seed: fc.nat(1_000_000),
    });
    fc.assert(
      fc.property(cases, ({ n, k, tolerance, dearest, seed }) => {
        const draws = new Draws(seed);
        const holders = [2, 3].map((groups) => {
          const pairs = draws.list(groups, () => draws.below(6) / 10);
          const limits = fairLimits(
            boundsOf(
              pairs,
              pairs.map((lower) => Math.min(1, lower + draws.below(8) / 10)),
            ),
            tolerance,
          );
          return { limits, groups, codes: draws.list(n, () => draws.below(groups)) };
        });
        const sizes = sizeLimits({ min: draws.below(3), max: draws.between(2, 6) });
        const all = [...holders, { limits: sizes, groups: 1, codes: new Array<number>(n).fill(0) }];
        const cost = Array.from({ length: n }, () => draws.list(k, () => draws.below(1e6)));
        const prices = all.map(({ limits }) => {
          const each = new Prices(limits, k);
          each.values.set(draws.list(each.values.length, () => (draws.below(2) ? 0 : draws.next() * dearest)));
          return each;
        });
        const offsets = prices.map((each) => each.offsets());
        let dual = prices.reduce((sum, each) => sum + constantPart(each), 0);
        for (let i = 0; i < n; i++) {
          const scores = cost[i].map(
            (distance, m) => distance + all.reduce((sum, { codes }, h) => sum + offsets[h][codes[i] * k + m], 0),
          );
          dual += Math.min(...scores);
        }
        // Offsets are rounded, by a half for each person and holder at most.
        const rounding = (n * all.length) / 2 + 1e-3;
        for (const labels of labelings(n, k)) {
          const kept = all.every(
            ({ limits, groups, codes }) => totalExcess(limits, tallyOf(codes, labels, groups, k)) === 0,
          );
          if (!kept) continue;
          const total = labels.reduce((sum, m, i) => sum + cost[i][m], 0);
          expect(dual).toBeLessThanOrEqual(total + rounding);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("make everybody pay the shares, and members their part: (1 - alpha) lambda + (beta - 1) mu", () => {
    const limits = fairLimits(boundsOf([0.2, 0], [0.6, 0.9]), 1);
    const prices = new Prices(limits, 2);
    // The order of the limits is that of the groups, upper before lower; the last group has no lower bound to keep.
    const [lambda0, mu0, lambda1] = [1000, 500, 300];
    prices.values.set([lambda0, 0, mu0, 0, lambda1, 0]);
    expect(Array.from(prices.offsets())).toEqual([
      (1 - 0.6) * lambda0 + (0.2 - 1) * mu0 - 0.9 * lambda1,
      0,
      -0.6 * lambda0 + 0.2 * mu0 + (1 - 0.9) * lambda1,
      0,
    ]);
  });

  it("rise while a limit is broken, fall while there is room, and are never below 0", () => {
    const limits: Limits = sizeLimits({ min: 2, max: 8 });
    const prices = new Prices(limits, 2);
    prices.restart(10, 0);
    const uneven = { counts: Float64Array.of(1, 9), sizes: Float64Array.of(1, 9) };
    prices.adjust(uneven);
    const [small, , , large] = prices.values;
    expect([small, large]).toEqual([10, 10]);
    prices.adjust(uneven);
    expect(prices.values[0]).toBeGreaterThan(2 * small);
    const even = { counts: Float64Array.of(5, 5), sizes: Float64Array.of(5, 5) };
    for (let query = 0; query < 50; query++) prices.adjust(even);
    expect(Array.from(prices.values)).toEqual([0, 0, 0, 0]);
    expect(prices.maxPrice()).toBe(0);
  });

  it.each(["each", "together"] as const)(
    "find the split of least cost: people on a line, the groups at its two ends (%s)",
    (how) => {
      const n = 400;
      const place = (i: number) => i / n;
      const codes = Array.from({ length: n }, (_, i) => (i < n / 2 ? 0 : 1));
      const limits = fairLimits(boundsOf([0.4, 0.4], [0.6, 0.6]), 1);
      const prices = new Prices(limits, 2);
      prices.restart(1e5, 0, how);
      const assign = () => {
        const offsets = prices.offsets();
        return codes.map((code, i) => {
          const left = 1e6 * place(i) ** 2 + offsets[code * 2];
          return left <= 1e6 * (1 - place(i)) ** 2 + offsets[code * 2 + 1] ? 0 : 1;
        });
      };
      let least = Number.POSITIVE_INFINITY;
      let before: number[] | undefined;
      // Together they take few looks at the people.
      for (let query = 0; query < (how === "each" ? 100 : 12); query++) {
        const labels = assign();
        const flows = before && new Float64Array(2 * 2 * 2);
        labels.forEach((to, i) => {
          if (flows && before![i] !== to) flows[(codes[i] * 2 + before![i]) * 2 + to]++;
        });
        before = labels;
        const tally = tallyOf(codes, labels, 2, 2);
        least = Math.min(least, totalExcess(limits, tally));
        // Another process goes on from what was kept.
        if (query === 5) {
          const kept = structuredClone(prices.save());
          prices.restart(1, 0.5);
          prices.restore(kept);
        }
        prices.adjust(tally, flows);
      }
      expect(least).toBeLessThanOrEqual(2);
    },
  );
});
