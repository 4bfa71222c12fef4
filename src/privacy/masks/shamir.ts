import { MoietyError } from "../../errors.js";
import { power } from "../modular.js";
import type { RandomBytes } from "../random.js";

/** The smallest prime above 2^256: every 32-byte secret is a number below it. */
const prime = 2n ** 256n + 297n;
/** A number below the prime, little-endian. */
const shareBytes = 33;

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
    const value = coefficients.reduceRight((sum, coefficient) => (sum * x + coefficient) % prime, 0n);
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
  const weights = places.map((at) => {
    let above = 1n;
    let below = 1n;
    for (const other of places) {
      if (other === at) continue;
      above = (above * BigInt(other)) % prime;
      below = (below * BigInt(other - at)) % prime;
    }
    // Remainders have the sign of what was divided.
    return (above * power(below < 0n ? below + prime : below, prime - 2n, prime)) % prime;
  });
  known = { places: places.join(), weights };
  return weights;
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
