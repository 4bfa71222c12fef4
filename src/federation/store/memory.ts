import { checkKey, type Store } from "./types.js";

/** Outlives nothing: for simulations in one process. */
export class MemoryStore implements Store {
  private readonly values = new Map<string, Uint8Array>();

  async read(key: string): Promise<Uint8Array | undefined> {
    return this.values.get(checkKey(key))?.slice();
  }

  async write(key: string, value: Uint8Array): Promise<void> {
    this.values.set(checkKey(key), value.slice());
  }

  async append(key: string, value: Uint8Array): Promise<void> {
    this.values.set(checkKey(key), Buffer.concat([this.values.get(key) ?? new Uint8Array(0), value]));
  }

  async remove(key: string): Promise<void> {
    this.values.delete(checkKey(key));
  }

  async list(prefix = ""): Promise<string[]> {
    return [...this.values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}
