import { failed, MoietyError } from "../../errors.js";
import type { RandomBytes } from "../random.js";

/** Bytes of a secret, and of each share of it: every byte is shared for itself. */
export const shareBytes = 32;
/** Places are bytes other than 0, where the secret is. */
const mostShares = 255;

/** A point of the secret polynomials: their values at `at`, a small whole number from 1. */
export interface Share {
  readonly at: number;
  readonly value: Uint8Array;
}

/**
 * Promise: any `threshold` of the shares give the 32-byte secret back; fewer tell nothing at all about it, whatever the
 * computing power (Shamir 1979, over the field of 256 elements). A wrong share is not noticed here: compare what comes out with
 * something public.
 */
export function splitSecret(secret: Uint8Array, threshold: number, count: number, random: RandomBytes): Share[] {
  if (!(Number.isInteger(threshold) && threshold >= 1 && threshold <= count)) {
    throw new MoietyError("input", `threshold ${threshold} must be from 1 to the ${count} parties`);
  }
  const drawn = Array.from({ length: threshold - 1 }, () => Uint8Array.from(random(shareBytes)));
  return [...drawn, ...remainingShares(secret, drawn, count)].map((value, index) => ({ at: index + 1, value }));
}

/**
 * The shares that are left when the first ones were drawn, each byte of them evenly and one fewer than the threshold: with the
 * secret they decide the polynomials, so that every polynomial is as likely as any other.
 */
export function remainingShares(secret: Uint8Array, drawn: readonly Uint8Array[], count: number): Uint8Array[] {
  if (count > mostShares) throw failed(`a secret can have ${mostShares} shares at most, and not ${count}`);
  const known = [secret, ...drawn];
  return combinations(known, weightsOfRemaining(known.length, count));
}

/** The secret from at least as many shares as the threshold was: the polynomials' values at 0. */
export function joinShares(shares: readonly Share[]): Uint8Array {
  const places = shares.map(({ at }) => at);
  if (new Set(places).size !== shares.length) throw failed("the same share came twice");
  const values = shares.map(({ value }) => value);
  return combinations(values, weightsOfSecret(places))[0];
}

/** Powers of 3, which are all elements but 0, twice in a row; and which power each element is. x^8 = x^4 + x^3 + x + 1, as in AES. */
const powers = new Uint8Array(2 * 255);
const logs = new Uint8Array(256);
for (let at = 0, element = 1; at < 255; at++) {
  powers[at] = powers[at + 255] = element;
  logs[element] = at;
  element ^= (element << 1) ^ (element & 0x80 ? 0x11b : 0);
}
/** Twice each of the four elements in a word. */
function twice(word: number): number {
  return ((word & 0x7f7f7f7f) << 1) ^ (((word >>> 7) & 0x01010101) * 0x1b);
}

const words = shareBytes / 4;
/** Of each word of each value its multiples by 0 to 15, [words][values][16]. */
const multiples = new Int32Array(words * (mostShares + 1) * 16);

/** Sums of the values, each times its weight: one sum for each list of weights. Four elements, and half a weight, at a time. */
function combinations(values: readonly Uint8Array[], weights: readonly Uint8Array[]): Uint8Array[] {
  const whole = new Int32Array(words);
  for (const [index, value] of values.entries()) {
    if (value.length !== shareBytes) throw failed(`a share has ${value.length} bytes and must have ${shareBytes}`);
    new Uint8Array(whole.buffer).set(value);
    for (let word = 0; word < words; word++) {
      const at = (word * values.length + index) * 16;
      multiples[at + 1] = whole[word];
      for (let factor = 2; factor < 16; factor += 2) {
        multiples[at + factor] = twice(multiples[at + factor / 2]);
        multiples[at + factor + 1] = multiples[at + factor] ^ whole[word];
      }
    }
  }
  return weights.map((each) => {
    const sums = new Int32Array(words);
    for (let word = 0; word < words; word++) {
      let low = 0;
      let high = 0;
      for (let index = 0, at = word * values.length * 16; index < values.length; index++, at += 16) {
        low ^= multiples[at + (each[index] & 15)];
        high ^= multiples[at + (each[index] >> 4)];
      }
      sums[word] = low ^ twice(twice(twice(twice(high))));
    }
    return new Uint8Array(sums.buffer);
  });
}

/** By which weights values at these places add up to the value at another place (Lagrange). */
function weightsAt(target: number, places: readonly number[]): Uint8Array {
  // A difference is an exclusive or. Products and quotients are sums and differences of logarithms.
  return Uint8Array.from(places, (place) => {
    let log = 0;
    for (const other of places) if (other !== place) log += logs[target ^ other] - logs[place ^ other];
    return powers[((log % 255) + 255) % 255];
  });
}

/** The same weights serve for as long as the same parties help: so many sets of them are kept. */
const mostKept = 1000;
const kept = new Map<string, readonly Uint8Array[]>();

function keptWeights(key: string, make: () => readonly Uint8Array[]): readonly Uint8Array[] {
  const weights = kept.get(key) ?? make();
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, weights);
  return weights;
}

/** From the secret and the first shares, as many as the threshold in all, to each share after them. */
function weightsOfRemaining(threshold: number, count: number): readonly Uint8Array[] {
  return keptWeights(`${threshold} of ${count}`, () => {
    const places = Array.from({ length: threshold }, (_, at) => at);
    return Array.from({ length: count - threshold + 1 }, (_, at) => weightsAt(threshold + at, places));
  });
}

function weightsOfSecret(places: readonly number[]): readonly Uint8Array[] {
  return keptWeights(places.join(), () => [weightsAt(0, places)]);
}
