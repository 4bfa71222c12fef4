import { createHash } from "node:crypto";
import { defined } from "../../defined.js";
import { updateWithIds } from "../../privacy/alignment/proof.js";
import type { DistinctIds } from "../../table/order.js";
import { hashOf } from "../canonical.js";
import type { Card } from "../consent/card.js";
import { isDamage, readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";

/** An alignment that a site keeps: which of its ids are common to all. It holds no id, and means nothing elsewhere. */
export interface KeptAlignment {
  /** The same at all sites that took part, and nowhere else. */
  readonly name: string;
  /** The job that found it. */
  readonly job: string;
  /** Of the site's own set of ids: other ids, another alignment. */
  readonly digest: string;
  /** A bit for each id, in the order of bytes; base64. */
  readonly bits: string;
}

/** A site's different ids. */
export interface OwnIds extends DistinctIds {
  readonly digest: string;
}

export async function ownIds(ids: DistinctIds): Promise<OwnIds> {
  const digest = createHash("sha256");
  await updateWithIds(digest, ids.sorted);
  return { ...ids, digest: digest.digest("hex") };
}

/** What is to be kept of an alignment, whose common ids are in the order of bytes too. */
export function keptOf(
  { name, job }: Pick<KeptAlignment, "name" | "job">,
  { sorted, digest }: OwnIds,
  common: readonly string[],
): KeptAlignment {
  const bits = new Uint8Array(Math.ceil(sorted.length / 8));
  let next = 0;
  sorted.forEach((id, at) => {
    if (id !== common[next]) return;
    bits[at >> 3] |= 1 << (at & 7);
    next++;
  });
  return { name, job, digest, bits: Buffer.from(bits).toString("base64") };
}

export function commonOf({ bits }: KeptAlignment, { sorted }: OwnIds): string[] {
  const bytes = Buffer.from(bits, "base64");
  return sorted.filter((_, at) => (bytes[at >> 3] >> (at & 7)) & 1);
}

/**
 * Where alignments are kept. A job has its own, so that it goes on with the same people whatever was aligned meanwhile; the
 * last one is also kept for the next job of the family: the same sites, and people named by the same column, normalised alike.
 */
export class KeptAlignments {
  private readonly family: string;

  constructor(
    private readonly store: Store,
    private readonly job: string,
    { federation, parties, id, normalise }: Card,
  ) {
    const names = parties.map(({ name }) => name).sort();
    this.family = `alignments/${hashOf({ federation, names, id, ...defined({ normalise }) })}`;
  }

  /** What is kept for this job or its family, if the site's ids are still the same. */
  async find({ digest }: OwnIds): Promise<KeptAlignment | undefined> {
    const own = await readRecord<KeptAlignment>(this.store, this.own);
    // A damaged one of the family is made anew; damage of the job's own is an error of the job.
    const kept = own ?? (await readRecord<KeptAlignment>(this.store, this.family).catch(unlessDamaged));
    return kept?.digest === digest ? kept : undefined;
  }

  async keep(alignment: KeptAlignment): Promise<void> {
    await writeRecord(this.store, this.own, alignment);
    await writeRecord(this.store, this.family, alignment);
  }

  private get own(): string {
    return `jobs/${this.job}/aligned`;
  }
}

function unlessDamaged(error: unknown): undefined {
  if (!isDamage(error)) throw error;
}
