import { MoietyError } from "../../errors.js";
import type { Chance } from "./chance.js";
import { discreteLaplace } from "./laplace.js";
import { rootBelow } from "./rational.js";

/**
 * The variance of discrete Gaussian noise that makes a vector of whole numbers rho-zCDP.
 *
 * Promise: for data that change the vector by at most sqrt(squaredSensitivity) in Euclidean length, every Rényi
 * divergence of order a between the noisy vectors is at most a rho. Proof: Canonne, Kamath and Steinke 2020, theorem 4
 * (one coordinate: by Poisson summation the sum over x of exp(-(x - m)^2 / 2 variance) is largest at whole m, so the
 * divergence between two whole shifts is at most that of the continuous Gaussians, a shift^2 / (2 variance); coordinates
 * add up). variance >= squaredSensitivity / (2 rho), rounded up to a whole number.
 */
export function gaussianVariance(squaredSensitivity: number, rho: number): bigint {
  if (!(rho > 0 && Number.isFinite(rho) && squaredSensitivity > 0 && Number.isFinite(squaredSensitivity))) {
    throw new MoietyError("usage", `rho is ${rho}: give a number above 0, such as 0.1`);
  }
  // One part in 10^12 more covers the rounding of the division itself.
  return BigInt(Math.ceil((squaredSensitivity / (2 * rho)) * (1 + 1e-12)));
}

/** P[x] proportional to exp(-x^2 / (2 variance)), exactly (Canonne, Kamath and Steinke 2020, algorithm 3). */
export function discreteGaussian(chance: Chance, variance: bigint): bigint {
  if (variance < 1n) throw new MoietyError("failed", "the variance of discrete noise must be at least 1");
  const t = rootBelow(variance) + 1n;
  const scale = { numerator: t, denominator: 1n };
  const denominator = 2n * variance * t * t;
  for (;;) {
    const value = discreteLaplace(chance, scale);
    const size = value < 0n ? -value : value;
    // Accepted with probability exp(-(|y| - variance / t)^2 / (2 variance)).
    const gap = size * t - variance;
    if (chance.decay(gap * gap, denominator)) return value;
  }
}
