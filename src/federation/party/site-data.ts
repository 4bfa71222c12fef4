import { createHash } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { isElsewhere } from "../../parties/row-people.js";
import { updateWithIds } from "../../privacy/alignment/proof.js";
import type { DistinctIds } from "../../table/order.js";
import type { LinkedBy, People } from "../../table/types.js";
import { turn } from "../../turns.js";
import { type Card, type CardPart, cardHash } from "../consent/card.js";
import { isAlignment } from "../consent/methods.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import { commonOf, KeptAlignments, ownIds } from "./kept-alignments.js";
import type { PartyOptions } from "./options.js";

/** A site's own data, as cards name them. What is wrong with them is written to the site's own log and nowhere else. */
export class SiteData {
  private readonly loaded = new Map<string, Promise<People>>();

  constructor(private readonly options: Pick<PartyOptions, "kit" | "ids" | "people" | "log">) {}

  /** The people that a card is about here, or those of them with these ids. */
  people(card: Card, common?: readonly string[], linked?: LinkedBy): Promise<People> {
    const { kit, people } = this.options;
    // Each preparation has its own list of ids, and asks once.
    if (common || linked) return this.privately(() => people(partAt(card, kit.name), card, common, linked));
    const key = cardHash(card);
    let loading = this.loaded.get(key);
    if (!loading) {
      // One card's at a time: data is large, and most cards are run as soon as they were counted.
      this.loaded.clear();
      loading = this.privately(() => people(partAt(card, kit.name), card));
      this.loaded.set(key, loading);
      loading.catch(() => this.loaded.delete(key));
    }
    return loading;
  }

  /** How many people a card would be about here, as far as this site can tell alone. */
  async count(card: Card): Promise<number> {
    if (card.split !== "columns" || card.id === undefined) return (await this.people(card)).n;
    return (await this.ids(card)).sorted.length;
  }

  ids(card: Card): Promise<DistinctIds> {
    return this.privately(() => this.options.ids(card));
  }

  /** Errors about this site's data are for this site: the others learn that there is one. */
  async privately<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof MoietyError ? error.code : "failed";
      this.options.log(`cannot take part: ${(error as Error).message}`, "warning");
      const why = code === "infeasible" ? "its attributes make the job impossible" : "its data cannot be used as asked";
      throw new MoietyError(code === "infeasible" ? "infeasible" : "input", `${why}: its own log says why`);
    }
  }

  forget(): void {
    this.loaded.clear();
  }
}

/** What a site has on the card; of a training, with the label behind the protected attribute. */
function partAt({ parties, train }: Card, site: string): CardPart {
  const part = parties.find(({ name }) => name === site)!;
  return train ? { ...part, protect: [...part.protect, train.label] } : part;
}

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

  /** The same of the people, as they were prepared; `linked` where other sites have said how they count. */
  people(read: () => Promise<People>, linked = false): Promise<People> {
    return this.compared(linked ? "linked" : "people", read, digestOfValues);
  }

  /** Looks at all that was kept. */
  async recheck(card: Card, data: SiteData): Promise<void> {
    if (card.split === "rows" || card.id === undefined) {
      await this.people(() => data.people(card));
      return;
    }
    const ids = await this.ids(() => data.ids(card));
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
      // The site's own log says what is wrong with its data; the job only waits for them.
      if (kept === undefined) throw error;
    }
    throw new MoietyError(
      "paused",
      "its data differ from those that the job began with: the job goes on when the old ones are back",
    );
  }
}

/** Bytes that are hashed before other work gets its turn: some milliseconds' worth. */
const chunkBytes = 4 << 20;

/** SHA-256 of all that a run depends on, in the order of the people. */
async function digestOfValues(people: People): Promise<string> {
  if (isElsewhere(people)) return people.fingerprint;
  const { n, dimensions, dimensionNames, encodings, attributes, ids, sourceRows, weights, together } = people;
  const hash = createHash("sha256");
  const groups = attributes.map(({ name, groups }) => [name, groups]);
  const widths = dimensions.map(({ BYTES_PER_ELEMENT }) => BYTES_PER_ELEMENT);
  hash.update(JSON.stringify(["moiety data 1", n, dimensionNames, widths, encodings, groups, ids?.column ?? null]));
  // Without ids people are known by their rows.
  const whose = ids ? [] : [sourceRows];
  const links = [weights?.values, together?.codes].filter((values) => values !== undefined);
  for (const values of [...dimensions, ...attributes.map(({ codes }) => codes), ...whose, ...links]) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      hash.update(bytes.subarray(from, from + chunkBytes));
      await turn();
    }
  }
  if (ids) await updateWithIds(hash, ids.values);
  return hash.digest("hex");
}
