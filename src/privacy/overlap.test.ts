import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnDigest, findOverlaps } from "./overlap.js";
import { seededBytes } from "./testing/seeded.js";

const key = seededBytes(1)(32);
const hex = (values: readonly number[], under = key) => Buffer.from(columnDigest(under, values)).toString("hex");

describe("columns that two parties both hold", () => {
  it("have equal digests, also in another unit or turned round", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constant(Number.NaN)), {
          minLength: 1,
          maxLength: 30,
        }),
        (column) => {
          const digest = hex(column);
          expect(hex(column.map((value) => 0.01 * value))).toBe(digest);
          expect(hex(column.map((value) => 7 - 3 * value))).toBe(digest);
          expect(hex(column, seededBytes(2)(32))).not.toBe(digest);
        },
      ),
    );
  });

  it("have different digests when anybody differs", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 4, maxLength: 20 }), fc.nat(), (column, pick) => {
        const changed = [...column];
        const [a, b] = [pick % column.length, (pick + 1) % column.length];
        [changed[a], changed[b]] = [changed[b], changed[a]];
        expect(hex(changed)).not.toBe(hex(column));
        expect(hex(column.with(a, Number.NaN))).not.toBe(hex(column));
        expect(hex(column.with(a, column[b]))).not.toBe(hex(column));
      }),
    );
    expect(hex([0, 0, 1, 1])).not.toBe(hex([0, 1, 0, 1]));
    expect(hex([0, 1, 1])).not.toBe(hex([0, 1, 2]));
  });

  it("are used once, the first party's copy", () => {
    const held = (party: string, column: string, values: readonly number[]) => ({
      party,
      column,
      digest: columnDigest(key, values),
    });
    const age = [31, 54, 22, 40];
    const months = age.map((years) => 12 * years);
    const columns = [
      held("a", "age", age),
      held("a", "age again", age),
      held("a", "income", [4, 3, 1, 1]),
      held("b", "months", months),
      held("b", "height", [170, 165, 181, 170]),
      held("c", "age", age),
    ];
    expect(findOverlaps(columns)).toEqual([
      {
        used: { party: "a", column: "age" },
        leftOut: [
          { party: "b", column: "months" },
          { party: "c", column: "age" },
        ],
      },
    ]);
  });
});
