import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findKnee } from "./knee.js";

const deltas = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
const ks = [2, 3, 4, 5, 6, 7, 8, 9, 10];

describe("the knee", () => {
  it("is the corner of a curve that falls steeply and then hardly", () => {
    const y = deltas.map((delta) => (delta < 0.2 ? 100 + 500 * (0.2 - delta) : 100 + (0.5 - delta)));
    expect(findKnee({ x: deltas, y }).at).toBe(0.2);
  });

  it("of k is where clusters that exist have been found", () => {
    const y = ks.map((k) => (k < 4 ? 1000 / k : 100 / k ** 0.4));
    expect(findKnee({ x: ks, y, logarithmic: true }).at).toBe(4);
  });

  it.each([
    ["a straight line", deltas.map((delta) => 200 - 100 * delta), "too evenly"],
    ["a parabola", deltas.map((delta) => 100 + (0.5 - delta) ** 2 * 100), "too evenly"],
    ["an exponential curve", deltas.map((delta) => 100 + 100 * Math.exp(-10 * delta)), "too evenly"],
    ["a hyperbola", deltas.map((delta) => 100 + 10 / delta), "too evenly"],
    ["a curve that falls late", deltas.map((delta) => 100 - 80 * delta ** 4), "too evenly"],
    ["a flat line", deltas.map(() => 100), "hardly falls"],
    ["less than 1% in all", deltas.map((delta) => 100 + 0.05 / delta / 2), "hardly falls"],
  ])("is not clear on %s", (_, y, reason) => {
    const knee = findKnee({ x: deltas, y });
    expect(knee.at).toBeNull();
    expect(knee.reason).toContain(reason);
  });

  it("is not clear where SSE falls by a power of k, as it does without any clusters", () => {
    for (const power of [0.2, 1, 2]) {
      const y = ks.map((k) => 1000 / k ** power);
      expect(findKnee({ x: ks, y, logarithmic: true })).toMatchObject({ at: null, gap: 0 });
    }
  });

  it("needs three values", () => {
    expect(findKnee({ x: [1, 2], y: [9, 1] }).at).toBeNull();
    expect(findKnee({ x: [], y: [] }).at).toBeNull();
  });

  it("does not depend on units, and is never at an end", () => {
    const falls = fc.array(fc.double({ min: 0.001, max: 10, noNaN: true }), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(falls, fc.double({ min: 0.01, max: 1000, noNaN: true }), (steps, unit) => {
        const y = steps.map((_, i) => 1 + steps.slice(i).reduce((sum, step) => sum + step, 0));
        const x = y.map((_, i) => i + 1);
        const knee = findKnee({ x, y });
        const inUnits = findKnee({ x, y: y.map((value) => value * unit) });
        expect(inUnits.gap).toBeCloseTo(knee.gap, 2);
        expect([1, x.length]).not.toContain(knee.at);
        expect(knee.at === null).toBe(knee.reason.startsWith("no clear knee"));
      }),
    );
  });
});
