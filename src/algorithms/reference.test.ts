// Slow: runs with and without promises, also of 150,000 people.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateTable, preparePeople } from "../table/index.js";
import { plainSse } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { methods } from "../testing/methods.js";
import { drawCodes, drawColumns, landscapes, peopleOf, tiedPeople } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { costsOf } from "./price-of-fairness.js";
import { sweep } from "./sweep.js";
import { betterFree, describeFree, matchClusters } from "./without-promises.js";

/** Those that promise something, or seek even sizes. */
const promising = methods.filter(
  ([, { algorithm }]) => !["lloyd", "cdkm", "fkm", "fkm-plus", "kfed"].includes(algorithm!),
);

describe.each(promising)("the reference of %s", (_, options) => {
  it("is never above the SSE, and there is one for whatever is asked", async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const draws = new Draws(seed);
      const n = draws.between(20, 120);
      const codes = [drawCodes(n, 2, draws)];
      const people = peopleOf(drawColumns(landscapes[seed % landscapes.length], n, 2, codes[0], draws), codes);
      const asked = {
        k: draws.between(2, 6),
        seed,
        threads: 1,
        delta: seed % 2 === 0 ? 0.2 : 0.6,
        tolerance: 2,
        ...options,
      };
      const { result } = await cluster(people, asked);
      const { cost, unconstrained } = costsOf(result);
      expect(unconstrained).not.toBeNull();
      expect(unconstrained).toBeLessThanOrEqual(cost);
    }
  });
});

describe("the reference", () => {
  it("is never above the SSE of any request that can be met", async () => {
    const request = fc.record({
      n: fc.integer({ min: 8, max: 200 }),
      landscape: fc.constantFrom(...landscapes),
      groups: fc.integer({ min: 2, max: 4 }),
      k: fc.integer({ min: 1, max: 8 }),
      delta: fc.constantFrom(0.05, 0.2, 0.5, 0.9),
      starts: fc.integer({ min: 1, max: 2 }),
      split: fc.constantFrom("columns" as const, "rows" as const),
      balance: fc.constantFrom(undefined, undefined, "hard" as const),
      seed: fc.integer({ min: 0, max: 1_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ n, landscape, groups, balance, seed, ...rest }) => {
        const draws = new Draws(seed);
        const codes = [drawCodes(n, groups, draws)];
        const people = peopleOf(drawColumns(landscape, n, 2, codes[0], draws), codes);
        const asked = { ...rest, ...(balance ? { balance } : {}), seed, parties: 2, threads: 1, tolerance: 2 };
        const { result } = await cluster(people, asked).catch(() => ({ result: undefined }));
        if (!result) return;
        expect(result.unconstrainedSse).toBeLessThanOrEqual(result.sse);
      }),
      { numRuns: 60, seed: 16 },
    );
  });

  it.each([150_000])("is one of all %i people, and not above their SSE, where a sample leads the way", async (n) => {
    const people = preparePeople(generateTable("people", { n, seed: 1 }), { protect: ["sex"], id: "person" });
    const { result } = await cluster(people, { k: 3 });
    const { result: plain } = await cluster(people, { k: 3, algorithm: "lloyd" });
    expect(result.unconstrainedSse).toBeLessThanOrEqual(result.sse);
    expect(Math.abs(result.unconstrainedSse! / plain.sse - 1)).toBeLessThan(1e-3);
  });

  it("is no worse than Lloyd from the same starts", async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const people = tiedPeople(400, 3, 1, seed);
      const asked = { k: 5, seed, starts: 2, threads: 1, effort: "quick" } as const;
      const [{ result }, { result: plain }] = [
        await cluster(people, asked),
        await cluster(people, { ...asked, algorithm: "lloyd" }),
      ];
      expect(result.unconstrainedSse).toBeLessThanOrEqual(plain.sse * (1 + 1e-9));
    }
  });

  it("is the SSE itself where no bound binds, and its shares those of the clusters", async () => {
    const { result } = await cluster(tiedPeople(300, 3, 2, 4), {
      k: 3,
      delta: 0.99,
      tolerance: 300,
      minSize: 1,
      threads: 1,
    });
    expect(result.sse / result.unconstrainedSse! - 1).toBeLessThan(1e-3);
    if (result.sse === result.unconstrainedSse) expect(result.unconstrainedGroups).toEqual(result.groups);
  });

  it("goes on from given centres too", async () => {
    const people = tiedPeople(300, 3, 2, 5);
    const { centres } = await cluster(people, { k: 3, threads: 1 });
    for (const split of ["columns", "rows"] as const) {
      const { result } = await cluster(people, { k: 3, from: centres, split, parties: 2, threads: 1 });
      expect(result.unconstrainedSse).toBeGreaterThan(0);
      expect(result.unconstrainedSse).toBeLessThanOrEqual(result.sse);
    }
  });

  it("is 0, and no price finite or not is made of it, where there are as many clusters as different people", async () => {
    const draws = new Draws(3);
    const places = [0.1, 0.7, 1.3];
    const kind = draws.list(90, () => draws.below(3));
    const column = kind.map((at) => places[at]);
    const people = peopleOf([column], [kind.map((at) => (at === 0 ? 0 : 1))]);
    for (const split of ["columns", "rows"] as const) {
      const { result } = await cluster(people, { k: 3, split, parties: 2, threads: 1 });
      expect(result.sse).toBeGreaterThan(1);
      expect(result.unconstrainedSse).toBe(0);
      expect(JSON.stringify(result)).not.toMatch(/null,"price"|Infinity/);
    }
    const curve = await sweep(people, { k: [3], delta: [0.1, 0.2], threads: 1 });
    for (const point of curve.result.points) expect(point).toMatchObject({ unconstrainedSse: 0, price: null });
  });

  it("is absent where nothing is promised", async () => {
    const people = tiedPeople(200, 3, 1, 6);
    for (const algorithm of ["lloyd", "cdkm", "fkm-plus"] as const) {
      const { result } = await cluster(people, { k: 3, algorithm, parties: 2, threads: 1 });
      expect(result.unconstrainedSse).toBeNull();
      expect(result.unconstrainedGroups).toBeUndefined();
    }
  });
});

