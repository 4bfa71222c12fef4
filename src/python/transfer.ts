import { readSync, writeSync } from "node:fs";

/** Waits until all bytes have come. False where the other side closed the pipe before the first. */
export function fillFrom(input: number, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; ) {
    const count = patiently(() => readSync(input, bytes, at, bytes.length - at, null));
    if (count === 0 && at === 0) return false;
    if (count === 0) throw new Error("the pipe was closed within a message");
    at += count;
  }
  return true;
}

/** Waits until all bytes have gone. */
export function sendTo(output: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    at += patiently(() => writeSync(output, bytes, at, bytes.length - at));
  }
}

/** Something to wait for that never comes. */
const never = new Int32Array(new SharedArrayBuffer(4));
/** In milliseconds: far less than the other side takes for the bytes that fill a pipe. */
const pause = 0.1;

/** Once threads have started, Node.js may have made the pipe one that does not wait: a full or empty one is tried again. */
function patiently(transfer: () => number): number {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(never, 0, 0, pause);
    }
  }
}
