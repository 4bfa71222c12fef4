import { MoietyError } from "../../errors.js";
import type { Store, WriteOptions } from "./types.js";

/** Small values as JSON. */
export async function readRecord<T>(store: Store, key: string): Promise<T | undefined> {
  return parsed<T>(key, await store.read(key));
}

/** The value before the last write, where that one kept it. */
export async function recordBefore<T>(store: Store, key: string): Promise<T | undefined> {
  return parsed<T>(key, await store.before(key));
}

export function writeRecord(store: Store, key: string, value: unknown, options?: WriteOptions): Promise<void> {
  return store.write(key, Buffer.from(JSON.stringify(value)), options);
}

/** Values of earlier versions have no digest: only text that is no JSON shows their damage. */
function parsed<T>(key: string, bytes: Uint8Array | undefined): T | undefined {
  if (!bytes) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as T;
  } catch (error) {
    throw new MoietyError("failed", `what is kept as ${key} is damaged: it is not JSON; restore it from a backup`, {
      cause: error,
      told: "what is kept there of this job is damaged",
    });
  }
}

/** Whether a value was there and is damaged; a disk that cannot be read is another error. */
export function isDamage(error: unknown): error is MoietyError {
  return error instanceof MoietyError && error.code === "failed";
}
