import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { chiSquare, chiSquareLimit } from "../../testing/statistics.js";
import { addInto, type Integers } from "../integers.js";
import { proveHeadroom } from "../masks/headroom.js";
import { seededBytes } from "../testing/seeded.js";
import { factorEdges } from "./factor-edges.js";
import { Blinding, smallestPositions, type TieOrder } from "./pass.js";

const key = seededBytes(5)(32);

/** What the coordinator sees of scores that are split over some parties. */
function seenOf(parts: readonly Float64Array[], rows: number, k: number, ties: TieOrder, round = 0, bits = 16) {
  const passes = parts.map(() => new Blinding(key).pass(round, rows, k, bits));
  const sum = new BigInt64Array(rows * (k - 1));
  parts.forEach((part, at) => {
    addInto(
      sum,
      passes[at]
        .load(part, { bound: 2 ** 46 })
        .blinded(at === 0 ? ties : undefined)
        .take(rows),
    );
  });
  return { sum, labels: passes[passes.length - 1].read(smallestPositions(sum, rows, k)) };
}

function plainChoice(totals: Float64Array, rows: number, k: number, ties: TieOrder): number[] {
  return Array.from({ length: rows }, (_, row) => {
    let best = ties === "index" || ties[row] === 0xffff ? 0 : ties[row];
    for (let m = 0; m < k; m++) if (totals[row * k + m] < totals[row * k + best]) best = m;
    return best;
  });
}

