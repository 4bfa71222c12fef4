import { deserialize, serialize } from "node:v8";
import type { LocalColumns, LocalState } from "../../parties/local.js";

interface Sample {
  readonly rows: Uint32Array;
  readonly columns: LocalColumns;
}

interface Kept {
  readonly whole: LocalState;
  readonly samples: readonly { readonly as: number; readonly rows: Uint32Array; readonly state: LocalState }[];
}

/** A party's columns in a run: everybody's under number 0, and those of samples under numbers of their own. */
export class HeldColumns {
  private readonly samples = new Map<number, Sample>();

  constructor(readonly whole: LocalColumns) {}

  get count(): number {
    return this.samples.size;
  }

  of(number: number): LocalColumns | undefined {
    return number === 0 ? this.whole : this.samples.get(number)?.columns;
  }

  async sample(as: number, rows: Uint32Array): Promise<void> {
    this.samples.set(as, { rows, columns: await this.whole.sample(rows) });
  }

  async close(as: number): Promise<void> {
    await this.samples.get(as)?.columns.close();
    this.samples.delete(as);
  }

  /** All that another process needs to go on from the same columns. */
  state(): Uint8Array {
    const kept: Kept = {
      whole: this.whole.state(),
      samples: Array.from(this.samples, ([as, { rows, columns }]) => ({ as, rows, state: columns.state() })),
    };
    return serialize(kept);
  }

  /** Goes on from a state. Returns the numbers of clusters, by the numbers of people. */
  async resume(state: Uint8Array): Promise<Map<number, number>> {
    const { whole, samples } = deserialize(state) as Kept;
    await this.whole.resume(whole);
    const clusters = new Map([[0, whole.opening.k]]);
    for (const { as, rows, state: kept } of samples) {
      await this.sample(as, rows);
      await this.of(as)!.resume(kept);
      clusters.set(as, kept.opening.k);
    }
    return clusters;
  }
}
