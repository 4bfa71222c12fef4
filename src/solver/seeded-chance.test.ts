import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chiSquare, chiSquareLimit } from "../testing/statistics.js";
import { blockSize, blocks } from "./blocks.js";
import { derive, stratifiedSample, uniform } from "./seeded-chance.js";

describe("chance", () => {
  it("is even between 0 and 1, and never either", () => {
    for (const seed of [0, 1, 2 ** 31, 2 ** 52]) {
      const bins = new Array<number>(50).fill(0);
      for (let person = 0; person < 50_000; person++) {
        const value = uniform(derive(seed, 3), person);
        if (value > 0 && value < 1) bins[Math.floor(value * 50)]++;
      }
      const expected = new Array<number>(50).fill(1000);
      expect(bins.reduce((sum, count) => sum + count, 0)).toBe(50_000);
      expect(chiSquare(bins, expected)).toBeLessThan(chiSquareLimit(49));
    }
  });

  it("has no thread between neighbours: pairs fall evenly on a grid", () => {
    const cells = new Array<number>(100).fill(0);
    for (let person = 0; person < 100_000; person += 2) {
      const [x, y] = [uniform(7, person), uniform(7, person + 1)];
      cells[Math.floor(x * 10) * 10 + Math.floor(y * 10)]++;
    }
    expect(chiSquare(cells, new Array<number>(100).fill(500))).toBeLessThan(chiSquareLimit(99));
  });

  it("derives another seed for every seed and use, also beyond 32 bits", () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 300; seed++) {
      for (let use = 0; use < 10; use++) seen.add(derive(seed, use)).add(derive(seed + 2 ** 40, use));
    }
    expect(seen.size).toBe(6000);
  });

  it("samples ascending people without repetition, one from each stretch", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(5000), fc.nat(1000), (size, extra, seed) => {
        const n = size + extra;
        const rows = stratifiedSample(n, size, seed);
        expect(rows.length).toBe(size);
        const inside = rows.every(
          (row, index) => row >= Math.floor((index * n) / size) && row < Math.floor(((index + 1) * n) / size),
        );
        expect(inside).toBe(true);
      }),
    );
  });
});

describe("blocks", () => {
  it("cover everybody once, in order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.double({ min: 0.001, max: 400, noNaN: true }), (n, block) => {
        const size = blockSize(block, n);
        let next = 0;
        for (const { from, to } of blocks(size, n)) {
          expect(from).toBe(next);
          expect(to - from).toBeGreaterThan(0);
          expect(to - from).toBeLessThanOrEqual(size);
          next = to;
        }
        expect(next).toBe(n);
      }),
    );
  });
});
