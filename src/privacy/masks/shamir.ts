import { failed, MoietyError } from "../../errors.js";
import { RingMemory } from "../../kernels/ring-memory.js";
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
  const drawn = random((threshold - 1) * shareBytes);
  const shares = Buffer.concat([drawn, remainingShares(secret, drawn, count)]);
  return Array.from({ length: count }, (_, index) => {
    return { at: index + 1, value: shares.subarray(index * shareBytes, (index + 1) * shareBytes) };
  });
}

/**
 * The shares that are left when the first ones were drawn, each byte of them evenly and one fewer than the threshold: with the
 * secret they decide the polynomials, so that every polynomial is as likely as any other. Shares lie one after the other.
 */
export function remainingShares(secret: Uint8Array, drawn: Uint8Array, count: number): Uint8Array {
  if (count > mostShares) throw failed(`a secret can have ${mostShares} shares at most, and not ${count}`);
  const threshold = drawn.length / shareBytes + 1;
  return combinations(Buffer.concat([secret, drawn]), weightsOfRemaining(threshold, count));
}

/** The secret from at least as many shares as the threshold was: the polynomials' values at 0. */
export function joinShares(shares: readonly Share[]): Uint8Array {
  const places = shares.map(({ at }) => at);
  if (new Set(places).size !== shares.length) throw failed("the same share came twice");
  const wrong = shares.find(({ value }) => value.length !== shareBytes);
  if (wrong) throw failed(`a share has ${wrong.value.length} bytes and must have ${shareBytes}`);
  return secretOf(places, Buffer.concat(shares.map(({ value }) => value)));
}

/** The same of shares at different places that lie one after the other. */
export function secretOf(places: readonly number[], shares: Uint8Array): Uint8Array {
  return combinations(shares, weightsOfSecret(places));
}

/** Powers of 3, which are all elements but 0, twice in a row; and which power each element is. x^8 = x^4 + x^3 + x + 1, as in AES. */
const powers = new Uint8Array(2 * 255);
const logs = new Uint8Array(256);
for (let at = 0, element = 1; at < 255; at++) {
  powers[at] = powers[at + 255] = element;
  logs[element] = at;
  element ^= (element << 1) ^ (element & 0x80 ? 0x11b : 0);
}
/** Of each element the products with 0 to 15, and then those with 16 times 0 to 15: what the kernel looks up. */
function productsOfAll(): Uint8Array {
  return Uint8Array.from({ length: 256 * shareBytes }, (_, at) => {
    const [element, place] = [at >> 5, at & 31];
    const other = place < 16 ? place : 16 * (place - 16);
    return element === 0 || other === 0 ? 0 : powers[logs[element] + logs[other]];
  });
}

let memory: RingMemory | undefined;

function memoryWithProducts(): RingMemory {
  const made = new RingMemory();
  made.put("products", productsOfAll());
  return made;
}

/** Sums of the values, each times its weight: one sum for each list of weights. All lie one after the other. */
function combinations(values: Uint8Array, weights: Uint8Array): Uint8Array {
  memory ??= memoryWithProducts();
  const count = values.length / shareBytes;
  const sums = weights.length / count;
  const [from, by] = [memory.put("shares", values), memory.put("weights", weights)];
  const out = memory.buffer("sums", sums * shareBytes);
  memory.kernels.combineShares(from, count, by, sums, memory.buffer("products", 256 * shareBytes), out);
  return new Uint8Array(memory.bytes(out, sums * shareBytes));
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
const kept = new Map<string, Uint8Array>();

function keptWeights(key: string, make: () => Uint8Array): Uint8Array {
  const weights = kept.get(key) ?? make();
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, weights);
  return weights;
}

/** From the secret and the first shares, as many as the threshold in all, to each share after them. */
function weightsOfRemaining(threshold: number, count: number): Uint8Array {
  return keptWeights(`${threshold} of ${count}`, () => {
    const places = Array.from({ length: threshold }, (_, at) => at);
    return Buffer.concat(Array.from({ length: count - threshold + 1 }, (_, at) => weightsAt(threshold + at, places)));
  });
}

function weightsOfSecret(places: readonly number[]): Uint8Array {
  return keptWeights(places.join(), () => weightsAt(0, places));
}
