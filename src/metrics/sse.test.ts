import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusterMeans, clusterSizes, relativeError, sse } from "./sse.js";

/** People as rows, with a label below 4 each. */
const labelled = fc.array(
  fc.record({
    point: fc.tuple(
      fc.double({ min: -50, max: 50, noNaN: true }),
      fc.double({ min: -50, max: 50, noNaN: true }),
      fc.double({ min: -50, max: 50, noNaN: true }),
    ),
    label: fc.nat(3),
  }),
  { minLength: 1, maxLength: 40 },
);

type Row = { point: readonly number[]; label: number };
const dimensionsOf = (rows: readonly Row[]) => [0, 1, 2].map((j) => Float64Array.from(rows, (row) => row.point[j]));
const labelsOf = (rows: readonly Row[]) => Uint16Array.from(rows, (row) => row.label);

function bruteForce(rows: readonly Row[]): number {
  let total = 0;
  for (let m = 0; m < 4; m++) {
    const members = rows.filter((row) => row.label === m);
    for (let j = 0; j < 3; j++) {
      const mean = members.reduce((sum, row) => sum + row.point[j], 0) / members.length;
      for (const row of members) total += (row.point[j] - mean) ** 2;
    }
  }
  return total;
}

describe("sse", () => {
  it("is what its definition says", () => {
    fc.assert(
      fc.property(labelled, (rows) => {
        const value = sse(dimensionsOf(rows), labelsOf(rows), 4);
        expect(Math.abs(value - bruteForce(rows))).toBeLessThanOrEqual(1e-9 * (1 + value));
      }),
    );
  });

  it("adds up: total = within + between", () => {
    fc.assert(
      fc.property(labelled, (rows) => {
        const points = dimensionsOf(rows);
        const labels = labelsOf(rows);
        const everybody = new Uint16Array(rows.length);
        const total = sse(points, everybody, 1);
        const [middle] = clusterMeans(points, everybody, 1);
        const sizes = clusterSizes(labels, 4);
        let between = 0;
        clusterMeans(points, labels, 4).forEach((mean, m) => {
          for (let j = 0; j < 3 && sizes[m] > 0; j++) between += sizes[m] * (mean[j] - middle[j]) ** 2;
        });
        expect(Math.abs(total - sse(points, labels, 4) - between)).toBeLessThanOrEqual(1e-9 * (1 + total));
      }),
    );
  });

  it("does not care how clusters are numbered or people are ordered", () => {
    fc.assert(
      fc.property(labelled, (rows) => {
        const value = sse(dimensionsOf(rows), labelsOf(rows), 4);
        const renamed = rows.map((row) => ({ ...row, label: 3 - row.label }));
        expect(sse(dimensionsOf(renamed), labelsOf(renamed), 4)).toBe(value);
        const reversed = rows.toReversed();
        const other = sse(dimensionsOf(reversed), labelsOf(reversed), 4);
        expect(Math.abs(other - value)).toBeLessThanOrEqual(1e-9 * (1 + value));
      }),
    );
  });

  it("keeps its digits far from the origin, and over several blocks", () => {
    const n = 5000;
    const far = Float64Array.from({ length: n }, (_, i) => 1e7 + (i % 2));
    expect(sse([far], new Uint16Array(n), 1)).toBe(n / 4);
    const single = Float32Array.from({ length: n }, (_, i) => i % 2);
    expect(sse([single, far], new Uint16Array(n), 1)).toBe(n / 2);
  });

  it("is zero without dimensions and without people", () => {
    expect(sse([], Uint16Array.of(0, 1), 2)).toBe(0);
    expect(sse([new Float64Array(0)], new Uint16Array(0), 2)).toBe(0);
  });
});

describe("clusterMeans and clusterSizes", () => {
  it("give an empty cluster no mean and size 0", () => {
    const labels = Uint16Array.of(0, 2, 2);
    expect(clusterSizes(labels, 4)).toEqual([1, 0, 2, 0]);
    const means = clusterMeans([Float64Array.of(1, 2, 4), Float64Array.of(0, 5, 7)], labels, 4);
    expect(means.map((mean) => Array.from(mean))).toEqual([
      [1, 0],
      [Number.NaN, Number.NaN],
      [3, 6],
      [Number.NaN, Number.NaN],
    ]);
  });

  it("take labels up to 65535", () => {
    const sizes = clusterSizes(Uint16Array.of(65535, 0, 65535), 65536);
    expect([sizes.length, sizes[65535]]).toEqual([65536, 2]);
  });

  it("refuse labels beyond k, a wrong k, and another number of people", () => {
    expect(() => clusterSizes(Uint16Array.of(0, 3), 3)).toThrow("label 3 should be below k=3");
    expect(() => clusterSizes(Uint16Array.of(0), 0)).toThrow("k=0 should be");
    expect(() => sse([new Float64Array(3)], new Uint16Array(2), 1)).toThrow("labels=2 should equal people=3");
  });
});

describe("relativeError", () => {
  it("compares with a reference", () => {
    expect(relativeError(5881, 5505)).toBeCloseTo(1.0683, 4);
    expect(() => relativeError(1, 0)).toThrow("reference SSE=0");
  });
});
