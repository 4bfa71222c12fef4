import type { Store } from "./types.js";

/** Small values as JSON. */
export async function readRecord<T>(store: Store, key: string): Promise<T | undefined> {
  const bytes = await store.read(key);
  return bytes && (JSON.parse(Buffer.from(bytes).toString("utf8")) as T);
}

export function writeRecord(store: Store, key: string, value: unknown): Promise<void> {
  return store.write(key, Buffer.from(JSON.stringify(value)));
}
