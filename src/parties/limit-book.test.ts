import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairLimits, sizeLimits } from "../constraints/limits.js";
import { Draws } from "../testing/draws.js";
import type { ScoringRule } from "./column-party.js";
import { LimitBook } from "./limit-book.js";

const rules: readonly ScoringRule[] = [
  { kind: "priced", unit: 1000 },
  { kind: "repair", unit: 1000, pressure: 1000 },
  { kind: "trade", pressure: 50 },
  { kind: "polish" },
  { kind: "nearest" },
];

/** A book of an attribute of some groups, one of two, and sizes, for patterns of all of them. */
function openBook(k: number, groups: number): LimitBook {
  const patterns = 2 * groups;
  const bounds = (count: number) => ({
    attribute: `of ${count}`,
    groups: Array.from({ length: count }, (_, l) => `g${l}`),
    counts: new Array<number>(count).fill(10),
    lower: new Array<number>(count).fill(0.8 / count),
    upper: new Array<number>(count).fill(1.2 / count),
  });
  return new LimitBook({
    k,
    patterns,
    scoreUnit: 64,
    most: 2 ** 40,
    constraints: [
      { limits: fairLimits(bounds(groups), 0.5), bounds: bounds(groups) },
      { limits: fairLimits(bounds(2), 0.5), bounds: bounds(2) },
      { limits: sizeLimits({ min: 3, max: 9 }) },
    ],
    groups: [
      Array.from({ length: patterns }, (_, p) => p >> 1),
      Array.from({ length: patterns }, (_, p) => p & 1),
      new Array<number>(patterns).fill(0),
    ],
  });
}

describe("a book of limits", () => {
  it("has the offsets of its counts and prices, whatever it was asked before", () => {
    const shapes = fc.record({
      k: fc.integer({ min: 1, max: 12 }),
      groups: fc.integer({ min: 2, max: 5 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(shapes, ({ k, groups, seed }) => {
        const draws = new Draws(seed);
        const book = openBook(k, groups);
        const counts = Float64Array.from(draws.list(2 * groups * k, () => draws.below(4)));
        const changes = [
          () => book.adjustPrices(),
          () => book.restartPrices(100, 0.25),
          () => book.insist("more"),
          () => book.insist("alike"),
          ...[1, 2, 3].map(() => () => {
            counts[draws.below(counts.length)] = draws.below(4);
            book.enter(counts);
          }),
        ];
        book.enter(counts);
        for (let turn = 0; turn < 30; turn++) {
          changes[draws.below(changes.length)]();
          const anew = openBook(k, groups);
          anew.enter(counts);
          anew.restore(book.save());
          const rule = rules[draws.below(rules.length)];
          const lines = draws.below(2);
          expect(book.offsets(rule, lines)).toEqual(anew.offsets(rule, lines));
        }
      }),
    );
  });
});
