import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowMemory } from "../../kernels/blinding.js";
import { Draws } from "../../testing/draws.js";
import { smallestPositions, type TieOrder } from "../blinding/pass.js";
import { addBytes, bytesFor, type Integers, signed } from "../integers.js";
import { seededBytes } from "../testing/seeded.js";
import { MaskedRows } from "./masked-rows.js";
import { pairKeysOfAll } from "./pair-keys.js";
import { PairwiseMasks } from "./pairwise.js";

/** What the coordinator sees of parts that are masked and packed, and what its answer means. */
function seenOf(parts: readonly Float64Array[], rows: number, width: number, ties: TieOrder, bound: number) {
  const masked = new MaskedRows(new RowMemory(), rows, width, ties);
  const bytes = bytesFor(bound);
  const sum: Integers = new BigInt64Array(rows * (width - 1));
  const names = parts.map((_, at) => `p${at}`);
  const keys = parts.length > 1 ? pairKeysOfAll(names, seededBytes(3)) : [];
  parts.forEach((part, at) => {
    const numbers = masked.differences(part, 0, { bound });
    if (parts.length > 1) new PairwiseMasks(keys[at]).mask({ round: 0, block: 0 }, numbers);
    addBytes(sum, masked.packed(numbers, bytes), bytes);
  });
  return { sum: signed(sum, bytes), chosen: masked.read(smallestPositions(sum, rows, width)) };
}

describe("masked rows", () => {
  it("keep the smallest of each row, with ties to the own cluster and then to the lowest, in as few bytes as fit", () => {
    fc.assert(
      fc.property(
        fc.record({
          width: fc.integer({ min: 2, max: 12 }),
          rows: fc.integer({ min: 1, max: 60 }),
          parties: fc.integer({ min: 1, max: 4 }),
          range: fc.constantFrom(1, 3, 1000, 2 ** 36, 2 ** 44, 2 ** 50),
          own: fc.boolean(),
          seed: fc.nat(),
        }),
        ({ width, rows, parties, range, own, seed }) => {
          const draws = new Draws(seed);
          const ties = own
            ? Uint16Array.from({ length: rows }, () => (draws.next() < 0.1 ? 0xffff : draws.below(width)))
            : ("index" as const);
          const parts = Array.from({ length: parties }, () =>
            Float64Array.from({ length: rows * width }, () => draws.between(-range, range)),
          );
          const totals = parts[0].map((_, at) => parts.reduce((sum, part) => sum + part[at], 0));
          const { chosen } = seenOf(parts, rows, width, ties, 2 * parties * range);
          const expected = Array.from({ length: rows }, (_, row) => {
            let best = ties === "index" || ties[row] === 0xffff ? 0 : ties[row];
            for (let m = 0; m < width; m++) if (totals[row * width + m] < totals[row * width + best]) best = m;
            return best;
          });
          expect([...chosen]).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("take what is beyond all numbers as the wall", () => {
    const scores = Float64Array.of(5, 2 ** 54, -(2 ** 54));
    const differences = new MaskedRows(new RowMemory(), 1, 3, "index").differences(scores, 0, { bound: 100, wall: 90 });
    expect([...differences]).toEqual([85n, -95n]);
  });

  it("refuse what is not whole or out of bounds, and answers that mean nothing", () => {
    const rows = new MaskedRows(new RowMemory(), 2, 3, "index");
    expect(() => rows.differences(new Float64Array(5), 0, { bound: 1 })).toThrow(/5 scores came for 2 rows of 3/);
    expect(() => rows.differences(new Float64Array(6), 1, { bound: 1 })).toThrow(/6 scores came for 1 rows of 3/);
    for (const bad of [2, -2, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      expect(() => rows.differences(new Float64Array(6).fill(bad, 4, 5), 0, { bound: 1 }), `${bad}`).toThrow(/whole/);
    }
    expect(() => rows.read(Uint8Array.of(0))).toThrow(/1 positions/);
    expect(() => rows.read(Uint8Array.of(0, 3))).toThrow(/beyond/);
    expect(() => bytesFor(2 ** 63)).toThrow(/must stay below 2\^63/);
    expect([1, 2 ** 38, 2 ** 40, 2 ** 46, 2 ** 50, 2 ** 56, 2 ** 62].map(bytesFor)).toEqual([5, 5, 6, 6, 7, 8, 8]);
  });
});
