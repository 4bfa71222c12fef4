import { describe, expect, it } from "vitest";
import { uniform } from "../../src/solver/seeded-chance.js";
import { dual, gradientOf, lowestRisk, type Person, riskOf } from "./primal-risk.js";

const parties = [0, 1].map((party) =>
  Array.from({ length: 40 }, (_, person): Person => {
    const draw = (i: number) => 2 * uniform(party, person * 4 + i) - 1;
    return { x: [draw(0), draw(1), 1], group: person % 3 === 0 ? 1 : 0, label: draw(0) + draw(2) > 0 ? 1 : 0 };
  }),
);
const w = Float64Array.of(0.4, -0.3, 0.2);

describe("FFALM's primal risk", () => {
  it("has the gradient that differences of its values show", () => {
    const { gradient } = gradientOf(w, 0.7, parties[0]);
    gradient.forEach((slope, j) => {
      const moved = (by: number) => w.map((value, i) => value + (i === j ? by : 0));
      const rise = gradientOf(moved(1e-5), 0.7, parties[0]).value - gradientOf(moved(-1e-5), 0.7, parties[0]).value;
      expect(slope).toBeCloseTo(rise / 2e-5, 6);
    });
  });

  it("is the largest Lagrangian over lambda", () => {
    const at = (lambda: number) =>
      parties.reduce((sum, people) => sum + gradientOf(w, lambda, people).value / parties.length, 0);
    const lambdas = Array.from({ length: 21 }, (_, i) => dual.most * (i / 10 - 1));
    expect(riskOf(w, parties)).toBeCloseTo(Math.max(...lambdas.map(at)), 12);
  });

  it("is nowhere lower, near the lowest, than what is found", () => {
    const least = lowestRisk(parties);
    for (let i = 0; i < 200; i++) {
      const other = w.map((_, j) => 4 * (uniform(7, i * 3 + j) - 0.5));
      expect(riskOf(other, parties)).toBeGreaterThan(least);
    }
  });
});
