import { describe, expect, it } from "vitest";
import { fractions, ranges, wholeValues } from "./ranges.js";

const ks = (text: string) => wholeValues(ranges("--k")(text));
const deltas = (text: string, steps?: number) => fractions(ranges("--delta")(text), steps);

describe("values of a sweep", () => {
  it("are lists, ranges and both", () => {
    expect(ks("4")).toEqual([4]);
    expect(ks("2..5")).toEqual([2, 3, 4, 5]);
    expect(ks("8,2..4,3")).toEqual([2, 3, 4, 8]);
    expect(deltas("0.2, 0.1")).toEqual([0.1, 0.2]);
    expect(wholeValues(ranges("--k")("7", ranges("--k")("2")))).toEqual([2, 7]);
  });

  it("of a range of fractions are at round numbers, with both ends", () => {
    expect(deltas("0.05..0.5")).toEqual([0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]);
    expect(deltas("0.1..0.4")).toEqual([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]);
    expect(deltas("0..0.33")).toEqual([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.33]);
  });

  it("are as many as --steps says", () => {
    expect(deltas("0.1..0.4", 4)).toEqual([0.1, 0.2, 0.3, 0.4]);
    expect(deltas("0.1..0.4", 2)).toEqual([0.1, 0.4]);
    expect(deltas("0.05,0.1..0.3", 3)).toEqual([0.05, 0.1, 0.2, 0.3]);
  });

  it.each(["", "2..", "..5", "2..3..4", "a..b", "9..2", "0..3", "2.5", "2,,3", "1..60000"])("are not '%s'", (text) => {
    expect(() => ks(text)).toThrow(/--k/);
  });

  it.each(["1", "0.5..0.1", "-0.1..0.2", "0.1-0.5"])("of delta are not '%s'", (text) => {
    expect(() => deltas(text)).toThrow(/--delta/);
  });
});
