import { MoietyError } from "../../errors.js";
import type { Chance } from "./chance.js";
import { exactly, type Rational, roundUp } from "./rational.js";

/** The scale is kept to this many binary places. */
const scaleBits = 16n;

/**
 * The scale of discrete Laplace noise that makes a vector of whole numbers epsilon-private.
 *
 * Promise: for data that change the vector by at most `sensitivity` in all (L1), the noisy vectors' probabilities differ
 * by a factor of at most e^epsilon. Proof: P[y - v] / P[y - v'] = exp((|y - v'| - |y - v|) / scale) coordinate by
 * coordinate, whose product is at most exp(|v - v'|_1 / scale) <= exp(sensitivity / scale) <= e^epsilon, since
 * scale >= sensitivity / epsilon after rounding up.
 */
export function laplaceScale(sensitivity: number, epsilon: number): Rational {
  if (!(epsilon > 0 && Number.isFinite(epsilon) && Number.isInteger(sensitivity) && sensitivity >= 1)) {
    throw new MoietyError("usage", `epsilon is ${epsilon}: give a number above 0, such as 1`);
  }
  const { numerator, denominator } = exactly(epsilon);
  return roundUp({ numerator: BigInt(sensitivity) * denominator, denominator: numerator }, scaleBits);
}

/** The number of steps before the first failure, each going on with probability exp(-1 / scale) (algorithm 2's core). */
export function geometric(chance: Chance, { numerator, denominator }: Rational): bigint {
  // exp(-1/scale) = exp(-denominator/numerator): draw in steps of 1/numerator, then take `denominator` of them as one.
  let rest: bigint;
  do rest = chance.belowBig(numerator);
  while (!chance.decay(rest, numerator));
  let rounds = 0n;
  while (chance.decay(1n, 1n)) rounds++;
  return (rest + numerator * rounds) / denominator;
}

/** P[x] proportional to exp(-|x| / scale), exactly (Canonne, Kamath and Steinke 2020, algorithm 2). */
export function discreteLaplace(chance: Chance, scale: Rational): bigint {
  for (;;) {
    const size = geometric(chance, scale);
    const negative = chance.coin();
    // 0 would come with both signs.
    if (negative && size === 0n) continue;
    return negative ? -size : size;
  }
}

/** Its variance: 2q / (1 - q)^2 with q = exp(-1 / scale). */
export function laplaceVariance({ numerator, denominator }: Rational): number {
  const step = Number(denominator) / Number(numerator);
  return 0.5 / Math.sinh(step / 2) ** 2;
}
