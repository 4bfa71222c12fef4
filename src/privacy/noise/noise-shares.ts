import { MoietyError } from "../../errors.js";
import type { Chance } from "./chance.js";
import { discreteGaussian } from "./gaussian.js";
import { geometric } from "./laplace.js";
import type { Rational } from "./rational.js";

/** Noise that several parties make together, each adding its share before anything leaves it. */
export interface Sharing {
  /** How many add a share. */
  readonly parties: number;
  /** How many of them may pool what they know: the others' shares alone are noise enough. */
  readonly colluding: number;
}

export const alone: Sharing = { parties: 1, colluding: 0 };

function honest({ parties, colluding }: Sharing): number {
  if (!(Number.isInteger(parties) && Number.isInteger(colluding) && colluding >= 0 && colluding < parties)) {
    throw new MoietyError("usage", `${colluding} of ${parties} parties colluding leave no honest party to add noise`);
  }
  return parties - colluding;
}

/**
 * One party's share of discrete Laplace noise: the difference of two negative-binomial draws NB(1/H, q), q =
 * exp(-1 / scale), H the honest parties.
 *
 * Promise: the sum of H shares is exactly discrete Laplace of this scale; further shares are independent of it and only
 * add to the noise, so the promise of `laplaceScale` holds. Proof: NB(a, q) and NB(b, q) sum to NB(a + b, q) (their
 * generating functions ((1 - q) / (1 - q s))^a multiply), so H draws sum to NB(1, q), the geometric distribution, and the
 * difference of two geometric ones is discrete Laplace.
 */
export function laplaceShare(chance: Chance, scale: Rational, sharing: Sharing): bigint {
  const parts = BigInt(honest(sharing));
  return negativeBinomial(chance, scale, parts) - negativeBinomial(chance, scale, parts);
}

/**
 * NB(1/parts, q) exactly, by rejection from the geometric distribution: P[k] is that of the geometric one times the product over
 * j = 1 to k of (j - 1 + 1/parts) / j, up to a constant; every factor is a fraction of at most 1.
 */
export function negativeBinomial(chance: Chance, scale: Rational, parts: bigint): bigint {
  draw: for (;;) {
    const size = geometric(chance, scale);
    if (parts === 1n) return size;
    for (let j = 1n; j <= size; j++) if (!chance.fraction((j - 1n) * parts + 1n, j * parts)) continue draw;
    return size;
  }
}

/**
 * One party's share of Gaussian noise: discrete Gaussian of variance `variance` / H, rounded up.
 *
 * Promise: the sum of H shares is within a factor of exp(`gaussianSlack`) of discrete Gaussian of at least this variance,
 * in every point; further shares only add. See there for the proof.
 */
export function gaussianShare(chance: Chance, variance: bigint, sharing: Sharing): bigint {
  return discreteGaussian(chance, shareVariance(variance, sharing));
}

function shareVariance(variance: bigint, sharing: Sharing): bigint {
  const parts = BigInt(honest(sharing));
  return (variance + parts - 1n) / parts;
}

/**
 * How far a sum of H discrete Gaussian shares may be from one discrete Gaussian draw: |ln P - ln Q| in every point.
 *
 * Proof. Let X and Y have variances a and b. P[X + Y = z] is proportional to the sum over x of
 * exp(-x^2/2a - (z - x)^2/2b) = exp(-z^2 / 2(a + b)) * sum over x of exp(-(x - m)^2 / 2s), s = ab/(a + b), m = az/(a + b).
 * By Poisson summation the last sum is sqrt(2 pi s) (1 + 2 sum over k >= 1 of exp(-2 pi^2 s k^2) cos(2 pi k m)), for every
 * m between (1 - e) and (1 + e) times sqrt(2 pi s) with e = 2 sum exp(-2 pi^2 s k^2). After normalising, the ratio to
 * discrete Gaussian of variance a + b is between (1 - e)/(1 + e) and (1 + e)/(1 - e). Adding the shares one by one, the
 * j-th step has s = share * j / (j + 1), and the logarithms add up: convolving two laws with the same third one keeps a
 * pointwise factor.
 */
export function gaussianSlack(variance: bigint, sharing: Sharing): number {
  const share = Number(shareVariance(variance, sharing));
  let slack = 0;
  for (let j = 1; j < honest(sharing); j++) {
    const s = (share * j) / (j + 1);
    const decay = Math.exp(-2 * Math.PI ** 2 * s);
    // The terms fall faster than geometrically.
    const e = (2 * decay) / (1 - decay);
    slack += e < 1 ? Math.log((1 + e) / (1 - e)) : Number.POSITIVE_INFINITY;
  }
  return slack;
}
