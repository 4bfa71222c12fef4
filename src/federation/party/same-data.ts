import { createHash } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { updateWithIds } from "../../privacy/alignment/proof.js";
import type { DistinctIds } from "../../table/order.js";
import type { People } from "../../table/types.js";
import { turn } from "../../turns.js";
import { commonOf, KeptAlignments, ownIds } from "../alignment/kept-alignments.js";
import { isAlignment } from "../consent/alignment-card.js";
import type { Card } from "../consent/card.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import type { SiteData } from "./site-data.js";

/**
 * That a job goes on with the very data that it began with: digests are kept when it first sees them, and compared
 * whenever they are read again. They stay at this site.
 */
export class SameData {
  constructor(
    private readonly store: Store,
    private readonly job: string,
  ) {}

  /** The ids, if they are those of the job's beginning. Throws "paused" where they are others, or not there. */
  ids(read: () => Promise<DistinctIds>): Promise<DistinctIds> {
    return this.compared("ids", read, async (ids) => (await ownIds(ids)).digest);
  }

  /** The same of the people, as they were prepared. */
  people(read: () => Promise<People>): Promise<People> {
    return this.compared("people", read, digestOfValues);
  }

  /** Looks at all that was kept. */
  async recheck(card: Card, data: SiteData): Promise<void> {
    if (card.split === "rows" || card.id === undefined) {
      await this.people(() => data.people(card));
      return;
    }
    const ids = await this.ids(() => data.ids(card.id!));
    if (isAlignment(card)) return;
    const own = await ownIds(ids);
    const kept = await new KeptAlignments(this.store, this.job, card).find(own);
    if (kept) await this.people(() => data.people(card, commonOf(kept, own)));
  }

  private async compared<T>(what: string, read: () => Promise<T>, digest: (found: T) => Promise<string>): Promise<T> {
    const key = `jobs/${this.job}/data/${what}`;
    const kept = await readRecord<string>(this.store, key);
    try {
      const found = await read();
      const now = await digest(found);
      if (kept === undefined) await writeRecord(this.store, key, now);
      if (kept === undefined || kept === now) return found;
    } catch (error) {
      // The site's own log says what is wrong with its data. Nothing is wrong with the job.
      if (kept === undefined) throw error;
    }
    throw new MoietyError(
      "paused",
      "its data differ from those that the job began with: the job goes on when the old ones are back",
    );
  }
}

/** Digested before others have their turn: some milliseconds' worth. */
const chunkBytes = 4 << 20;

/** SHA-256 of all that a run depends on, in the order of the people. */
async function digestOfValues(people: People): Promise<string> {
  const { n, dimensions, dimensionNames, encodings, attributes, ids, sourceRows } = people;
  const hash = createHash("sha256");
  const groups = attributes.map(({ name, groups }) => [name, groups]);
  const widths = dimensions.map(({ BYTES_PER_ELEMENT }) => BYTES_PER_ELEMENT);
  hash.update(JSON.stringify(["moiety data 1", n, dimensionNames, widths, encodings, groups, ids?.column ?? null]));
  // Without ids people are known by their rows.
  const whose = ids ? [] : [sourceRows];
  for (const values of [...dimensions, ...attributes.map(({ codes }) => codes), ...whose]) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      hash.update(bytes.subarray(from, from + chunkBytes));
      await turn();
    }
  }
  if (ids) await updateWithIds(hash, ids.values);
  return hash.digest("hex");
}
