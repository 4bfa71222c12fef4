import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tallyOf } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import type { Bounds } from "./bounds.js";
import {
  addBroken,
  type Changes,
  type ClusterTally,
  excessChanges,
  fairLimits,
  judgeMoves,
  type Limits,
  permitMoves,
  sizeLimits,
  totalExcess,
  worstViolation,
} from "./limits.js";

interface Situation {
  readonly k: number;
  readonly groups: number;
  readonly codes: readonly number[];
  readonly labels: readonly number[];
  readonly bounds: Bounds;
  readonly tolerance: number;
  readonly draws: Draws;
}

/** People with groups and clusters, and any bounds, which may be broken. */
const situations = fc
  .record({
    n: fc.integer({ min: 1, max: 40 }),
    k: fc.integer({ min: 1, max: 4 }),
    groups: fc.integer({ min: 2, max: 4 }),
    tolerance: fc.constantFrom(0, 0.5, 1, 3),
    seed: fc.nat(1_000_000),
  })
  .map(({ n, k, groups, tolerance, seed }): Situation => {
    const draws = new Draws(seed);
    const names = Array.from({ length: groups }, (_, l) => `group ${l}`);
    const pairs = names.map(() => [draws.below(11) / 10, draws.below(11) / 10].sort((a, b) => a - b));
    const bounds: Bounds = {
      attribute: "attribute",
      groups: names,
      counts: names.map(() => 0),
      lower: pairs.map(([lower]) => lower),
      upper: pairs.map(([, upper]) => upper),
    };
    const codes = draws.list(n, () => draws.below(groups));
    return { k, groups, codes, labels: draws.list(n, () => draws.below(k)), bounds, tolerance, draws };
  });

/** People beyond each bound in each cluster by the definition: RD (equation 12) and MP (equation 13). */
function beyondEach({ bounds, k }: Situation, { counts, sizes }: ClusterTally, tolerance: number): number[] {
  return bounds.groups.flatMap((_, l) =>
    Array.from(sizes).flatMap((size, m) => [
      Math.max(0, counts[l * k + m] - bounds.upper[l] * size - tolerance),
      Math.max(0, bounds.lower[l] * size - counts[l * k + m] - tolerance),
    ]),
  );
}

