import { parentPort } from "node:worker_threads";

/** Has every message from whoever started this thread handled. */
export function serve(handle: (message: unknown) => void): void {
  parentPort?.on("message", handle);
}

export function answer(message: unknown): void {
  parentPort?.postMessage(message);
}
