import { createCipheriv } from "node:crypto";
import { RowMemory } from "../kernels/blinding.js";
import { bytesOf, type Integers } from "./integers.js";

/** Fits the processor's cache; memory of 64 KB chunks went back to the system again and again (`bench privacy`). */
export const chunkBytes = 32768;
const zeros = new Uint8Array(2 * chunkBytes);
/** AES-128: 16 bytes of key and 16 of the first counter. */
export const streamKeyBytes = 32;

/** Promise: a stream of bytes that nobody without the key can tell from chance (AES-128-CTR), the same for the same key. */
export class KeyStream {
  private readonly cipher;

  constructor(key: Uint8Array) {
    this.cipher = createCipheriv("aes-128-ctr", key.subarray(0, 16), key.subarray(16, streamKeyBytes));
  }

  /** The next bytes, at most 64 KB at a time. */
  next(bytes: number): Uint8Array {
    return this.cipher.update(zeros.subarray(0, bytes));
  }

  addTo(values: Integers): void {
    applyStreams(values, [{ stream: this, adds: true }]);
  }

  subtractFrom(values: Integers): void {
    applyStreams(values, [{ stream: this, adds: false }]);
  }
}

/** A stream whose next bytes are added to numbers, or subtracted. */
export interface AppliedStream {
  readonly stream: KeyStream;
  readonly adds: boolean;
}

let memory: RowMemory | undefined;

export function applyStreams(values: Integers, streams: readonly AppliedStream[]): void {
  applyMasks(values, streams, (from, to) => {
    return ({ stream }) => stream.next(8 * (to - from));
  });
}

/**
 * Adds masks of several sources to numbers, or subtracts them. Each chunk of the numbers is in the kernels' memory, and so in the
 * processor's cache, while all sources' masks of it are applied.
 */
export function applyMasks<Source extends { readonly adds: boolean }>(
  values: Integers,
  sources: readonly Source[],
  /** For the numbers [from, to): what each source has for them. */
  masksOf: (from: number, to: number) => (source: Source) => Uint8Array,
): void {
  memory ??= new RowMemory();
  const step = chunkBytes / 8;
  const numbers = memory.buffer("numbers", chunkBytes);
  const masks = memory.buffer("masks", chunkBytes);
  for (let from = 0; from < values.length; from += step) {
    const chunk = bytesOf(values.subarray(from, from + step));
    memory.put("numbers", chunk);
    const masksFrom = masksOf(from, from + chunk.length / 8);
    const place = memory.bytes(masks, chunkBytes);
    for (const source of sources) {
      place.set(masksFrom(source));
      memory.kernels.applyMasks(numbers, masks, chunk.length / 8, source.adds);
    }
    chunk.set(memory.bytes(numbers, chunk.length));
  }
}

/** A stream's blocks, each enciphered for itself: AES's. */
const blockBytes = 16;

/**
 * Many streams of one key, each by its number: for short ones, of which there is one for every pair and round.
 * Promise: without the key nobody can tell them from chance or from each other (AES-128 of counters, each of which is used once).
 */
export class NumberedStreams {
  private readonly cipher;

  constructor(key: Uint8Array) {
    this.cipher = createCipheriv("aes-128-ecb", key.subarray(0, 16), null).setAutoPadding(false);
  }

  /** The bytes that belong to these counters. */
  at(counters: Uint8Array): Uint8Array {
    return this.cipher.update(counters);
  }
}

/** The counters of the bytes [from, to) of the stream of a number, and of the rest of their last block. They serve for any key. */
export function countersOf(number: number, from: number, to: number): Uint8Array {
  const first = from / blockBytes;
  const counters = Buffer.alloc(blockBytes * Math.ceil((to - from) / blockBytes));
  for (let at = 0; at < counters.length; at += blockBytes) {
    counters.writeDoubleLE(number, at);
    counters.writeDoubleLE(first + at / blockBytes, at + 8);
  }
  return counters;
}
