import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { findBridges } from "./bridging.js";
import { type Mixture, mixtureOf } from "./mixture.js";

function randomMixture(count: number, dims: number, seed: number): Mixture {
  const draws = new Draws(seed);
  const components = Array.from({ length: count }, () => {
    const mean = Float64Array.from({ length: dims }, () => 1.6 * draws.next() - 0.8);
    const covariance = new Float64Array(dims * dims);
    const lean = Float64Array.from({ length: dims }, () => 0.15 * draws.normal());
    for (let i = 0; i < dims; i++) {
      for (let j = 0; j < dims; j++) covariance[i * dims + j] = lean[i] * lean[j] + (i === j ? 0.02 : 0);
    }
    return { weight: 1 / count, mean, covariance };
  });
  return mixtureOf(dims, components);
}

function density({ components, precisions, dims }: Mixture, x: readonly number[]): number {
  return components.reduce((sum, { weight, mean, covariance }, c) => {
    const gap = x.map((value, j) => value - mean[j]);
    let square = 0;
    for (let i = 0; i < dims; i++)
      for (let j = 0; j < dims; j++) square += gap[i] * precisions[c][i * dims + j] * gap[j];
    const determinant = dims === 2 ? covariance[0] * covariance[3] - covariance[1] * covariance[2] : covariance[0];
    return sum + (weight * Math.exp(-square / 2)) / Math.sqrt((2 * Math.PI) ** dims * determinant);
  }, 0);
}

/** The stretch of a bisector in two dimensions that is nearer to its two centres than to any other; null if none. */
function plainFace({ components }: Mixture, a: number, b: number) {
  const [p, q] = [components[a].mean, components[b].mean];
  const middle = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
  const along = [-(q[1] - p[1]) / length, (q[0] - p[0]) / length];
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  components.forEach(({ mean: r }, k) => {
    if (k === a || k === b) return;
    // |middle + t along - p|^2 <= |middle + t along - r|^2 is linear in t.
    const normal = 2 * (along[0] * (r[0] - p[0]) + along[1] * (r[1] - p[1]));
    const square = (x: Float64Array) => (middle[0] - x[0]) ** 2 + (middle[1] - x[1]) ** 2;
    const limit = square(r) - square(p);
    if (normal > 0) to = Math.min(to, limit / normal);
    else from = Math.max(from, limit / normal);
  });
  return { middle, along, from, to };
}

describe.each([3, 6, 12, 25])("bridges between %i cells in the plane", (count) => {
  it.each([1, 2, 3])("are the faces that there are, at their highest points (%i)", (seed) => {
    const mixture = randomMixture(count, 2, seed * 100 + count);
    const bridges = findBridges(mixture);
    const top = Math.max(...mixture.components.map(({ mean }) => density(mixture, [...mean])));
    for (let a = 0; a < count; a++) {
      for (let b = a + 1; b < count; b++) {
        const { middle, along, from, to } = plainFace(mixture, a, b);
        const found = bridges.find((bridge) => bridge.a === a && bridge.b === b);
        // Faces that are points, or that lie far outside the box, may go either way.
        if (to - from < -1e-6 || from > 6 || to < -6) expect(found).toBeUndefined();
        if (to - from < 1e-4 || from > 2.5 || to < -2.5) continue;
        expect(found).toBeDefined();
        let highest = 0;
        const [start, end] = [Math.max(from, -4), Math.min(to, 4)];
        for (let step = 0; step <= 2000; step++) {
          const t = start + ((end - start) * step) / 2000;
          highest = Math.max(highest, density(mixture, [middle[0] + t * along[0], middle[1] + t * along[1]]));
        }
        // A climb may end on a lower hill of the face, never above the highest.
        expect(-found!.f).toBeLessThanOrEqual(highest / top + 1e-4);
        expect(-found!.f).toBeGreaterThan(0.02 * (highest / top) - 1e-6);
      }
    }
    const exact = bridges.filter(({ a, b, f }) => {
      const { middle, along, from, to } = plainFace(mixture, a, b);
      let highest = 0;
      const [start, end] = [Math.max(from, -4), Math.min(to, 4)];
      for (let step = 0; step <= 500; step++) {
        const t = start + ((end - start) * step) / 500;
        highest = Math.max(highest, density(mixture, [middle[0] + t * along[0], middle[1] + t * along[1]]));
      }
      return -f > 0.98 * (highest / top) - 1e-6;
    });
    expect(exact.length).toBeGreaterThan(0.75 * bridges.length);
  });
});

it.each([6, 15])("projections find the same faces as the plane has, for %i cells that lie in one", (count) => {
  const flat = randomMixture(count, 2, 7 * count);
  const covariance = Float64Array.of(0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02);
  const components = flat.components.map(({ weight, mean }) => ({
    weight,
    mean: Float64Array.of(...mean, 0),
    covariance,
  }));
  const bridges = findBridges(mixtureOf(3, components));
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const { from, to } = plainFace(flat, a, b);
      const found = bridges.some((bridge) => bridge.a === a && bridge.b === b);
      if (to - from > 1e-2 && from < 2 && to > -2) expect(found).toBe(true);
      if (to - from < -1e-2) expect(found).toBe(false);
    }
  }
});

it("find bridges in many dimensions too, and between equal centres", () => {
  const bridges = findBridges(randomMixture(12, 6, 5));
  expect(bridges.length).toBeGreaterThan(30);
  for (const { f } of bridges) expect(f <= 0 && f >= -1).toBe(true);
  const [one] = randomMixture(1, 2, 1).components;
  const twice = findBridges(mixtureOf(2, [one, one]));
  expect(twice).toHaveLength(1);
  expect(twice[0].f).toBeCloseTo(-1, 6);
});
