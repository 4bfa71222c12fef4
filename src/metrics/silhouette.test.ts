import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silhouette, silhouetteSamples } from "./silhouette.js";

const columns = (rows: readonly (readonly number[])[]) =>
  rows[0].map((_, j) => Float64Array.from(rows, (row) => row[j]));

const twelve = columns([
  [1.5, 2, 0.5],
  [1.8, 2.2, 0.1],
  [1.1, 1.7, 0.9],
  [5.2, 8.1, 3],
  [5.5, 7.7, 2.5],
  [4.9, 8.4, 3.3],
  [9, 1, 6],
  [8.7, 1.4, 6.6],
  [9.3, 0.8, 5.2],
  [4, 4, 4],
  [0.2, 7.5, 1.1],
  [3.3, 3.1, 2.2],
]);

/** scikit-learn 1.9.1, silhouette_samples; the tenth person is alone in cluster 3. */
const expectedSamples = [
  0.726774126534092, 0.6928852802238372, 0.6735180408218087, 0.49788205110193406, 0.4206140326762431,
  0.4861280593559224, 0.8654761502446893, 0.7973915891072754, 0.8006320150323062, 0, 0.051274138324083916,
  -0.23503108606120302,
];

/** 3000 people that anybody can write down. */
function manyPeople() {
  const n = 3000;
  const points = [
    Float64Array.from({ length: n }, (_, i) => Math.sin(i)),
    Float64Array.from({ length: n }, (_, i) => Math.cos(i * 0.7)),
    Float64Array.from({ length: n }, (_, i) => (i % 17) / 17),
  ];
  const labels = Uint16Array.from({ length: n }, (_, i) => (points[0][i] > 0 ? 1 : 0) + (points[1][i] > 0.3 ? 2 : 0));
  return { points, labels };
}

function bruteForce(rows: readonly { point: readonly number[]; label: number }[]): number[] {
  return rows.map((person, i) => {
    const means = new Map<number, number>();
    for (const label of new Set(rows.map((row) => row.label))) {
      const others = rows.filter((row, at) => row.label === label && at !== i);
      const sum = others.reduce((total, row) => total + Math.hypot(...row.point.map((x, j) => x - person.point[j])), 0);
      if (others.length > 0) means.set(label, sum / others.length);
    }
    const own = means.get(person.label);
    if (own === undefined) return 0;
    means.delete(person.label);
    const nearest = Math.min(...means.values());
    return Math.max(own, nearest) === 0 ? 0 : (nearest - own) / Math.max(own, nearest);
  });
}

describe("silhouette", () => {
  it("equals scikit-learn's, singletons included", () => {
    const labels = Uint16Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 1, 0);
    const samples = silhouetteSamples(twelve, labels, 4);
    expectedSamples.forEach((expected, i) => void expect(samples?.[i]).toBeCloseTo(expected, 12));
    const whole = silhouette(twelve, labels, 4);
    expect(whole.value).toBeCloseTo(0.48146203311341584, 12);
    expect(whole).toMatchObject({ people: 12, sampled: false });
  });

  it("skips clusters that nobody is in", () => {
    const labels = Uint16Array.of(5, 5, 5, 1, 1, 1, 9, 9, 9, 9, 1, 5);
    expect(silhouette(twelve, labels, 65536).value).toBeCloseTo(0.5542954227541506, 12);
  });

  it("equals scikit-learn's where people coincide", () => {
    const samples = silhouetteSamples([Float64Array.of(0, 0, 0, 1, 1, 3, 3)], Uint16Array.of(0, 1, 0, 1, 2, 2, 2), 3);
    [1, -1, 1, 0, -0.75, 0.6, 0.6].forEach((expected, i) => void expect(samples?.[i]).toBeCloseTo(expected, 12));
  });

  it("equals scikit-learn's on 3000 people", () => {
    const { points, labels } = manyPeople();
    expect(silhouette(points, labels, 4).value).toBeCloseTo(0.39288411944254986, 10);
  });

  it("is what its definition says, whatever the order and the numbering", () => {
    const rowsWithLabels = fc
      .array(fc.record({ point: fc.tuple(fc.nat(6), fc.nat(6)), label: fc.nat(4) }), { minLength: 2, maxLength: 25 })
      .filter((rows) => new Set(rows.map((row) => row.label)).size > 1);
    fc.assert(
      fc.property(rowsWithLabels, (rows) => {
        const samples = (people: typeof rows) =>
          silhouetteSamples(
            columns(people.map((row) => row.point)),
            Uint16Array.from(people, (row) => row.label),
            5,
          );
        const straight = samples(rows);
        const reversed = samples(rows.toReversed())?.toReversed();
        const renamed = samples(rows.map((row) => ({ ...row, label: 4 - row.label })));
        bruteForce(rows).forEach((expected, i) => {
          expect(straight?.[i]).toBeCloseTo(expected, 9);
          expect(reversed?.[i]).toBeCloseTo(expected, 9);
          expect(renamed?.[i]).toBeCloseTo(expected, 9);
        });
      }),
    );
  });

  it("has no value with fewer than two clusters", () => {
    expect(silhouette(twelve, new Uint16Array(12), 4).value).toBeNull();
    expect(silhouetteSamples([], new Uint16Array(0), 4)).toBeNull();
  });
});

describe("a sampled silhouette", () => {
  it("says so, is near the full one, and is the same again for the same seed", () => {
    const { points, labels } = manyPeople();
    const first = silhouette(points, labels, 4, { sample: 1500, seed: 7 });
    expect(first).toMatchObject({ people: 1500, sampled: true });
    expect(Math.abs((first.value ?? 0) - 0.3929)).toBeLessThan(0.02);
    expect(silhouette(points, labels, 4, { sample: 1500, seed: 7 })).toEqual(first);
    expect(silhouette(points, labels, 4, { sample: 1500, seed: 8 }).value).not.toBe(first.value);
  });

  it("takes everybody when there are few enough", () => {
    const { points, labels } = manyPeople();
    expect(silhouette(points, labels, 4, { sample: 3000 })).toEqual(silhouette(points, labels, 4));
  });
});
