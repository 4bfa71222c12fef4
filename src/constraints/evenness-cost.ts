import { withinScores } from "./limits.js";

/**
 * What uneven sizes cost, in units of SSE: rho times the sum of (n_m - even)^2, rho = (1 - eta) / eta. Teb-means minimises
 * eta SSE + (1 - eta) balance loss, which is eta times (SSE + this).
 */
export interface EvennessCost {
  readonly rho: number;
  /** n / k: the size that costs nothing. */
  readonly even: number;
}

/** eta = 1 asks for nothing. */
export function evennessOf(eta: number, n: number, k: number): EvennessCost {
  return { rho: (1 - eta) / eta, even: n / k };
}

export function unevenCost({ rho, even }: EvennessCost, sizes: ArrayLike<number>): number {
  let loss = 0;
  for (let m = 0; m < sizes.length; m++) loss += (sizes[m] - even) ** 2;
  return rho * loss;
}

/**
 * How the cost changes when one person joins a cluster, and what keeping one more person costs it (equations 18 and 19,
 * with the increments 2 (n_m - n/k) +- 1 and the right sign), in whole score units.
 */
export function unevenChanges(
  { rho, even }: EvennessCost,
  sizes: Float64Array,
  scoreUnit: number,
  /** What somebody weighs; the changes are for each unit of it. */
  weight = 1,
): { joining: Float64Array; keeping: Float64Array } {
  const whole = (change: number) => withinScores(Math.round(rho * scoreUnit * change));
  return {
    joining: sizes.map((size) => whole(2 * (size - even) + weight)),
    keeping: sizes.map((size) => whole(2 * (size - even) - weight)),
  };
}
