/**
 * What has to outlive a process: values under names such as `jobs/3f2a/log/7`. A write is all or nothing and has reached
 * the disk when it resolves: whatever happens, a read gives the old value or the whole new one.
 */
export interface Store {
  read(key: string): Promise<Uint8Array | undefined>;
  write(key: string, value: Uint8Array): Promise<void>;
  /** Adds to a value, or begins one. It outlives the process when it resolves, though not yet the machine. */
  append(key: string, value: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  /** All keys below a prefix that ends with a slash (or all there are), sorted. */
  list(prefix?: string): Promise<string[]>;
}

const part = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Names that are safe as paths everywhere; anything else is a fault. */
export function checkKey(key: string): string {
  if (!key.split("/").every((each) => part.test(each))) throw new RangeError(`not a key of a store: ${key}`);
  return key;
}
