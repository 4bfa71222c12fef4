import { failed } from "../../errors.js";
import type { Integers } from "../../privacy/integers.js";
import type { RandomBytes } from "../../privacy/random.js";

/** A number is sent as whole multiples of 2^-40, in pieces of 40 bits: sums of pieces stay far from 2^64. */
const fraction = 40;
const pieceBits = 40n;
export const pieces = 4;
const piece = (1n << pieceBits) - 1n;

/** Numbers such as an SSE, so that their masked sums are exact: `pieces` integers each. */
export function toPieces(values: readonly number[]): Integers {
  const out = new BigInt64Array(values.length * pieces);
  values.forEach((value, index) => {
    if (!Number.isFinite(value) || Math.abs(value) > 2 ** 110) {
      throw failed("a sum left the range in which it can be masked");
    }
    const scaled = BigInt(Math.round(value * 2 ** fraction));
    const sign = scaled < 0n ? -1n : 1n;
    for (let at = 0, rest = scaled * sign; at < pieces; at++, rest >>= pieceBits) {
      out[index * pieces + at] = sign * (rest & piece);
    }
  });
  return out;
}

export function fromPieces(sums: Integers): number[] {
  return Array.from({ length: sums.length / pieces }, (_, index) => {
    let total = 0n;
    for (let at = pieces - 1; at >= 0; at--) total = (total << pieceBits) + sums[index * pieces + at];
    return Number(total) * 2 ** -fraction;
  });
}

/**
 * Yes or no, so that the masked sum tells only whether anybody said yes: a yes is any number but 0, freshly drawn. Two
 * of them cancel once in 2^64 times.
 */
export function toFlags(answers: ArrayLike<boolean | number>, random: RandomBytes): Integers {
  const drawn = random(answers.length * 8);
  const out = new BigInt64Array(answers.length);
  new Uint8Array(out.buffer).set(drawn);
  for (let index = 0; index < answers.length; index++) {
    if (!answers[index]) out[index] = 0n;
    else if (out[index] === 0n) out[index] = 1n;
  }
  return out;
}

export function fromFlags(sums: Integers): boolean[] {
  return Array.from(sums, (sum) => sum !== 0n);
}

/** The parts of the limits' status that are sums over the parties. (Of summed prices only whether there are any is used.) */
export const summedStatus = ["excess", "penalty", "maxPrice", "misplaced", "balanceLoss"] as const;

/** Rising levels: whether any party is above each of them gives the largest value, and nothing of a single party. */
export const violationLevels: readonly number[] = [0, ...Array.from({ length: 180 }, (_, j) => 0.5 * 1.1 ** j)];

/** The level that the largest value does not exceed. */
export function largestLevel(above: readonly boolean[], levels: readonly number[]): number {
  const top = above.lastIndexOf(true);
  return top < 0 ? 0 : (levels[top + 1] ?? levels[top]);
}