describe("shares without promises", () => {
  it("are those of clusters with the reference's SSE, beside the clusters that they share most people with", async () => {
    const people = preparePeople(generateTable("people", { n: 2000, seed: 1 }), {
      protect: ["sex", "ethnicity"],
      id: "person",
    });
    for (const split of ["columns", "rows"] as const) {
      const { result } = await cluster(people, { k: 5, split, parties: 3, threads: 1 });
      const { unconstrainedGroups: shares, unconstrainedSizes: sizes } = result;
      expect(sizes!.reduce((sum, size) => sum + size, 0)).toBe(people.n);
      for (const { name, groups, codes } of people.attributes) {
        for (let m = 0; m < 5; m++) {
          expect(groups.reduce((sum, group) => sum + shares![name][group][m], 0)).toBeCloseTo(1, 9);
        }
        groups.forEach((group, code) => {
          const members = sizes!.reduce((sum, size, m) => sum + size * shares![name][group][m], 0);
          expect(members).toBeCloseTo(codes.filter((each) => each === code).length, 6);
        });
      }
      // The promises changed something, and not everything.
      expect(shares).not.toEqual(result.groups);
      for (const [m, size] of result.sizes.entries()) expect(Math.abs(sizes![m] - size)).toBeLessThan(0.5 * size);
    }
  });

  it("are measured as the answer is, which is the reference where it turns out to be the better one", () => {
    const people = peopleOf([[0, 0, 1, 1]], [[0, 1, 0, 1]]);
    const labels = Uint16Array.of(0, 0, 1, 1);
    const answer = { k: 2, labels, sse: plainSse(people.dimensions, labels, 2), sizes: [2, 2], groups: {} };
    const free = { unconstrainedSse: 1, freeLabels: Uint16Array.of(0, 1, 0, 1) };
    const grid = { distance: "euclidean" as const, bits: 10, sse: 2 };
    expect(describeFree(people, answer, free, grid)).toEqual({
      unconstrainedSse: 0,
      unconstrainedSizes: [2, 2],
      unconstrainedGroups: {},
    });
    // Very many people are not gone through again: on the grid the reference was half of the answer.
    const huge = describeFree({ ...people, n: 200_000 }, { ...answer, sse: 6 }, free, grid);
    expect(huge.unconstrainedSse).toBe(3);
  });

  it("of a tighter run to the same end take the numbers of the clusters that they stand beside", async () => {
    const people = tiedPeople(300, 3, 1, 8);
    const one = await cluster(people, { k: 3, threads: 1, minSize: 2 });
    // The same clusters under other numbers, and a tighter reference.
    const numbers = [2, 0, 1];
    const [name] = Object.keys(one.result.groups);
    const renumber = (values: readonly number[]) => numbers.map((_, m) => values[numbers.indexOf(m)]);
    const groups = Object.fromEntries(
      Object.entries(one.result.unconstrainedGroups![name]).map(([group, shares]) => [group, renumber(shares)]),
    );
    const other = {
      ...one,
      labels: one.labels.map((label) => numbers[label]),
      result: {
        ...one.result,
        unconstrainedSse: one.result.unconstrainedSse! / 2,
        unconstrainedSizes: renumber(one.result.unconstrainedSizes!),
        unconstrainedGroups: { [name]: groups },
      },
    };
    const { unconstrainedSizes, unconstrainedGroups } = one.result;
    const unconstrainedSse = one.result.unconstrainedSse! / 2;
    expect(betterFree(one, other)).toEqual({ unconstrainedSse, unconstrainedSizes, unconstrainedGroups });
    expect(betterFree(other, one)).toEqual({
      unconstrainedSse,
      unconstrainedSizes: other.result.unconstrainedSizes,
      unconstrainedGroups: other.result.unconstrainedGroups,
    });
  });

  it("have the numbers of the clusters that they overlap most with, each number once", () => {
    const labels = Uint16Array.of(0, 0, 0, 1, 1, 2, 2, 2);
    const others = Uint16Array.of(2, 2, 2, 2, 0, 1, 1, 0);
    expect(Array.from(matchClusters(labels, others, 3))).toEqual([0, 0, 0, 0, 1, 2, 2, 1]);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1 }), (pairs) => {
        const [mine, theirs] = [0, 1].map((at) => Uint16Array.from(pairs, (pair) => pair[at]));
        const matched = matchClusters(mine, theirs, 5);
        expect(Array.from(matchClusters(mine, mine, 5))).toEqual(Array.from(mine));
        const numbers = new Map(Array.from(theirs, (label, i) => [label, matched[i]]));
        expect(new Set(numbers.values()).size).toBe(new Set(theirs).size);
      }),
    );
  });
});
