import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patternsOf } from "./patterns.js";
import type { Constraint } from "./priced-constraint.js";

function chargeOf(codes: readonly number[]): Constraint {
  return { limits: { groups: Math.max(...codes) + 1, list: [] }, codes: Uint16Array.from(codes) };
}

const everybodyAlike: Constraint = { limits: { groups: 1, list: [] } };

describe("patterns", () => {
  it("are the combinations of groups that occur, and give everybody's groups back", () => {
    const people = fc.array(fc.tuple(fc.nat(1), fc.nat(3), fc.nat(2)), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(people, (rows) => {
        const constraints = [0, 1, 2].map((a) => chargeOf(rows.map((row) => row[a])));
        const { count, codes, groups } = patternsOf(
          [constraints[0], everybodyAlike, constraints[1], constraints[2]],
          rows.length,
        );
        expect(count).toBe(new Set(rows.map((row) => row.join())).size);
        rows.forEach((row, i) => {
          expect(groups.map((of) => of[codes[i]])).toEqual([row[0], 0, row[1], row[2]]);
        });
      }),
    );
  });

  it("are one where nothing is protected", () => {
    expect(patternsOf([], 3)).toEqual({ count: 1, codes: new Uint16Array(3), groups: [] });
    expect(patternsOf([everybodyAlike], 3).count).toBe(1);
  });

  it("are refused where they are too many to have a table for", () => {
    const n = 70_000;
    const constraints = [(i: number) => i % 300, (i: number) => Math.floor(i / 300)].map((code) =>
      chargeOf(Array.from({ length: n }, (_, i) => code(i))),
    );
    expect(() => patternsOf(constraints, n)).toThrow(/protect fewer attributes/);
  });
});
