import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Range } from "../../../kernels/rows.js";
import { Stretches } from "./stretches.js";

const gaps = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 6 });

/** Ranges in order, from the gap before each and its length. */
function rangesOf(list: readonly (readonly [number, number])[]): Range[] {
  let at = 0;
  return list.map(([gap, length]) => {
    const from = at + gap;
    at = from + length;
    return { from, to: at };
  });
}

const rowsOf = ({ from, to }: Range) => Array.from({ length: to - from }, (_, i) => from + i);

describe("stretches", () => {
  it("are the people of their ranges end to end, and so is every part of them", async () => {
    await fc.assert(
      fc.asyncProperty(gaps, fc.nat(36), fc.nat(36), async (list, a, b) => {
        const ranges = rangesOf(list);
        const rows = ranges.flatMap(rowsOf);
        const people = new Stretches(ranges);
        expect(people.length).toBe(rows.length);
        for (const { range, at } of people.placed()) expect(rows[at]).toBe(range.from);
        const [from, to] = [Math.min(a, b, rows.length), Math.min(Math.max(a, b), rows.length)];
        const two = async (range: Range) => Float64Array.from(rowsOf(range).flatMap((row) => [row, -row]));
        const seen = await people.between(from, to).gather(two, Float64Array, 2);
        expect(Array.from(seen)).toEqual(rows.slice(from, to).flatMap((row) => [row, -row]));
      }),
    );
  });
});
