import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MoietyError } from "../errors.js";
import { assignerOf } from "../testing/assigned.js";
import { Draws } from "../testing/draws.js";
import { peopleOf } from "../testing/people.js";
import { addSpreads, chooseGrid } from "./grid.js";

/** Columns that are hard on exact arithmetic. */
const hard: Record<string, (draws: Draws, i: number) => number> = {
  "z-scores": (draws) => draws.normal(),
  "unscaled, in millions": (draws) => 1e6 * draws.next(),
  "far from the origin": (draws) => 2000 + 10 * draws.normal(),
  "minmax, mostly zero": (draws, i) => (i === 0 ? 1 : draws.next() ** 8),
  "tiny numbers": (draws) => 1e-6 * draws.normal(),
  "one far outlier": (draws, i) => (i === 0 ? 300 : draws.normal()),
};

describe("the grid", () => {
  it.each(Object.keys(hard))("makes every score a whole number below 2^53: %s", async (name) => {
    for (let seed = 1; seed <= 5; seed++) {
      const draws = new Draws(seed);
      const n = draws.between(20, 600);
      const columns = Array.from({ length: draws.between(1, 20) }, () => draws.list(n, (i) => hard[name](draws, i)));
      const people = peopleOf(columns);
      const assigner = await assignerOf(people, 3);
      for (const cluster of [0, 1, 2]) await assigner.columns.place(cluster, draws.below(n));
      for (const kind of ["nearest", "descent"] as const) {
        await assigner.prepare({ kind });
        await assigner.assign(assigner.everyone);
        await assigner.prepare({ kind });
        const scores = await assigner.scores(assigner.everyone);
        expect(scores.every((score) => Number.isSafeInteger(score) && score >= 0)).toBe(true);
      }
    }
  });

  it("is fine enough to tell people apart: at least 8 steps to a typical deviation, or it refuses", () => {
    const spreads = fc.record({
      largest: fc.double({ min: 1e-12, max: 1e18, noNaN: true }),
      part: fc.double({ min: 1e-14, max: 1, noNaN: true }),
      columns: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(spreads, ({ largest, part, columns }) => {
        const variance = largest * part;
        try {
          const { bits, weightBits, quantum } = chooseGrid({ largest, variance, columns });
          const deviation = Math.sqrt(variance / columns);
          expect(deviation * 2 ** bits).toBeGreaterThan(5.6);
          // Own weights are at most twice the others, and a distance is at most four times the largest square.
          expect(4 * largest * 2 ** (2 * bits) * 2 ** (weightBits + 1)).toBeLessThanOrEqual(2 ** 53);
          // Coordinates are kept as f32.
          expect(Math.sqrt(largest) * 2 ** bits).toBeLessThan(2 ** 24);
          expect(Number.isInteger(Math.log2(quantum))).toBe(true);
        } catch (error) {
          if (!(error instanceof MoietyError)) throw error;
          expect(error.code).toBe("input");
          expect(error.message).toMatch(/outliers/);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("does not depend on how the columns are split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ largest: fc.nat(1000), variance: fc.nat(30) }), { minLength: 1, maxLength: 8 }),
        (columns) => {
          const each = columns.map((column) => ({ ...column, largest: column.largest + 30, columns: 1 }));
          const sum = (pick: "largest" | "variance") => each.reduce((total, column) => total + column[pick], 0);
          const together = { largest: sum("largest"), variance: sum("variance"), columns: each.length };
          expect(chooseGrid(addSpreads(each))).toEqual(chooseGrid(together));
        },
      ),
    );
  });

  it("is not asked of people who are all alike", () => {
    expect(() => chooseGrid({ largest: 0, variance: 0, columns: 0 })).not.toThrow();
  });

  it("says how far the largest number is from the others, also where its square is no number", () => {
    const refused = (largest: number) => () => chooseGrid({ largest: largest ** 2, variance: 1, columns: 1 });
    expect(refused(1e5)).not.toThrow();
    expect(refused(1e9)).toThrow(/the largest number in the columns is 10\^9 times their typical deviation/);
    expect(refused(1e300)).toThrow(/is more than 10\^150 times their typical deviation/);
  });
});
