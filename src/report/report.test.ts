import { describe, expect, it } from "vitest";
import { judge } from "../metrics/index.js";
import { formatBeyond, formatNumber, formatSeconds, formatShare } from "./format.js";
import { predictReport } from "./predict.js";
import { clusterSharesTable, type SharedResult } from "./shares.js";
import { textPairs, textTable } from "./table.js";
import { verdictSentences } from "./verdict.js";

const measured = {
  n: 30,
  sizes: [10, 20],
  groups: { sex: { F: [0.9, 0.5], M: [0.1, 0.5] } },
  bounds: { sex: { F: { min: 0.4, max: 0.6 }, M: { min: 0, max: 1 } } },
  fair: false,
  maxViolation: 3,
  tolerance: 1,
};
const result: SharedResult = { ...measured, ...judge(measured) };

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
    const table = textTable(
      [
        ["é", 1],
        ["naïve group", 10],
      ],
      [
        ["group", ([name]) => String(name)],
        ["n", ([, count]) => String(count), "right"],
      ],
    );
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

  it("shows the worst of very many clusters, and says how many others there are", () => {
    const sizes = Array.from({ length: 300 }, (_, m) => 10 + m);
    const shares = sizes.map((_, m) => (m % 30 === 7 ? 0.9 : 0.5));
    const many = { ...result, n: 47_850, sizes, groups: { sex: { F: shares, M: shares.map((share) => 1 - share) } } };
    const lines = clusterSharesTable(many).split("\n");
    expect(lines.length).toBe(2 + 25 + 2);
    // All ten that are beyond their bounds are among them.
    expect(lines.filter((line) => /^ *\d+ .* sex F +90\.0%/.test(line))).toHaveLength(10);
    expect(lines.at(-1)).toMatch(
      /^The 25 clusters .*; the other 275 of 300 are not shown: --json and --report have all/,
    );
    const bare = clusterSharesTable({ ...many, groups: {}, bounds: {} }).split("\n");
    expect(bare[2]).toMatch(/^ +0 +10 /);
    expect(bare).toHaveLength(2 + 25 + 2);
    const predicted = {
      algorithm: "lloyd",
      n: 47_850,
      k: 300,
      sizes,
      features: [],
      leftOut: [],
      seconds: { read: 0, total: 0 },
    };
    expect(predictReport(predicted, ["l.csv"]).split("\n").length).toBeLessThan(40);
  });
});

describe("the verdict in words", () => {
  const judged = (change: Partial<typeof measured>) => {
    const all = { ...measured, fair: true, ...change };
    return verdictSentences({ ...all, ...judge(all) });
  };

  it("says that it is not fair, and why", () => {
    expect(verdictSentences(result)).toEqual([
      "Not fair: 3 people beyond the bounds in the worst group and cluster (tolerance: 1 person).",
    ]);
    expect(judged({ fair: false, maxViolation: 0 })[0]).toMatch(/^Not fair: some clusters are smaller or larger/);
    expect(verdictSentences({ ...result, fair: null, verdict: null, verdictDetails: null })).toEqual([]);
  });

  it("says plainly that it is fair", () => {
    const even = { sex: { F: [0.5, 0.5], M: [0.5, 0.5] } };
    expect(judged({ groups: even, maxViolation: 0 })).toEqual([
      "Fair: every group is within its bounds in every cluster (tolerance: 1 person).",
    ]);
  });

  it("names the cells that the tolerance forgives", () => {
    expect(judged({ groups: { sex: { F: [0.7, 0.35], M: [0.3, 0.65] } }, maxViolation: 1 })).toEqual([
      "Fair to rounding: at most 1 person beyond the bounds in any group and cluster (tolerance: 1 person). Where: sex F in cluster 0 (1) and sex F in cluster 1 (1).",
    ]);
  });

  it("names the groups in the clusters where it means nothing, the size, and what asks for it", () => {
    const bounds = { sex: { F: { min: 0.09, max: 1 }, M: { min: 0.002, max: 1 } } };
    const [sentence, few] = judged({ bounds, groups: { sex: { F: [0, 0.5], M: [1, 0.5] } }, maxViolation: 0.9 });
    expect(sentence).toBe(
      "Fair without meaning: at most 0.9 people beyond the bounds in any group and cluster, but the tolerance of 1 person is as much as whole bounds ask for: sex F in cluster 0. In clusters of 12 people or more the bounds mean something: --min-size meaningful asks for that.",
    );
    expect(few).toBe("Too few for a promise in clusters of average size: sex M.");
  });
});
