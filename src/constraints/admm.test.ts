import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tallyOf } from "../testing/check.js";
import { Draws } from "../testing/draws.js";
import { Admm } from "./admm.js";
import type { Bounds } from "./bounds.js";
import type { ClusterTally } from "./limits.js";

interface Duals {
  readonly theta: number[][];
  readonly u: number[][];
}

const shapes = fc.record({
  k: fc.integer({ min: 2, max: 4 }),
  groups: fc.integer({ min: 2, max: 4 }),
  n: fc.integer({ min: 12, max: 40 }),
  rho: fc.constantFrom(1e4, 1e6, 1e9),
  steps: fc.integer({ min: 0, max: 4 }),
  seed: fc.nat(1_000_000),
});

const share = ({ counts, sizes }: ClusterTally, l: number, m: number) => counts[l * sizes.length + m] / sizes[m];

/** The fairness terms of equation 24. */
function lagrangian(tally: ClusterTally, { theta, u }: Duals, rho: number): number {
  return theta
    .flatMap((row, l) =>
      row.map((target, m) => {
        const gap = target - share(tally, l, m);
        return u[l][m] * gap + (rho / 2) * gap ** 2;
      }),
    )
    .reduce((sum, term) => sum + term, 0);
}

/** Equations 31, with the shifted value clipped, and 32. */
function dualStep(tally: ClusterTally, { u }: Duals, bounds: Bounds, rho: number): Duals {
  const clip = (value: number, l: number) => Math.min(bounds.upper[l], Math.max(bounds.lower[l], value));
  const theta = u.map((row, l) => row.map((value, m) => clip(share(tally, l, m) - value / rho, l)));
  return { theta, u: u.map((row, l) => row.map((value, m) => value + rho * (theta[l][m] - share(tally, l, m)))) };
}

describe("the paper's penalty", () => {
  it("is the change of the augmented Lagrangian when a person moves", () => {
    fc.assert(
      fc.property(shapes, ({ k, groups, n, rho: first, steps, seed }) => {
        let rho = first;
        const draws = new Draws(seed);
        const codes = draws.list(n, () => draws.below(groups));
        // Nobody is alone, so that every share exists with and without the person.
        const labels = draws.list(n, (i) => (i < 3 * k ? i % k : draws.below(k)));
        const lower = draws.list(groups, () => draws.below(5) / 10);
        const bounds: Bounds = {
          attribute: "a",
          groups: lower.map((_, l) => `${l}`),
          counts: lower.map(() => 0),
          lower,
          upper: lower.map((least) => Math.min(1, least + draws.below(6) / 10)),
        };
        let tally = tallyOf(codes, labels, groups, k);
        const zero = lower.map(() => new Array<number>(k).fill(0));
        let duals = dualStep(tally, { theta: zero, u: zero }, bounds, rho);
        const admm = new Admm(bounds, k, rho, tally);
        for (let step = 0; step < steps; step++) {
          const i = draws.below(n);
          if (tally.sizes[labels[i]] > 3) labels[i] = draws.below(k);
          tally = tallyOf(codes, labels, groups, k);
          admm.step(tally);
          duals = dualStep(tally, duals, bounds, rho);
          const factor = 1 + draws.next();
          admm.raise(factor);
          rho *= factor;
        }
        const { joining, keeping } = admm.offsets(tally);
        const before = lagrangian(tally, duals, rho);
        for (let i = 0; i < n; i++) {
          for (let m = 0; m < k; m++) {
            if (m === labels[i]) continue;
            const after = labels.map((label, other) => (other === i ? m : label));
            const change = lagrangian(tallyOf(codes, after, groups, k), duals, rho) - before;
            const offered = joining[codes[i] * k + m] - keeping[codes[i] * k + labels[i]];
            // Two rounded numbers, and the rounding of large sums.
            expect(Math.abs(offered - change)).toBeLessThanOrEqual(1 + 1e-12 * rho * n);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is zero where the shares are what they should be, and pulls a group to where it lacks", () => {
    const bounds = { attribute: "a", groups: ["x", "y"], counts: [40, 40], lower: [0.4, 0.4], upper: [0.6, 0.6] };
    const tally = { counts: Float64Array.of(35, 5, 5, 35), sizes: Float64Array.of(40, 40) };
    const admm = new Admm(bounds, 2, 1e6, tally);
    const { joining, keeping } = admm.offsets(tally);
    const leave = (group: number, from: number) => joining[group * 2 + (1 - from)] - keeping[group * 2 + from];
    expect(leave(0, 0)).toBeLessThan(0);
    expect(leave(1, 1)).toBeLessThan(0);
    expect(leave(0, 1)).toBeGreaterThan(0);
    expect(leave(1, 0)).toBeGreaterThan(0);
  });

  it("stays finite for empty clusters and for people who are alone", () => {
    const bounds = { attribute: "a", groups: ["x", "y"], counts: [2, 2], lower: [0.4, 0.4], upper: [0.6, 0.6] };
    const tally = { counts: Float64Array.of(0, 1, 1, 0, 0, 2), sizes: Float64Array.of(0, 1, 3) };
    const admm = new Admm(bounds, 3, 1e6, tally);
    for (let step = 0; step < 5; step++) {
      admm.step(tally);
      const { joining, keeping } = admm.offsets(tally);
      expect([...joining, ...keeping].every(Number.isSafeInteger)).toBe(true);
    }
  });
});
