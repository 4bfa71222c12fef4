import { MoietyError } from "../../errors.js";
import { power } from "../modular.js";
import type { RandomBytes } from "../random.js";

/** The smallest prime above 2^256: every 32-byte secret is a number below it. */
const prime = 2n ** 256n + 297n;
/** A number below the prime, little-endian. */
export const shareBytes = 33;

/** A point of the secret polynomial: its value at `at`, a small whole number from 1. */
export interface Share {
  readonly at: number;
  readonly value: Uint8Array;
}

/**
 * Promise: any `threshold` of the shares give the 32-byte secret back; fewer tell nothing at all about it, whatever the
 * computing power (Shamir 1979). A wrong share is not noticed here: compare what comes out with something public.
 */
export function splitSecret(secret: Uint8Array, threshold: number, count: number, random: RandomBytes): Share[] {
  if (secret.length !== 32) throw new MoietyError("failed", `a secret has ${secret.length} bytes and must have 32`);
  if (!(Number.isInteger(threshold) && threshold >= 1 && threshold <= count)) {
    throw new MoietyError("input", `threshold ${threshold} must be from 1 to the ${count} parties`);
  }
  const coefficients = [numberOf(secret), ...Array.from({ length: threshold - 1 }, () => uniform(random))];
  return Array.from({ length: count }, (_, index) => {
    const x = BigInt(index + 1);
    // Places are small numbers, so that the sum stays short: one remainder at the end is faster than one at each step.
    const value = coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0n) % prime;
    return { at: index + 1, value: bytesOfNumber(value, shareBytes) };
  });
}

/** The secret from at least as many shares as the threshold was: the polynomial's value at 0, by Lagrange. */
export function joinShares(shares: readonly Share[]): Uint8Array {
  if (new Set(shares.map(({ at }) => at)).size !== shares.length) {
    throw new MoietyError("failed", "the same share came twice");
  }
  const weights = weightsOf(shares.map(({ at }) => at));
  const secret = shares.reduce((sum, { value }, index) => (sum + numberOf(value) * weights[index]) % prime, 0n);
  if (secret >= 2n ** 256n) throw new MoietyError("failed", "the shares do not belong together");
  return bytesOfNumber(secret, 32);
}

/** Lagrange's weights at 0 for points at these places: the same ones for as long as the same parties help. */
let known: { readonly places: string; readonly weights: readonly bigint[] } = { places: "", weights: [] };

function weightsOf(places: readonly number[]): readonly bigint[] {
  if (known.places === places.join()) return known.weights;
  const product = places.reduce((all, at) => (all * BigInt(at)) % prime, 1n);
  // Each weight is the product of all other places, over the place itself and its differences to the others.
  const below = places.map((at) =>
    places.reduce((all, other) => (other === at ? all : (all * BigInt(other - at)) % prime), BigInt(at)),
  );
  const weights = inverses(below).map((each) => (product * each) % prime);
  known = { places: places.join(), weights };
  return weights;
}

/** What each number times gives 1: by one power, of the product of all, since powers are slow. */
function inverses(numbers: readonly bigint[]): bigint[] {
  // Remainders have the sign of what was divided.
  const positive = numbers.map((each) => (each < 0n ? each + prime : each));
  const products = [1n];
  for (const each of positive) products.push((products.at(-1)! * each) % prime);
  let rest = power(products.at(-1)!, prime - 2n, prime);
  const found = new Array<bigint>(numbers.length);
  for (let at = numbers.length - 1; at >= 0; at--) {
    found[at] = (rest * products[at]) % prime;
    rest = (rest * positive[at]) % prime;
  }
  return found;
}

/** Every number below the prime equally likely: 257 bits, drawn again when too large. */
function uniform(random: RandomBytes): bigint {
  for (;;) {
    const bytes = Uint8Array.from(random(shareBytes));
    bytes[shareBytes - 1] &= 1;
    const value = numberOf(bytes);
    if (value < prime) return value;
  }
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
}

function bytesOfNumber(value: bigint, length: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * length, "0"), "hex").reverse();
}
