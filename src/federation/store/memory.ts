import { checkKey, type Store, type WriteOptions } from "./types.js";

/** In memory only: for simulations in one process. */
export class MemoryStore implements Store {
  private readonly values = new Map<string, Uint8Array>();
  private readonly copies = new Map<string, Uint8Array>();

  async read(key: string): Promise<Uint8Array | undefined> {
    return this.values.get(checkKey(key))?.slice();
  }

  async write(key: string, value: Uint8Array, { copy = false }: WriteOptions = {}): Promise<void> {
    const old = this.values.get(checkKey(key));
    if (copy && old) this.copies.set(key, old);
    else this.copies.delete(key);
    this.values.set(key, value.slice());
  }

  async before(key: string): Promise<Uint8Array | undefined> {
    return this.copies.get(checkKey(key))?.slice();
  }

  async append(key: string, value: Uint8Array): Promise<void> {
    this.values.set(checkKey(key), Buffer.concat([this.values.get(key) ?? new Uint8Array(0), value]));
  }

  async remove(key: string): Promise<void> {
    this.values.delete(checkKey(key));
    this.copies.delete(key);
  }

  async list(prefix = ""): Promise<string[]> {
    return [...this.values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}
