import { sum } from "./labelled-points.js";

export interface Evenness {
  readonly balanceLoss: number;
  readonly cv: number;
  readonly entropy: number;
}

/**
 * Teb-means, eq. 12: the sum of (n_m - n/k)^2, in people squared and not divided by anything, so that
 * eta * SSE + (1 - eta) * balanceLoss is the paper's objective. Even sizes give 0 when k divides n, else the
 * fraction's share: r (1 - r/k) for a remainder r.
 */
export function balanceLoss(sizes: readonly number[]): number {
  const even = sum(sizes) / sizes.length;
  return sum(sizes.map((size) => (size - even) * (size - even)));
}

/**
 * Teb-means, eq. 30 as printed: k/n * sqrt(sum (n_m - n/k)^2). This is sqrt(k) times the textbook coefficient of
 * variation, and runs from 0 to sqrt(k (k - 1)). (The values in the paper's Table 7 fit neither.)
 */
export function coefficientOfVariation(sizes: readonly number[]): number {
  const people = sum(sizes);
  return people === 0 ? 0 : (sizes.length / people) * Math.sqrt(balanceLoss(sizes));
}

/** Teb-means, eq. 30: 1 when all sizes are equal, 0 when everybody is in one cluster of several. One cluster is even. */
export function normalisedEntropy(sizes: readonly number[]): number {
  const people = sum(sizes);
  if (sizes.length < 2 || people === 0) return 1;
  // x log x tends to 0: an empty cluster adds nothing. Written with n/x, so that no term is a negative zero.
  const entropy = sum(sizes.map((size) => (size > 0 ? (size / people) * Math.log(people / size) : 0)));
  return Math.min(1, entropy / Math.log(sizes.length));
}

export function evenness(sizes: readonly number[]): Evenness {
  return {
    balanceLoss: balanceLoss(sizes),
    cv: coefficientOfVariation(sizes),
    entropy: normalisedEntropy(sizes),
  };
}
