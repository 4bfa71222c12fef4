import { MoietyError } from "../../errors.js";
import { MemoryStore } from "../store/memory.js";
import type { Store, WriteOptions } from "../store/types.js";

/** Where the values of a faulty store would lie: a secret of its site. */
export const secretPlace = "/home/somebody/secret/state";

/** A store whose disk takes nothing while somebody says so. */
export class FaultyStore implements Store {
  /** Writes so far, failed ones too. */
  writes = 0;
  /** What the disk says to the write of this number and key, if anything. */
  fault: (key: string, write: number) => "ENOSPC" | "EIO" | undefined = () => undefined;

  constructor(readonly inner: Store = new MemoryStore()) {}

  async write(key: string, value: Uint8Array, options?: WriteOptions): Promise<void> {
    this.check(key);
    await this.inner.write(key, value, options);
  }

  async append(key: string, value: Uint8Array): Promise<void> {
    this.check(key);
    await this.inner.append(key, value);
  }

  read(key: string): Promise<Uint8Array | undefined> {
    return this.inner.read(key);
  }

  before(key: string): Promise<Uint8Array | undefined> {
    return this.inner.before(key);
  }

  remove(key: string): Promise<void> {
    return this.inner.remove(key);
  }

  list(prefix?: string): Promise<string[]> {
    return this.inner.list(prefix);
  }

  private check(key: string): void {
    const code = this.fault(key, ++this.writes);
    if (!code) return;
    const told = code === "ENOSPC" ? "disk full" : "the disk fails";
    throw new MoietyError("output", `cannot write ${secretPlace}/${key}: ${told}`, { told });
  }
}
