// Slow: attacks on recorded messages of whole runs.
import { describe, expect, it } from "vitest";
import { seededBytes } from "../../src/privacy/testing/seeded.js";
import { Random } from "../../src/table/generators/random.js";
import { byDifferences, type CellProtection, recordCells } from "./cells.js";
import { alignedIds, byDictionary, hashedIds, possibleIds } from "./ids.js";
import { byMargins } from "./margins.js";
import { byPlaces } from "./places.js";
import { byGroups, byLeastSquares, byProjection, byRotation } from "./reconstruction.js";
import { recordRun } from "./recording.js";
import { byDivisor, byFactors, byLinks, byRatios, byRepeats } from "./rows.js";
import { byHeats } from "./tournaments.js";
import { type Protection, viewOf } from "./views.js";

const run = { n: 600, k: 6, passes: 4, seed: 1, distance: "euclidean" } as const;
const lloyd = await recordRun(run, "lloyd");
const fair = await recordRun(run, "fair");
const see = (recording: typeof lloyd, protection: Protection) => viewOf(recording, protection, seededBytes(1), 1);

describe("attacks on score tables", () => {
  it("rebuild a party's data up to rotation from plain tables, and from nothing else", () => {
    expect(byRotation(lloyd, see(lloyd, "plain"))).toBeGreaterThan(0.99);
    for (const protection of ["masked", "scaled", "blinded"] as const) {
      expect(byRotation(lloyd, see(lloyd, protection))).toBeLessThan(0.05);
    }
  });

  it("read everybody from sums with 60 known people, unless rows have factors", () => {
    expect(byLeastSquares(lloyd, see(lloyd, "plain"))).toBeGreaterThan(0.99);
    expect(byLeastSquares(lloyd, see(lloyd, "masked"))).toBeGreaterThan(0.99);
    expect(byLeastSquares(lloyd, see(lloyd, "blinded"))).toBeLessThan(0.02);
  });

  it("put people together whose Manhattan distances saturate, blinded or not, and nobody by squared ones", async () => {
    const medians = await recordRun({ ...run, distance: "manhattan" }, "lloyd");
    for (const protection of ["masked", "scaled", "blinded"] as const) {
      expect(byRepeats(lloyd, see(lloyd, protection))).toBe(0);
      expect(byRepeats(medians, see(medians, protection))).toBeGreaterThan(0);
    }
    // A party with few columns would show half of its people.
    expect(byRepeats(medians, see(medians, "plain"))).toBeGreaterThan(0.3);
    expect(byLeastSquares(medians, see(medians, "blinded"))).toBeLessThan(0.02);
  });

  it("compute anonymous people's values from known places, where a card would have too many, and not where it may be blinded", async () => {
    const at = async (k: number) => {
      const recording = await recordRun({ ...run, n: 200, k, passes: 1, held: 2 }, "places");
      return byPlaces(recording, see(recording, "blinded"), 40);
    };
    expect((await at(5)).opened).toBeGreaterThan(0.8);
    const most = await at(3);
    expect(most.opened).toBeLessThan(0.06);
    expect(Math.max(...most.explained)).toBeLessThan(0.35);
  });

  it("locate people who are alone in their combination of groups by how near they are to other clusters, and not where that is held back", async () => {
    expect(await byMargins({ n: 600, k: 6, seed: 1 }, "of all")).toBeGreaterThan(0.9);
    expect(await byMargins({ n: 600, k: 6, seed: 1 }, "held back")).toBe(0);
  });

  it("read the protected groups too", () => {
    expect(byGroups(fair, see(fair, "plain"))).toBeGreaterThan(0.6);
    expect(byGroups(fair, see(fair, "masked"))).toBeGreaterThan(0.6);
    expect(byGroups(fair, see(fair, "blinded"))).toBeLessThan(0.02);
  });

  it("see through factors alone, projectively and by divisors, but not through blinding", () => {
    for (const protection of ["plain", "masked", "scaled"] as const) {
      expect(byProjection(lloyd, see(lloyd, protection))).toBeGreaterThan(0.9);
    }
    expect(byDivisor(lloyd, see(lloyd, "scaled"))).toBeGreaterThan(0.6);
    const blinded = see(lloyd, "blinded");
    expect(byProjection(lloyd, blinded)).toBeLessThan(0.02);
    expect(byDivisor(lloyd, blinded)).toBeLessThan(0.01);
  });

  it("try every factor of rows that only distances decide, and find none", async () => {
    expect(byFactors(lloyd, see(lloyd, "scaled"), 2)).toBe(1);
    expect(byFactors(lloyd, see(lloyd, "blinded"), 2)).toBe(0);
    const polish = await recordRun({ ...run, n: 30_000 }, "polish");
    expect(byFactors(polish, see(polish, "scaled"), 2)).toBe(1);
    expect(byFactors(polish, see(polish, "blinded"), 2)).toBe(0);
    const small = await recordRun({ ...run, n: 8000, k: 12 }, "polish");
    expect(byFactors(small, see(small, "scaled"), 4)).toBeGreaterThan(0);
    expect(byFactors(small, see(small, "blinded"), 4)).toBe(0);
  });

  it("recognise few rows after centres have moved, and many at the next trial prices", () => {
    expect(byLinks(lloyd, see(lloyd, "blinded"))).toBeLessThan(0.2);
    expect(byLinks(fair, see(fair, "blinded"))).toBeGreaterThan(0.3);
  });

  it("get from sorted ratios what the documents say, and no more", () => {
    const shares = byRatios(lloyd, see(lloyd, "blinded"));
    expect(Math.max(...shares)).toBeGreaterThan(0.1);
    expect(Math.max(...shares)).toBeLessThan(0.71);
  });
});

describe("heats of a tournament", () => {
  it("give all away where they are open, and blinded what the documents say", async () => {
    expect(Math.min(...(await byHeats(lloyd, "plain", seededBytes(1))))).toBeGreaterThan(0.99);
    const shares = await byHeats(lloyd, "blinded", seededBytes(1));
    expect(Math.max(...shares)).toBeLessThan(0.35);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeLessThan(0.15);
  });
});

describe("differencing", () => {
  it("finds people in sums of every round, and nobody when they are held back", async () => {
    const found = async (protection: CellProtection) => {
      const cellRun = { k: 6, rounds: 30, protection };
      return byDifferences(await recordCells(lloyd.columns, cellRun, new Random(1, 3)));
    };
    expect(await found("plain")).toBeGreaterThan(0.01);
    expect(await found("masked")).toBeGreaterThan(0);
    expect(await found("held back")).toBe(0);
  });
});

describe("a dictionary of all ids", () => {
  it("opens plain digests, and nothing of an alignment", async () => {
    const possible = possibleIds(300);
    const sets = [0, 1, 2].map((party) => possible.filter((_, at) => (at * 7 + party) % 10 < 4));
    expect(byDictionary(possible, hashedIds(sets[0]), sets[0], seededBytes(1))).toBe(1);
    expect(byDictionary(possible, await alignedIds(sets, seededBytes(2)), sets[0], seededBytes(1))).toBe(0);
  });
});
