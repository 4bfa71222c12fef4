// Slow: each case of the property is a sweep and its single runs.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { sse } from "../metrics/index.js";
import { worstExcess } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { growCentres } from "./grow.js";
import { sweep } from "./sweep.js";
import type { PeopleClustering } from "./types.js";

function invent(n: number, dims: number, landscape: (typeof landscapes)[number], groups: number, seed: number) {
  const draws = new Draws(seed);
  const codes = groups > 0 ? [drawCodes(n, groups, draws)] : [];
  return peopleOf(drawColumns(landscape, n, dims, codes[0] ?? drawCodes(n, 2, draws), draws), codes);
}

const worlds = fc.record({
  n: fc.integer({ min: 20, max: 200 }),
  dims: fc.integer({ min: 1, max: 3 }),
  landscape: fc.constantFrom(...landscapes),
  seed: fc.integer({ min: 0, max: 1_000_000 }),
});

describe("a sweep", () => {
  it("keeps its promises, never costs more than runs by themselves, and less where bounds are looser", async () => {
    const deltas = [0.4, 0, 0.1, 0.2];
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 2, max: 4 }), async ({ n, dims, landscape, seed }, groups) => {
        const people = invent(n, dims, landscape, groups, seed);
        const asked = { seed, threads: 1 };
        const { result, clusterings } = await sweep(people, { ...asked, k: [2, 3], delta: deltas });
        expect(result.points.map(({ k, delta }) => [k, delta])).toEqual(
          [2, 3].flatMap((k) => [0, 0.1, 0.2, 0.4].map((delta) => [k, delta])),
        );
        let before = { sse: Number.POSITIVE_INFINITY, sizes: [0] as readonly number[] };
        for (const [i, point] of result.points.entries()) {
          if (point.delta === 0) before = { sse: Number.POSITIVE_INFINITY, sizes: [0] };
          if (!point.feasible) continue;
          const { k, price } = point;
          const delta = point.delta!;
          const alone = await cluster(people, { ...asked, k, delta });
          expect(point.sse).toBeLessThanOrEqual(alone.result.sse);
          // Looser bounds mean something in larger clusters only: those of tighter ones may be too small for them.
          if (Math.min(...before.sizes) >= point.minSize) expect(point.sse).toBeLessThanOrEqual(before.sse);
          expect(Math.min(...point.sizes)).toBeGreaterThanOrEqual(point.minSize);
          expect(point.minSize).toBe(alone.result.minSize);
          expect(point.unconstrainedSse).toBeLessThanOrEqual(point.sse);
          if (price === null) expect(point.unconstrainedSse! / point.sse).toBeLessThan(1e-9);
          else expect(price).toBeGreaterThanOrEqual(0);
          expect(point.fair).toBe(true);
          const { labels, result } = clusterings[i] as PeopleClustering;
          expect(point.verdict).toBe(result.verdict);
          expect(sse(people.dimensions, labels, k)).toBe(point.sse);
          const bounds = resolveBounds(people.attributes, { delta, bounds: undefined });
          expect(worstExcess(people, bounds, labels, k)).toBeLessThanOrEqual(1 + 1e-8);
          expect(result.maxViolation).toBe(point.maxViolation);
          before = point;
        }
      }),
      { numRuns: 10 },
    );
  });

  it("warns where a run by itself warns, of each value, and of a value's own bounds", async () => {
    const people = invent(200, 2, "outliers", 3, 11);
    const asked = { seed: 3, threads: 1, minSize: 2 } as const;
    const { result, clusterings } = await sweep(people, { ...asked, k: [3, 12], delta: [0.1, 0.5] });
    const doubtful = result.points.filter((point) => point.feasible && point.verdict === "fair-without-meaning");
    expect(doubtful.length).toBeGreaterThan(0);
    for (const [i, clustering] of clusterings.entries()) {
      const { k, delta } = result.points[i];
      const told = clustering!.result.warnings.filter((warning) => warning.includes("covers whole bounds"));
      expect(told).toHaveLength(clustering!.result.verdict === "fair-without-meaning" ? 1 : 0);
      for (const warning of told) {
        expect(warning).toContain(`fewer than ${clustering!.result.verdictDetails!.meaningfulSize} people`);
        expect(
          result.warnings.filter((each) => each.endsWith(warning) && each.includes(`k ${k}, delta ${delta}`)),
        ).toHaveLength(1);
      }
    }
  });

  it("over k alone falls with every cluster more, and knows no price", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ n, dims, landscape, seed }) => {
        const people = invent(n, dims, landscape, 0, seed);
        const { result } = await sweep(people, { k: [2, 3, 5, 8], seed, threads: 1 });
        let before = Number.POSITIVE_INFINITY;
        for (const point of result.points) {
          if (!point.feasible) throw new Error("everything is feasible here");
          expect(point).toMatchObject({ delta: null, price: null, fair: null, balance: null });
          expect(point.sse).toBeLessThanOrEqual(before * (1 + 1e-6) + 1e-9);
          before = point.sse;
        }
        expect(result.knees).toHaveLength(1);
      }),
      { numRuns: 10 },
    );
  });

  it("does not depend on threads and parties", async () => {
    const people = invent(150, 3, landscapes[0], 3, 7);
    const asked = { k: [2, 4], delta: [0.05, 0.3], seed: 3 };
    const one = await sweep(people, { ...asked, threads: 1 });
    const many = await sweep(people, { ...asked, threads: 2, parties: 3 });
    expect(many.result.points).toEqual(one.result.points);
    expect(many.clusterings.map((each) => each?.labels)).toEqual(one.clusterings.map((each) => each?.labels));
  });

  it("lists what is not feasible, and fails only when nothing is", async () => {
    const people = invent(30, 2, landscapes[0], 3, 1);
    const { result, clusterings } = await sweep(people, { k: [2, 8, 40], delta: [0.2], minSize: 10, threads: 1 });
    expect(result.points.map(({ feasible }) => feasible)).toEqual([true, false, false]);
    expect(result.points[1]).toMatchObject({ reason: expect.stringContaining("minimum size of 10") });
    expect(clusterings.map((each) => each === null)).toEqual([false, true, true]);
    const none = sweep(people, { k: [8, 40], minSize: 10, threads: 1 });
    await expect(none).rejects.toMatchObject({ code: "infeasible", message: expect.stringContaining("none of the 2") });
  });

  it("over delta wants something that is protected", async () => {
    const people = invent(30, 2, landscapes[0], 0, 1);
    await expect(sweep(people, { k: [2], delta: [0.1, 0.2] })).rejects.toMatchObject({ code: "usage" });
    await expect(sweep(people, { k: [] })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("a start from given centres", () => {
  it("from where Lloyd ended stays there", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 1, max: 3 }), async ({ n, dims, landscape, seed }, parties) => {
        const people = invent(n, dims, landscape, 0, seed);
        const asked = { k: 3, algorithm: "lloyd", seed, threads: 1 } as const;
        const first = await cluster(people, asked);
        const again = await cluster(people, { ...asked, from: first.centres, parties });
        expect(again.labels).toEqual(first.labels);
        if (first.result.converged) expect(again.result.iterations).toBe(2);
      }),
      { numRuns: 20 },
    );
  });

  it("refuses centres that do not fit", async () => {
    const people = invent(30, 2, landscapes[0], 0, 1);
    const from = [new Float64Array(2), new Float64Array(3)];
    await expect(cluster(people, { k: 2, from })).rejects.toThrow(/2 centres of 2 or 3 coordinates: give k=2 .* d=2/);
  });
});

it("growing centres lowers the SSE with every split", () => {
  const people = invent(100, 2, landscapes[0], 0, 5);
  const labels = new Uint16Array(100);
  const costs = [1, 2, 4, 9].map((k) => {
    const centres = growCentres(people, labels, k);
    expect(centres).toHaveLength(k);
    let total = 0;
    for (let i = 0; i < people.n; i++) {
      total += Math.min(
        ...centres.map((centre) => centre.reduce((s, c, j) => s + (people.dimensions[j][i] - c) ** 2, 0)),
      );
    }
    return total;
  });
  expect(costs).toEqual([...costs].sort((a, b) => b - a));
});
