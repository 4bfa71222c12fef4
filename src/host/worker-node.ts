import { parentPort } from "node:worker_threads";

/** Handles every message from whoever started this thread. */
export function serve(handle: (message: unknown) => void): void {
  parentPort?.on("message", handle);
}

export function answer(message: unknown): void {
  parentPort?.postMessage(message);
}