describe("limits", () => {
  it("say what the definitions of fairness say", () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { codes, labels, groups, k, bounds, tolerance } = situation;
        const tally = tallyOf(codes, labels, groups, k);
        const limits = fairLimits(bounds, tolerance);
        const sum = beyondEach(situation, tally, tolerance).reduce((total, excess) => total + excess, 0);
        expect(totalExcess(limits, tally)).toBeCloseTo(sum, 6);
        expect(worstViolation(limits, tally)).toBeCloseTo(Math.max(...beyondEach(situation, tally, 0)), 6);
      }),
      { numRuns: 500 },
    );
  });

  it("forgive the rounding of share times size, and no more", () => {
    const bounds = { attribute: "a", groups: ["x", "y"], counts: [1, 2], lower: [1 / 3, 0], upper: [1 / 3, 1] };
    const limits = fairLimits(bounds, 0);
    for (let third = 1; third <= 300; third++) {
      const exact = { counts: Float64Array.of(third, 2 * third), sizes: Float64Array.of(3 * third) };
      expect(totalExcess(limits, exact)).toBe(0);
      const one = { counts: Float64Array.of(third + 1, 2 * third - 1), sizes: Float64Array.of(3 * third) };
      expect(totalExcess(limits, one)).toBeCloseTo(1, 6);
    }
  });

  it("count sizes below the smallest and above the largest", () => {
    const tally = { counts: Float64Array.of(1, 5, 9), sizes: Float64Array.of(1, 5, 9) };
    expect(totalExcess(sizeLimits({ min: 3, max: 6 }), tally)).toBeCloseTo(2 + 3, 6);
    expect(totalExcess(sizeLimits({ min: 1, max: 9 }), tally)).toBe(0);
    expect(totalExcess(sizeLimits({ min: 2, max: Number.POSITIVE_INFINITY }), tally)).toBeCloseTo(1, 6);
  });

  it("change by what recounting shows when one person joins or leaves", () => {
    fc.assert(
      fc.property(situations, ({ codes, labels, groups, k, bounds, tolerance, draws }) => {
        const all: [Limits, number, readonly number[]][] = [
          [fairLimits(bounds, tolerance), groups, codes],
          [sizeLimits({ min: draws.between(1, 5), max: draws.between(5, 10) }), 1, codes.map(() => 0)],
        ];
        for (const [limits, count, own] of all) {
          const tally = tallyOf(own, labels, count, k);
          const before = totalExcess(limits, tally);
          const { joining, leaving } = excessChanges(limits, tally);
          for (let group = 0; group < count; group++) {
            for (let m = 0; m < k; m++) {
              const joined = tallyOf([...own, group], [...labels, m], count, k);
              expect(joining[group * k + m]).toBeCloseTo(totalExcess(limits, joined) - before, 6);
              const leaver = labels.findIndex((label, i) => label === m && own[i] === group);
              if (leaver < 0) continue;
              const without = (_: number, i: number) => i !== leaver;
              const left = tallyOf(own.filter(without), labels.filter(without), count, k);
              expect(leaving[group * k + m]).toBeCloseTo(totalExcess(limits, left) - before, 6);
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("that are insisted on count as often as there would be copies of them", () => {
    fc.assert(
      fc.property(situations, ({ codes, labels, groups, k, bounds, tolerance }) => {
        const tally = tallyOf(codes, labels, groups, k);
        const limits = fairLimits(bounds, tolerance);
        const times = new Float64Array(limits.list.length * k).fill(1);
        addBroken(limits, tally, times);
        const each = limits.list.map((limit) => ({ groups, list: [limit] }));
        const { joining } = excessChanges(limits, tally, times);
        joining.forEach((change, at) => {
          const copies = each.reduce((sum, one, index) => {
            return sum + times[index * k + (at % k)] * excessChanges(one, tally).joining[at];
          }, 0);
          expect(change).toBeCloseTo(copies, 9);
        });
        expect(times.some((count) => count > 1)).toBe(totalExcess(limits, tally) > 0);
      }),
    );
  });
});

function columnsOf(moves: readonly { readonly group: number; readonly from: number; readonly to: number }[]): Changes {
  return {
    groups: Uint16Array.from(moves, ({ group }) => group),
    from: Uint16Array.from(moves, ({ from }) => from),
    to: Uint16Array.from(moves, ({ to }) => to),
  };
}

describe("judged moves", () => {
  it("change the excess as if they happened one after another", () => {
    fc.assert(
      fc.property(situations, ({ codes, labels, groups, k, bounds, draws, tolerance }) => {
        const limits = fairLimits(bounds, tolerance);
        const moves = labels.map((from, i) => ({ group: codes[i], from, to: draws.below(k) }));
        const changes = judgeMoves(limits, tallyOf(codes, labels, groups, k), columnsOf(moves));
        const now = [...labels];
        moves.forEach(({ to }, i) => {
          const before = totalExcess(limits, tallyOf(codes, now, groups, k));
          now[i] = to;
          expect(changes[i]).toBeCloseTo(totalExcess(limits, tallyOf(codes, now, groups, k)) - before, 6);
        });
      }),
      { numRuns: 200 },
    );
  });
});

describe("permitted moves", () => {
  it("keep the limits in any part, and never make a broken one worse", () => {
    fc.assert(
      fc.property(situations, fc.boolean(), ({ codes, labels, groups, k, bounds, draws, tolerance }, kept) => {
        const tally = tallyOf(codes, labels, groups, k);
        // Half of the cases start with all limits kept, some of them only just.
        const room = worstViolation(fairLimits(bounds, 0), tally) + (draws.below(2) === 0 ? 1e-6 : 2 * draws.next());
        const fair = fairLimits(bounds, kept ? room : tolerance);
        const smallest = Math.min(...tally.sizes);
        const sizes = sizeLimits({ min: smallest - draws.below(2), max: Math.max(...tally.sizes) + draws.below(2) });
        const moves = labels.map((from, i) => ({ i, group: codes[i], from, to: draws.below(k) }));
        const asked = moves.filter(({ from, to }) => from !== to && draws.next() < 0.7);
        const byFairness = permitMoves(fair, tally, columnsOf(asked));
        const crowd = { counts: tally.sizes, sizes: tally.sizes };
        const bySize = permitMoves(sizes, crowd, { ...columnsOf(asked), groups: new Uint16Array(asked.length) });
        const permitted = asked.filter((_, index) => byFairness[index] && bySize[index]);
        const part = draws.next();
        const after = [...labels];
        for (const { i, to } of permitted) if (draws.next() < part) after[i] = to;
        const then = tallyOf(codes, after, groups, k);
        for (const limit of fair.list) {
          const alone = { groups, list: [limit] };
          for (let m = 0; m < k; m++) {
            const cluster = ({ counts, sizes: all }: ClusterTally) => ({
              counts: Float64Array.from({ length: groups }, (_, l) => counts[l * k + m]),
              sizes: all.slice(m, m + 1),
            });
            expect(totalExcess(alone, cluster(then))).toBeLessThanOrEqual(totalExcess(alone, cluster(tally)) + 1e-9);
          }
        }
        if (kept) expect(totalExcess(fair, then)).toBe(0);
        expect(totalExcess(sizes, { counts: then.sizes, sizes: then.sizes })).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  it("permit a single move exactly when it keeps the limits", () => {
    fc.assert(
      fc.property(situations, ({ codes, labels, groups, k, bounds, draws }) => {
        const tally = tallyOf(codes, labels, groups, k);
        const limits = fairLimits(bounds, worstViolation(fairLimits(bounds, 0), tally) + 1e-6 + draws.next());
        const i = draws.below(labels.length);
        const to = draws.below(k);
        if (to === labels[i]) return;
        const [permitted] = permitMoves(limits, tally, columnsOf([{ group: codes[i], from: labels[i], to }]));
        const after = labels.map((label, other) => (other === i ? to : label));
        expect(permitted).toBe(totalExcess(limits, tallyOf(codes, after, groups, k)) === 0);
      }),
      { numRuns: 500 },
    );
  });
});
