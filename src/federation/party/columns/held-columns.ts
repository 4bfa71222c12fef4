import { deserialize, serialize } from "node:v8";
import { failed } from "../../../errors.js";
import type { LocalColumns, LocalState } from "../../../parties/local-columns.js";

interface Sample {
  /** Of everybody's columns, 0, or of another sample's, which stays longer. */
  readonly from: number;
  readonly rows: Uint32Array;
  readonly columns: LocalColumns;
}

/** Version of the saved state: raised whenever its shape changes. */
const version = 6;

interface SavedColumns {
  readonly version: typeof version;
  readonly whole: LocalState;
  readonly samples: readonly (Omit<Sample, "columns"> & { readonly as: number; readonly state: LocalState })[];
}

/** A party's columns in a run: everybody's under number 0, and those of samples under numbers of their own. */
export class HeldColumns {
  private readonly samples = new Map<number, Sample>();

  constructor(readonly whole: LocalColumns) {}

  of(number: number): LocalColumns | undefined {
    return number === 0 ? this.whole : this.samples.get(number)?.columns;
  }

  async sample(as: number, from: number, rows: Uint32Array): Promise<void> {
    this.samples.set(as, { from, rows, columns: await this.of(from)!.sample(rows) });
  }

  async close(as: number): Promise<void> {
    await this.samples.get(as)?.columns.close();
    this.samples.delete(as);
  }

  /** All that another process needs to go on from the same columns. */
  save(): Uint8Array {
    const kept: SavedColumns = {
      version,
      whole: this.whole.save(),
      samples: Array.from(this.samples, ([as, { columns, ...sample }]) => ({ as, ...sample, state: columns.save() })),
    };
    return serialize(kept);
  }

  /** Goes on from a state. Throws "failed" on one that another version has kept. */
  async restore(state: Uint8Array): Promise<void> {
    const kept = deserialize(state) as SavedColumns;
    if (kept.version !== version) {
      throw failed("the checkpoint of this job was written by another version of moiety: submit the job again");
    }
    await this.whole.restore(kept.whole);
    for (const { as, from, rows, state: own } of kept.samples) {
      await this.sample(as, from, rows);
      await this.of(as)!.restore(own);
    }
  }
}
