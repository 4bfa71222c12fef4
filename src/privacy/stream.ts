import { createCipheriv } from "node:crypto";
import { RowMemory } from "../kernels/blinding.js";
import { bytesOf, type Integers } from "./integers.js";

/** Fits the processor's cache; memory of 64 KB chunks went back to the system again and again (`bench privacy`). */
const chunkBytes = 32768;
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

/** Each chunk of the numbers is in the kernels' memory, and so in the processor's cache, while all streams are applied to it. */
export function applyStreams(values: Integers, streams: readonly AppliedStream[]): void {
  memory ??= new RowMemory();
  const step = chunkBytes / 8;
  const numbers = memory.buffer("numbers", chunkBytes);
  memory.buffer("masks", chunkBytes);
  for (let from = 0; from < values.length; from += step) {
    const chunk = bytesOf(values.subarray(from, from + step));
    memory.put("numbers", chunk);
    for (const { stream, adds } of streams) {
      const masks = memory.put("masks", stream.next(chunk.length));
      memory.kernels.applyMasks(numbers, masks, chunk.length / 8, adds);
    }
    chunk.set(memory.bytes(numbers, chunk.length));
  }
}
