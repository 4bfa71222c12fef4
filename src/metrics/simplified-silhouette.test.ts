import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simplifiedSilhouette } from "./simplified-silhouette.js";

type Row = { point: readonly number[]; label: number };

function bruteForce(rows: readonly Row[]): number {
  const clusters = [...new Set(rows.map((row) => row.label))].map((label) => {
    const members = rows.filter((row) => row.label === label);
    const mean = members[0].point.map((_, j) => members.reduce((sum, row) => sum + row.point[j], 0) / members.length);
    return { label, size: members.length, mean };
  });
  let total = 0;
  for (const { point, label } of rows) {
    const distances = clusters.map((cluster) => ({
      ...cluster,
      distance: Math.hypot(...point.map((x, j) => x - cluster.mean[j])),
    }));
    const own = distances.find((cluster) => cluster.label === label);
    const nearest = Math.min(...distances.filter((cluster) => cluster !== own).map((cluster) => cluster.distance));
    if (own === undefined || own.size === 1) continue;
    const larger = Math.max(own.distance, nearest);
    if (larger > 0) total += (nearest - own.distance) / larger;
  }
  return total / rows.length;
}

const measure = (rows: readonly Row[], k: number) =>
  simplifiedSilhouette(
    rows[0].point.map((_, j) => Float64Array.from(rows, (row) => row.point[j])),
    Uint16Array.from(rows, (row) => row.label),
    k,
  );

// Eighths: their sums are exact, so that people who coincide with a mean do so in both computations.
const coordinate = fc.integer({ min: -80, max: 80 }).map((eighths) => eighths / 8);

describe("simplifiedSilhouette", () => {
  it("is what its definition says, for any number of dimensions, order and numbering", () => {
    const people = fc.integer({ min: 1, max: 9 }).chain((d) =>
      fc.array(fc.record({ point: fc.array(coordinate, { minLength: d, maxLength: d }), label: fc.nat(4) }), {
        minLength: 2,
        maxLength: 30,
      }),
    );
    fc.assert(
      fc.property(people, (rows) => {
        fc.pre(new Set(rows.map((row) => row.label)).size > 1);
        const expected = bruteForce(rows);
        expect(measure(rows, 5)).toBeCloseTo(expected, 6);
        expect(measure(rows.toReversed(), 5)).toBeCloseTo(expected, 6);
        expect(
          measure(
            rows.map((row) => ({ ...row, label: 2 * (4 - row.label) })),
            9,
          ),
        ).toBeCloseTo(expected, 6);
      }),
    );
  });

  it("is right over several blocks", () => {
    const rows = Array.from({ length: 1300 }, (_, i) => ({ point: [Math.sin(i), Math.cos(3 * i)], label: i % 3 }));
    expect(measure(rows, 3)).toBeCloseTo(bruteForce(rows), 10);
  });

  it("counts singletons 0, and needs two clusters", () => {
    expect(simplifiedSilhouette([Float64Array.of(0, 5)], Uint16Array.of(0, 1), 2)).toBe(0);
    expect(simplifiedSilhouette([Float64Array.of(0, 5)], Uint16Array.of(1, 1), 2)).toBeNull();
    expect(simplifiedSilhouette([Float64Array.of(1, 1, 1, 1)], Uint16Array.of(0, 0, 1, 1), 2)).toBe(0);
  });
});
