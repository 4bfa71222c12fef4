import { describe, expect, it } from "vitest";
import { balance as plainBalance } from "../../metrics/index.js";
import { Draws } from "../../testing/draws.js";
import type { Bridge } from "./bridging.js";
import { CellBalance, type CellCensus, mergeCells } from "./merging.js";
import { CellSearch } from "./refining.js";

function censusOf(rows: readonly (readonly number[])[], deviation = 0): CellCensus {
  const groups = rows[0].length;
  const sizes = Float64Array.from(rows, (row) => row.reduce((sum, count) => sum + count, 0));
  return { cells: rows.length, sizes, attributes: [{ groups, counts: Float64Array.from(rows.flat()), deviation }] };
}

function chain(length: number, f: (at: number) => number): Bridge[] {
  return Array.from({ length: length - 1 }, (_, at) => ({ a: at, b: at + 1, f: f(at) }));
}

function random(seed: number, cells: number, groups: number) {
  const draws = new Draws(seed);
  const census = censusOf(Array.from({ length: cells }, () => draws.list(groups, () => 1 + draws.below(40))));
  const bridges: Bridge[] = [];
  for (let a = 0; a < cells; a++) {
    for (let b = a + 1; b < cells; b++) if (b === a + 1 || draws.next() < 0.3) bridges.push({ a, b, f: -draws.next() });
  }
  return { census, bridges };
}

describe("balance", () => {
  it.each([2, 3, 5])("is that of the metrics, with %i groups", (groups) => {
    const { census } = random(groups, 9, groups);
    const balance = new CellBalance(census);
    const owner = [0, 1, 2, 0, 1, 2, 0, 0, 1];
    const counts = Array.from({ length: groups }, (_, l) =>
      [0, 1, 2].map((m) =>
        owner.reduce((sum, o, cell) => sum + (o === m ? census.attributes[0].counts[cell * groups + l] : 0), 0),
      ),
    );
    const sizes = [0, 1, 2].map((m) => counts.reduce((sum, group) => sum + group[m], 0));
    const plain = plainBalance([counts], sizes);
    for (let m = 0; m < 3; m++) {
      const row = new Float64Array(groups + 1);
      owner.forEach((o, cell) => {
        if (o === m)
          balance.rows[cell].forEach((value, at) => {
            row[at] += value;
          });
      });
      expect(balance.of(row)).toBeCloseTo(plain[m], 12);
    }
  });

  it("counts what is known well for more than what is not", () => {
    const rows = [
      [50, 50],
      [5, 5],
      [45, 45],
    ];
    const exact = new CellBalance(censusOf(rows));
    expect(exact.of(exact.rows[0])).toBe(exact.of(exact.rows[1]));
    const noisy = new CellBalance(censusOf(rows, 1));
    expect(noisy.of(noisy.rows[0])).toBeGreaterThan(noisy.of(noisy.rows[1]));
  });
});

describe("merging", () => {
  const rows = [
    [10, 0],
    [0, 10],
    [10, 0],
    [0, 10],
  ];

  it("goes by density alone at lambda 0, and by fairness first at lambda 10", () => {
    const balance = new CellBalance(censusOf(rows));
    // The highest density joins 0 and 2, which are of one group.
    const bridges: Bridge[] = [
      { a: 0, b: 1, f: -0.1 },
      { a: 2, b: 3, f: -0.1 },
      { a: 0, b: 2, f: -0.95 },
    ];
    expect([...mergeCells(balance, bridges, 2, { lambda: 0, smallest: 0 })]).toEqual([0, 0, 0, 1]);
    const fair = mergeCells(balance, bridges, 2, { lambda: 10, smallest: 0 });
    for (const m of [0, 1]) {
      const sum = rows.reduce(([x, y], [p, q], cell) => (fair[cell] === m ? [x + p, y + q] : [x, y]), [0, 0]);
      expect(sum[0]).toBe(sum[1]);
    }
  });

  it("merges what is too small first", () => {
    const census = censusOf([
      [50, 50],
      [1, 1],
      [50, 50],
      [50, 50],
    ]);
    const merged = mergeCells(
      new CellBalance(census),
      chain(4, (at) => (at === 2 ? -1 : -0.1)),
      3,
      { lambda: 0, smallest: 0.02 },
    );
    expect(new Set([merged[1]]).size).toBe(1);
    expect(merged[1] === merged[0] || merged[1] === merged[2]).toBe(true);
    expect(merged[3]).not.toBe(merged[2]);
  });

  it.each([1, 2, 3, 4])("gives k clusters, numbered from 0, for every k (%i)", (seed) => {
    const { census, bridges } = random(seed, 14, 3);
    const balance = new CellBalance(census);
    for (let k = 1; k <= 14; k++) {
      const owner = mergeCells(balance, bridges, k, { lambda: 3, smallest: 0.01 });
      expect([...new Set(owner)].sort((a, b) => a - b)).toEqual(Array.from({ length: k }, (_, m) => m));
    }
  });

  it("joins what does not touch only when nothing else is left", () => {
    const census = censusOf([
      [9, 1],
      [1, 9],
      [5, 5],
      [5, 5],
    ]);
    const owner = mergeCells(new CellBalance(census), [{ a: 2, b: 3, f: -0.01 }], 3, { lambda: 10, smallest: 0 });
    expect(owner[2]).toBe(owner[3]);
    expect(new Set(mergeCells(new CellBalance(census), [], 1, { lambda: 10, smallest: 0 }))).toEqual(new Set([0]));
  });
});

/** Connected parts of a cluster, by repeatedly joining cells that touch. */
function pieces(owner: ArrayLike<number>, bridges: readonly Bridge[], cluster: number): number {
  const part = Array.from(owner, (each, cell) => (each === cluster ? cell : -1));
  for (const _ of part) {
    for (const { a, b } of bridges) {
      if (part[a] >= 0 && part[b] >= 0) part[a] = part[b] = Math.min(part[a], part[b]);
    }
  }
  return new Set(part.filter((each) => each >= 0)).size;
}

describe("refining", () => {
  it.each([1, 2, 3, 4, 5])("never makes it worse, keeps k clusters, and ends where no move helps (%i)", (seed) => {
    const { census, bridges } = random(seed + 10, 12, 2);
    const balance = new CellBalance(census);
    for (const k of [2, 3, 4]) {
      const merged = mergeCells(balance, bridges, k, { lambda: 10, smallest: 0 });
      const { owner, cost } = new CellSearch(balance, bridges, merged, k, { lambda: 10, smallest: 0 }).run();
      expect(new Set(owner).size).toBe(k);
      for (let m = 0; m < k; m++) {
        expect(pieces(owner, bridges, m)).toBeLessThanOrEqual(pieces(merged, bridges, m));
      }
      const least = (of: ArrayLike<number>) => {
        const sums = Array.from({ length: k }, () => new Float64Array(3));
        for (let cell = 0; cell < 12; cell++)
          balance.rows[cell].forEach((value, at) => {
            sums[of[cell]][at] += value;
          });
        const each = sums.map((sum) => balance.of(sum));
        return Math.min(...each) + each.reduce((sum, value) => sum + value, 0) / k;
      };
      // The density's part of the cost is at most 1.
      expect(least(owner)).toBeGreaterThanOrEqual(least(merged) - 0.1);
      expect(new CellSearch(balance, bridges, owner, k, { lambda: 10, smallest: 0 }).run().cost).toBeCloseTo(cost, 9);
    }
  });
});
