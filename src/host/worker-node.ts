import { parentPort } from "node:worker_threads";

/** Handles every message from whoever started this thread. */
export function serve(handle: (message: unknown) => void): void {
  parentPort?.on("message", handle);
}

/** What is transferred is no longer this thread's. */
export function answer(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
