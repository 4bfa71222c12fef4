import { describe, expect, it } from "vitest";
import { daviesBouldin } from "./davies-bouldin.js";

const twelve = [
  Float64Array.of(1.5, 1.8, 1.1, 5.2, 5.5, 4.9, 9, 8.7, 9.3, 4, 0.2, 3.3),
  Float64Array.of(2, 2.2, 1.7, 8.1, 7.7, 8.4, 1, 1.4, 0.8, 4, 7.5, 3.1),
  Float64Array.of(0.5, 0.1, 0.9, 3, 2.5, 3.3, 6, 6.6, 5.2, 4, 1.1, 2.2),
];

// Expected values: scikit-learn 1.9.1, davies_bouldin_score.
describe("daviesBouldin", () => {
  it("equals scikit-learn's, with a singleton", () => {
    const labels = Uint16Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 1, 0);
    expect(daviesBouldin(twelve, labels, 4)).toBeCloseTo(0.45304970279698664, 12);
  });

  it("skips clusters that nobody is in", () => {
    const labels = Uint16Array.of(5, 5, 5, 1, 1, 1, 9, 9, 9, 9, 1, 5);
    expect(daviesBouldin(twelve, labels, 10)).toBeCloseTo(0.5537539120690532, 12);
  });

  it("equals scikit-learn's on 3000 people", () => {
    const n = 3000;
    const points = [
      Float64Array.from({ length: n }, (_, i) => Math.sin(i)),
      Float64Array.from({ length: n }, (_, i) => Math.cos(i * 0.7)),
      Float64Array.from({ length: n }, (_, i) => (i % 17) / 17),
    ];
    const labels = Uint16Array.from({ length: n }, (_, i) => (points[0][i] > 0 ? 1 : 0) + (points[1][i] > 0.3 ? 2 : 0));
    expect(daviesBouldin(points, labels, 4)).toBeCloseTo(0.8409246291424415, 10);
    const single = points.map((values) => Float32Array.from(values));
    expect(daviesBouldin(single, labels, 4)).toBeCloseTo(0.8409246291424415, 5);
  });

  it("is 0 where nothing spreads or nothing is apart, and null with one cluster", () => {
    const labels = Uint16Array.of(0, 0, 1, 1);
    expect(daviesBouldin([Float64Array.of(2, 2, 5, 5)], labels, 2)).toBe(0);
    expect(daviesBouldin([Float64Array.of(1, 3, 1, 3)], labels, 2)).toBe(0);
    expect(daviesBouldin([Float64Array.of(1, 3, 1, 3)], labels.fill(1), 2)).toBeNull();
  });

  it("does not count two clusters with the same mean against each other", () => {
    // Spreads 1, 1, 1; means 2, 2, 12: each cluster's worst ratio is 2 / 10.
    const points = [Float64Array.of(1, 3, 1, 3, 11, 13)];
    expect(daviesBouldin(points, Uint16Array.of(0, 0, 1, 1, 2, 2), 3)).toBeCloseTo(0.2, 12);
  });
});
