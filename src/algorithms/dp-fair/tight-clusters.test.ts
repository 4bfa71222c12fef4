import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { innerFrom } from "./joint-cells.js";
import type { CellCensus } from "./merging.js";
import { type BalanceRule, innerOf, tightClusters, type WeighedCells } from "./tight-clusters.js";

interface KnownCells extends WeighedCells {
  readonly dims: number;
  readonly means: Float64Array;
}

function draw(cells: number, groups: readonly number[], deviation: number, seed: number): KnownCells {
  const draws = new Draws(seed);
  const dims = 2;
  const sizes = Float64Array.from({ length: cells }, () => 20 + draws.below(80));
  const attributes = groups.map((count) => {
    const counts = new Float64Array(cells * count);
    sizes.forEach((size, cell) => {
      for (let i = 0; i < size; i++)
        counts[cell * count + Math.floor(count * (draws.below(1000) / 1000) ** (cell % 3))]++;
    });
    return { groups: count, counts, deviation };
  });
  const means = Float64Array.from({ length: cells * dims }, () => draws.normal());
  return { dims, means, inner: innerOf(means, dims), census: { cells, sizes, attributes } };
}

/** The clusters' squared distances, and their least balance less the margin, written down plainly. */
function judged({ dims, means, census }: KnownCells, owner: ArrayLike<number>, k: number, rule: BalanceRule) {
  const { cells, sizes, attributes } = census;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let [sse, balance] = [0, 1];
  for (let m = 0; m < k; m++) {
    const own = Array.from({ length: cells }, (_, cell) => cell).filter((cell) => owner[cell] === m);
    const people = own.reduce((sum, cell) => sum + sizes[cell], 0);
    if (own.length === 0) return { sse: Number.POSITIVE_INFINITY, balance: 0 };
    for (let j = 0; j < dims; j++) {
      const mean = own.reduce((sum, cell) => sum + sizes[cell] * means[cell * dims + j], 0) / people;
      for (const cell of own) sse += sizes[cell] * (means[cell * dims + j] - mean) ** 2;
    }
    for (const { groups, counts, deviation } of attributes) {
      for (let l = 0; l < groups; l++) {
        const of = (some: readonly number[]) => some.reduce((sum, cell) => sum + counts[cell * groups + l], 0);
        const expected = (of([...sizes.keys()]) / total) * people;
        const room = 0.5 * (1 - rule.target);
        const margin = (some: number) => rule.deviations * deviation * Math.sqrt(some);
        const isRare = margin(cells / k) > (room * of([...sizes.keys()])) / k;
        const kept = isRare ? Math.min(margin(own.length), room * expected) : margin(own.length);
        balance = Math.min(balance, (of(own) - kept) / expected, expected / (of(own) + kept));
      }
    }
  }
  return { sse, balance };
}

function every(cells: number, k: number, visit: (owner: Uint16Array) => void): void {
  const owner = new Uint16Array(cells);
  for (let code = 0; code < k ** cells; code++) {
    for (let cell = 0, rest = code; cell < cells; cell++, rest = Math.floor(rest / k)) owner[cell] = rest % k;
    visit(owner);
  }
}

describe("whole cells in clusters", () => {
  it.each([
    [8, 2, [2], 0],
    [7, 3, [2], 1],
    [8, 2, [3, 2], 1],
  ] as const)(
    "are the tightest of all that are balanced enough: %i cells, k=%i, groups %j, noise %d",
    (cells, k, groups, noise) => {
      const rule: BalanceRule = { target: 0.8, deviations: 2 };
      let feasible = 0;
      for (let seed = 1; seed <= 12; seed++) {
        const weighed = draw(cells, groups, noise, seed);
        let least = Number.POSITIVE_INFINITY;
        every(cells, k, (owner) => {
          const { sse, balance } = judged(weighed, owner, k, rule);
          if (balance >= rule.target) least = Math.min(least, sse);
        });
        const found = tightClusters(weighed, k, rule, 1);
        const { sse, balance } = judged(weighed, found.owner, k, rule);
        expect(found.sse).toBeCloseTo(sse, 6);
        expect(found.balance).toBeCloseTo(balance, 9);
        expect(found.reached).toBe(Number.isFinite(least));
        if (!Number.isFinite(least)) continue;
        feasible++;
        expect(sse).toBeCloseTo(least, 6);
      }
      expect(feasible).toBeGreaterThan(2);
    },
  );

  it("are the cheapest where uneven sizes cost something, and more even than without", () => {
    const [cells, k] = [8, 3];
    const rule: BalanceRule = { target: 0.5, deviations: 0, uneven: 0.05 };
    let [wished, plain] = [0, 0];
    for (let seed = 1; seed <= 8; seed++) {
      const weighed = draw(cells, [2], 0, seed);
      const { sizes } = weighed.census;
      const even = sizes.reduce((sum, size) => sum + size, 0) / k;
      const loss = (owner: Uint16Array) => {
        const people = new Float64Array(k);
        owner.forEach((cluster, cell) => {
          people[cluster] += sizes[cell];
        });
        return people.reduce((sum, size) => sum + (size - even) ** 2, 0);
      };
      let least = Number.POSITIVE_INFINITY;
      every(cells, k, (owner) => {
        const { sse, balance } = judged(weighed, owner, k, rule);
        if (balance >= rule.target) least = Math.min(least, sse + rule.uneven! * loss(owner));
      });
      const found = tightClusters(weighed, k, rule, 1);
      if (!Number.isFinite(least)) continue;
      expect(found.cost).toBeCloseTo(least, 6);
      wished += loss(found.owner);
      plain += loss(tightClusters(weighed, k, { ...rule, uneven: 0 }, 1).owner);
    }
    expect(wished).toBeLessThan(plain);
  });

  it("needs no more of the cells than how far apart they are", () => {
    const rule = { target: 0.8, deviations: 2 };
    for (let seed = 1; seed <= 20; seed++) {
      const { dims, means, inner, census } = draw(12, [2, 3], 1, seed);
      const { cells, sizes } = census;
      const spacing = Float64Array.from({ length: cells * cells }, (_, at) => {
        const [a, b] = [Math.floor(at / cells), at % cells];
        return Array.from({ length: dims }, (_, j) => (means[a * dims + j] - means[b * dims + j]) ** 2).reduce(
          (sum, square) => sum + square,
        );
      });
      const apart = tightClusters({ inner: innerFrom({ sizes, spacing }), census }, 3, rule, seed);
      const known = tightClusters({ inner, census }, 3, rule, seed);
      expect(apart.sse).toBeCloseTo(known.sse, 6);
      expect(apart.balance).toBeCloseTo(known.balance, 9);
    }
  });

  it("has k clusters, also of cells that lie together or that noise has emptied", () => {
    const rule = { target: 0.8, deviations: 2 };
    const { census } = draw(6, [2], 1, 1);
    const together = { inner: () => 0, census };
    expect(new Set(tightClusters(together, 4, rule, 1).owner).size).toBe(4);
    const nobody = (count: number): Float64Array => new Float64Array(count);
    const empty: CellCensus = {
      cells: 6,
      sizes: nobody(6),
      attributes: [{ groups: 2, counts: nobody(12), deviation: 1 }],
    };
    expect(new Set(tightClusters({ ...together, census: empty }, 3, rule, 1).owner).size).toBe(3);
  });
});
