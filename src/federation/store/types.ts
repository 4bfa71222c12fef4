/**
 * Values that survive the process, under names such as `jobs/3f2a/log/7`. A write is all or nothing and has reached
 * the disk when it resolves: whatever happens, a read gives the old value or the whole new one. A write that cannot be
 * done throws "output", and nothing has changed.
 */
export interface Store {
  /** Throws "failed" where the value was damaged since it was written. */
  read(key: string): Promise<Uint8Array | undefined>;
  write(key: string, value: Uint8Array, options?: WriteOptions): Promise<void>;
  /** The value before the last write, if that one kept it: for when the last one is damaged. */
  before(key: string): Promise<Uint8Array | undefined>;
  /**
   * Adds to a value, or begins one. When it resolves it survives a kill of the process, though not yet a power cut: what is
   * added has to carry digests of its own.
   */
  append(key: string, value: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  /** All keys below a prefix that ends with a slash (or all there are), sorted. */
  list(prefix?: string): Promise<string[]>;
}

export interface WriteOptions {
  /** Keep the value that was there too. Never for what must not be taken back: what was spent, begun, ended, released. */
  readonly copy?: boolean;
}

const part = /^[A-Za-z0-9_-]{1,128}$/;

/** Names that are safe as paths everywhere, without dots, which the store's own endings have; anything else is a bug. */
export function checkKey(key: string): string {
  if (!key.split("/").every((each) => part.test(each))) throw new RangeError(`not a key of a store: ${key}`);
  return key;
}