describe("blinded rows", () => {
  it("keep the smallest of each row, with ties to the own cluster and then to the lowest", () => {
    fc.assert(
      fc.property(
        fc.record({
          k: fc.integer({ min: 1, max: 12 }),
          rows: fc.integer({ min: 1, max: 60 }),
          parties: fc.integer({ min: 1, max: 4 }),
          range: fc.constantFrom(1, 3, 1000, 2 ** 43),
          own: fc.boolean(),
          seed: fc.nat(),
        }),
        ({ k, rows, parties, range, own, seed }) => {
          const draws = new Draws(seed);
          const ties = own
            ? Uint16Array.from({ length: rows }, () => (draws.next() < 0.1 ? 0xffff : draws.below(k)))
            : ("index" as const);
          const parts = Array.from({ length: parties }, () =>
            Float64Array.from({ length: rows * k }, () => draws.between(-range, range)),
          );
          const totals = parts[0].map((_, at) => parts.reduce((sum, part) => sum + part[at], 0));
          proveHeadroom([{ party: "all", bound: 2 * parties * range + 1 }], 2 ** 16);
          const { labels } = seenOf(parts, rows, k, ties, seed);
          expect([...labels]).toEqual(plainChoice(totals, rows, k, ties));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("do so for many rows, taken in pieces", () => {
    const [rows, k] = [30_000, 7];
    const draws = new Draws(3);
    const scores = Float64Array.from({ length: rows * k }, () => draws.below(5));
    const own = Uint16Array.from({ length: rows }, () => draws.below(k));
    const pass = new Blinding(key).pass(1, rows, k, 16);
    for (let from = 0; from < rows; from += 4096) pass.load(scores.subarray(from * k, (from + 4096) * k), { bound: 5 });
    const taken = pass.blinded(own);
    const whole = new BigInt64Array(rows * (k - 1));
    for (let at = 0; ; ) {
      const piece = taken.take(7001);
      if (piece.length === 0) break;
      whole.set(piece, at);
      at += piece.length;
    }
    expect(whole).toEqual(seenOf([scores], rows, k, own, 1).sum);
    expect([...pass.read(smallestPositions(whole, rows, k))]).toEqual(plainChoice(scores, rows, k, own));
  });

  it("hide ties: equal scores are seen as unequal", () => {
    const { sum } = seenOf([new Float64Array(1000 * 5)], 1000, 5, "index");
    expect(sum.some((difference) => difference === 0n)).toBe(false);
  });

  it("hide the factor of scores that are all multiples of one number, from whoever tries every factor", () => {
    const [rows, k, step] = [20, 6, 512];
    const draws = new Draws(7);
    const scores = Float64Array.from({ length: rows * k }, () => step * draws.below(2 ** 25));
    /** Factors that leave remainders as small as numbers that hide ties are, if they reach up to one factor only. */
    const fitting = (line: readonly number[]) => {
      let count = 0;
      for (let factor = k * k; factor < 2 ** 16; factor++) {
        const whole = step * factor;
        if (line.every((seen) => Math.abs(seen - whole * Math.round(seen / whole)) < factor)) count++;
      }
      return count;
    };
    const opened = (told: number) => {
      const pass = new Blinding(key).pass(3, rows, k, 16);
      const seen = pass
        .load(scores, { bound: 2 ** 40, step: told })
        .blinded("index")
        .take(rows);
      expect([...pass.read(smallestPositions(seen, rows, k))]).toEqual(plainChoice(scores, rows, k, "index"));
      return Array.from({ length: rows }, (_, j) =>
        [...seen.subarray(j * (k - 1), (j + 1) * (k - 1))].map(Number),
      ).filter((line) => fitting(line) > 0).length;
    };
    // Without being told, one factor fits each row; told, none does more than by chance.
    expect(opened(1)).toBe(rows);
    expect(opened(step)).toBe(0);
  });

  it("hide who is who and which cluster: every place is as likely as any other", () => {
    const [rows, k, rounds] = [6, 3, 3000];
    // Row 0 is far from the others, and its cluster 2 is the best.
    const scores = new Float64Array(rows * k).fill(50);
    scores.set([1e9, 1e9, 0], 0);
    const places = new Array<number>(rows * k).fill(0);
    const blinding = new Blinding(key);
    for (let round = 0; round < rounds; round++) {
      const seen = blinding.pass(round, rows, k, 16).load(scores, { bound: 1e9 }).blinded("index").take(rows);
      let far = 0;
      for (let j = 0; j < rows; j++) {
        const line = seen.subarray(j * (k - 1), (j + 1) * (k - 1));
        if (line.some((difference) => difference > 2n ** 30n || difference < -(2n ** 30n))) far = j;
      }
      places[far * k + smallestPositions(seen, rows, k)[far]]++;
    }
    const expected = places.map(() => rounds / (rows * k));
    expect(chiSquare(places, expected)).toBeLessThan(chiSquareLimit(rows * k - 1));
  });

  it("have fresh, log-uniform factors of at least k squared", () => {
    const [rows, k, bits] = [40_000, 4, 16];
    const scores = new Float64Array(rows * k);
    for (let row = 0; row < rows; row++) scores.set([0, 2 ** 30, 2 ** 30, 2 ** 30], row * k);
    const factorsOf = (seen: Integers) =>
      Array.from({ length: rows }, (_, j) => {
        const line = [...seen.subarray(j * (k - 1), (j + 1) * (k - 1))].map(Number);
        return (Math.max(0, ...line) - Math.min(0, ...line)) / 2 ** 30;
      });
    const first = factorsOf(seenOf([scores], rows, k, "index", 0, bits).sum);
    expect(Math.min(...first)).toBeGreaterThanOrEqual(k * k - 0.001);
    expect(Math.max(...first)).toBeLessThan(2 ** bits);
    const octaves = new Array<number>(12).fill(0);
    for (const factor of first) octaves[Math.floor(Math.log2(Math.round(factor) / (k * k)))]++;
    const expected = octaves.map(() => rows / 12);
    // Whole factors make the lowest octaves a little uneven: 16 to 31 are only 16 values.
    expect(chiSquare(octaves.slice(2), expected.slice(2))).toBeLessThan(chiSquareLimit(9));
    const again = factorsOf(seenOf([scores], rows, k, "index", 1, bits).sum);
    expect(again.filter((factor, j) => Math.round(factor) === Math.round(first[j])).length).toBeLessThan(rows / 20);
  });

  it("refuse what cannot be blinded, and rounds that were used", () => {
    expect(() => factorEdges(10, 8)).toThrow(/10 to 31 bits/);
    expect(() => factorEdges(300, 31)).toThrow(/at most 255/);
    const blinding = new Blinding(key);
    const pass = blinding.pass(4, 2, 3, 16);
    expect(() => blinding.pass(4, 2, 3, 16)).toThrow(/before/);
    expect(() => pass.load(new Float64Array(5), { bound: 1 })).toThrow(/5 scores came for 2 rows of 3/);
    expect(() => pass.load(new Float64Array(9), { bound: 1 })).toThrow(/9 scores came for 2 rows of 3/);
    [2, -2, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY].forEach((bad, at) => {
      const scores = new Float64Array(6).fill(bad, 4, 5);
      expect(() => blinding.pass(5 + at, 2, 3, 16).load(scores, { bound: 1 }), `${bad}`).toThrow(/whole number/);
    });
    expect(() => pass.load(new Float64Array(3), { bound: 1 }).blinded()).toThrow(/1 rows came, and not of 2/);
    expect(() => pass.read(Uint8Array.of(0))).toThrow(/1 positions/);
    expect(() => pass.read(Uint8Array.of(0, 3))).toThrow(/beyond/);
  });
});
