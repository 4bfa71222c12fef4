import { describe, expect, it } from "vitest";
import { asLevels, tableFromColumns } from "./index.js";
import { spellings, withNormalisedIds } from "./normalise.js";

describe("ids that are spelt differently", () => {
  it("become the same by the steps, in their order", () => {
    expect([...spellings([" AB-1 ", "ab-2"], ["trim", "lower"], "person")]).toEqual([
      ["ab-1", " AB-1 "],
      ["ab-2", "ab-2"],
    ]);
    expect([...spellings(["12-34 5", "(0) 7"], ["digits"], "person").keys()]).toEqual(["12345", "07"]);
  });

  it("keep every other column, and everybody their id", () => {
    const table = tableFromColumns({ person: ["Z9", "a1", "M5", "a1"], age: [1, 2, 3, 4] });
    const made = withNormalisedIds(table, "person", ["lower"]);
    const { codes, levels } = asLevels(made.columns[0]);
    expect(levels).toEqual(["a1", "m5", "z9"]);
    expect(Array.from(codes, (code) => levels[code])).toEqual(["z9", "a1", "m5", "a1"]);
    expect(made.columns[1]).toBe(table.columns[1]);
  });

  it("are refused where two become one, or nothing is left, without showing them", () => {
    expect(() => spellings(["Ann", "ANN", "ann"], ["lower"], "person")).toThrow(
      /^normalise: \[lower\] of 'person' makes 2 ids the same as others: give everybody an id of their own, or leave out a step$/,
    );
    expect(() => spellings(["Ann"], ["digits"], "person")).toThrow(/leaves nothing of an id/);
  });
});
