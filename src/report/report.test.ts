import { describe, expect, it } from "vitest";
import { formatBeyond, formatNumber, formatSeconds, formatShare } from "./format.js";
import { clusterSharesTable, fairnessSentence, type SharedResult } from "./shares.js";
import { textPairs, textTable } from "./table.js";

const result: SharedResult = {
  n: 30,
  sizes: [10, 20],
  groups: { sex: { F: [0.9, 0.5], M: [0.1, 0.5] } },
  bounds: { sex: { F: { min: 0.4, max: 0.6 }, M: { min: 0, max: 1 } } },
  fair: false,
  maxViolation: 3,
  tolerance: 1,
};

describe("text", () => {
  it("formats numbers for people", () => {
    expect([0, 12, 1234567, 1234.567, 0.0123456].map(formatNumber)).toEqual([
      "0",
      "12",
      "1,234,567",
      "1,234.6",
      "0.01235",
    ]);
    expect([0, 0.0042, 0.12345, 1].map(formatShare)).toEqual(["0.0%", "0.42%", "12.3%", "100.0%"]);
    expect([0.04, 9.94, 42, 90, 300, 20_000].map(formatSeconds)).toEqual([
      "0.0 s",
      "9.9 s",
      "42 s",
      "90 s",
      "5 min",
      "6 h",
    ]);
  });

  it("never rounds a violation down to the tolerance", () => {
    expect([0, 1, 1.001, 0.9563, 1234.5].map(formatBeyond)).toEqual(["0", "1", "1.01", "0.96", "1,234.5"]);
  });

  it("aligns columns by letters", () => {
    const table = textTable([
      { title: "group", cells: ["é", "naïve group"] },
      { title: "n", cells: ["1", "10"], align: "right" },
    ]);
    expect(table.split("\n")).toEqual(["group         n", "───────────  ──", "é             1", "naïve group  10"]);
    expect(
      textPairs([
        ["a", "1"],
        ["long", "2"],
      ]),
    ).toBe("a     1\nlong  2");
  });
});

describe("the shares of clusters", () => {
  it("shows the group furthest beyond its bounds, and never an unbounded one", () => {
    const lines = clusterSharesTable(result).split("\n");
    expect(lines[2]).toMatch(/^ +0 +10 +33\.3% +sex F +90\.0% +40\.0% to 60\.0% +3$/);
    expect(lines[3]).toMatch(/^ +1 +20 +66\.7% +sex F +50\.0% +40\.0% to 60\.0% +0$/);
  });

  it("takes 0 and 1 for no bounds", () => {
    const groups = { age: { old: [0.99, 0.99], young: [0.01, 0.01] } };
    const bounds = { age: { old: { min: 0.5, max: 1 }, young: { min: 0.008, max: 0.5 } } };
    expect(clusterSharesTable({ ...result, groups, bounds })).not.toContain("age old");
  });

  it("shows sizes alone where nothing is protected", () => {
    expect(clusterSharesTable({ ...result, groups: {}, bounds: {}, fair: null })).not.toContain("worst");
  });

  it("says in a sentence whether it is fair", () => {
    expect(fairnessSentence(result)).toBe(
      "Not fair: 3 people beyond the bounds in the worst group and cluster (tolerance: 1 person).",
    );
    expect(fairnessSentence({ ...result, fair: true, maxViolation: 0 })).toMatch(/^Fair: every group is within/);
    expect(fairnessSentence({ ...result, fair: true, maxViolation: 0.5 })).toMatch(/^Fair: at most 0\.5 people beyond/);
    expect(fairnessSentence({ ...result, fair: null })).toBeUndefined();
  });
});
