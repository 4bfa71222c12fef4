import { deriveKey } from "../derive.js";
import type { RandomBytes } from "../random.js";
import { KeyStream } from "../stream.js";

/** Bytes that look like chance and are the same in every run. */
export function seededBytes(seed: number): RandomBytes {
  const stream = new KeyStream(deriveKey(new Uint8Array(32), ["test", seed], 32));
  return (count) => {
    const bytes = new Uint8Array(count);
    for (let from = 0; from < count; from += 65536) bytes.set(stream.next(Math.min(65536, count - from)), from);
    return bytes;
  };
}
