import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { type Bounds, boundsFromDelta } from "../bounds.js";
import { bruteForceCounts, smallRequests } from "../testing/brute-force.js";
import { checkFeasible, refuse } from "./check.js";
import { countPatterns, meetsRequest, type Requirements } from "./request.js";

function isFeasible(request: Requirements): boolean {
  return bruteForceCounts(request, (counts) => meetsRequest(counts, request));
}

/** One attribute, from counts and shares. */
function request(counts: number[], k: number, more: Partial<Bounds> & Partial<Requirements> = {}): Requirements {
  const n = counts.reduce((total, count) => total + count, 0);
  const groups = counts.map((_, l) => "ABCDEFGH"[l]);
  const lower = more.lower ?? counts.map((count) => (count / n) * 0.8);
  const upper = more.upper ?? counts.map((count) => Math.min(1, count / n / 0.8));
  return {
    n,
    k,
    sizes: more.sizes ?? { min: 1, max: n },
    tolerance: more.tolerance ?? 1,
    bounds: [{ attribute: "sex", groups, counts, lower, upper }],
    patterns: { codes: [groups.map((_, l) => l)], counts },
  };
}

async function messageOf(asked: Requirements): Promise<string> {
  const error = await checkFeasible(asked).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ name: "MoietyError", code: "infeasible" });
  expect(error.message).not.toContain("\n");
  return error.message;
}

describe("feasibility", () => {
  it("agrees with brute force, and advises only what is feasible", async () => {
    let refused = 0;
    let advised = 0;
    let decidedQuickly = 0;
    await fc.assert(
      fc.asyncProperty(smallRequests(), async (asked) => {
        const refusal = await refuse(asked);
        expect(refusal === null).toBe(isFeasible(asked));
        const quick = await refuse(asked, { effort: "quick" });
        if (quick !== "undecided") {
          decidedQuickly++;
          expect(quick === null).toBe(refusal === null);
        }
        if (refusal === null) return;
        if (refusal === "undecided") throw new Error("a small request was not decided");
        refused++;
        if (refusal.fixes.length > 0) advised++;
        for (const fix of refusal.fixes) expect(isFeasible(fix.request), refusal.message).toBe(true);
      }),
      { numRuns: 400 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(advised / refused).toBeGreaterThan(0.9);
    expect(decidedQuickly).toBeGreaterThan(200);
  });

  it("refuses sizes that do not fit the people", async () => {
    expect(await messageOf(request([60, 90], 4, { sizes: { min: 50, max: 150 } }))).toMatch(
      /minimum size of 50 .* k=4 .* needs 200 people, but there are 150: use a minimum size of 37 or less, or k=3$/,
    );
    expect(await messageOf(request([60, 90], 4, { sizes: { min: 1, max: 30 } }))).toMatch(
      /maximum size of 30 .* holds 120 people, but there are 150: use a maximum size of 38 or more/,
    );
    expect(await messageOf(request([60, 90], 4, { sizes: { min: 20, max: 10 } }))).toMatch(
      /minimum size 20 is above the maximum size 10: use a maximum size of 38 or more/,
    );
    // Neither alone would do, and nothing else has to change.
    expect(await messageOf(request([4, 6], 4, { sizes: { min: 3, max: 2 } }))).toMatch(
      /minimum size 3 is above the maximum size 2: use a minimum size of 2 and a maximum size of 3$/,
    );
    // Nobody asked for a maximum of all people.
    expect(await messageOf(request([60, 90], 4, { sizes: { min: 300, max: 150 } }))).toMatch(
      /minimum size of 300 .* needs 1200 people, but there are 150: use a minimum size of 37 or less$/,
    );
  });

  it("names the group whose explicit bounds the data contradict, and the nearest bounds", async () => {
    expect(await messageOf(request([30, 70], 2, { lower: [0.5, 0], upper: [1, 1], tolerance: 1 }))).toMatch(
      /sex A cannot be at least 0.5 .* 30 of 100 people \(0.3\): use a min of 0.32 or less for sex A/,
    );
    expect(await messageOf(request([30, 70], 2, { lower: [0, 0], upper: [1, 0.5], tolerance: 0 }))).toMatch(
      /sex B cannot be at most 0.5 .* use a max of 0.7 or more for sex B/,
    );
    expect(await messageOf(request([30, 70], 2, { lower: [0.6, 0.6], upper: [1, 1] }))).toMatch(/add up to 1.2, more/);
    expect(await messageOf(request([30, 70], 2, { lower: [0, 0], upper: [0.4, 0.4] }))).toMatch(/add up to 0.8, less/);
  });

  it("names a group with fewer members than clusters when the tolerance is below 1", async () => {
    const message = await messageOf(request([3, 97], 4, { tolerance: 0 }));
    expect(message).toMatch(/sex A cannot be at least 0.024 .* 3 of 100 people/);
    expect(message).toMatch(/a tolerance of 0\.\d or more/);
    expect(message).toMatch(/k=3/);
  });

  it("gives the nearest delta that whole people achieve", async () => {
    // 5 of 100 in 4 clusters of 25: one cluster has 2 of 25, so that alpha must reach 0.08 = 0.05 / (1 - 0.375).
    const message = await messageOf(request([5, 95], 4, { tolerance: 0, sizes: { min: 25, max: 25 } }));
    expect(message).toMatch(/a delta of 0\.38 or more/);
  });

  it("says where nearer requests than the one advised were not decided", async () => {
    const n = 583;
    const draws = new Draws(3);
    const attributes = [5, 6, 4].map((groups, a) => ({
      name: `attribute ${a}`,
      groups: Array.from({ length: groups }, (_, l) => `group ${l}`),
      codes: Uint16Array.from({ length: n }, () => draws.below(groups)),
    }));
    const bounds = attributes.map((attribute) => boundsFromDelta(attribute, 0.02));
    const message = await messageOf({
      n,
      k: 55,
      sizes: { min: 2, max: n },
      bounds,
      tolerance: 0.5,
      patterns: countPatterns(attributes, n),
    });
    expect(message).toMatch(/use a delta of \S+ or more \(nearer ones were not decided\)/);
  });

  it("decides one attribute at once with bounds from delta and a tolerance of one", async () => {
    const counts = [4_000_000, 900_000, 99_990, 10];
    await expect(checkFeasible(request(counts, 100, { sizes: { min: 2, max: 5_000_000 } }))).resolves.toBe(true);
  });

  it("decides for five million people, 240 patterns and 100 clusters", async () => {
    const shape = [4, 5, 12];
    const codes: number[][] = [[], [], []];
    const counts: number[] = [];
    for (let p = 0; p < 240; p++) {
      codes[0].push(p % 4);
      codes[1].push(Math.floor(p / 4) % 5);
      codes[2].push(Math.floor(p / 20));
      counts.push(Math.floor(5e6 / 240) + ((p * 7919) % 4001) - 2000);
    }
    const n = counts.reduce((total, count) => total + count, 0);
    const bounds = shape.map((groups, a): Bounds => {
      const totals = Array.from({ length: groups }, (_, l) =>
        counts.reduce((s, c, p) => s + (codes[a][p] === l ? c : 0), 0),
      );
      return {
        attribute: `attribute ${a}`,
        groups: totals.map((_, l) => `group ${l}`),
        counts: totals,
        lower: totals.map((total) => (total / n) * 0.8),
        upper: totals.map((total) => total / n / 0.8),
      };
    });
    const asked = { n, k: 100, sizes: { min: 2, max: n }, tolerance: 0, bounds, patterns: { codes, counts } };
    await expect(checkFeasible(asked)).resolves.toBe(true);
  });
});
