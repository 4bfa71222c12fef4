import { failed } from "../../errors.js";
import { type Card, jobId } from "../consent/card.js";
import { isDamage, readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";

/** How a job ended at a site; `expired`: this site's consent ended before the coordinator said that the job is over. */
export type JobEnding = "done" | "failed" | "expired";

/**
 * The jobs that are over at this site, for good. Promise: a job with a tombstone is never begun or answered again, whatever
 * other members' records say. It is on the disk before anything that was kept of the job is removed, and is never removed
 * itself. That it exists is enough: one that is damaged, or was written by an earlier version, counts.
 */
export class Tombstones {
  constructor(private readonly store: Store) {}

  async has(job: string): Promise<boolean> {
    try {
      return (await this.store.read(keyOf(job))) !== undefined;
    } catch (error) {
      // It is damaged, so it was written once.
      if (isDamage(error)) return true;
      throw error;
    }
  }

  /** How a job has ended here; undefined while it has not. */
  async ending(job: string): Promise<JobEnding | undefined> {
    if (!(await this.has(job))) return undefined;
    const { ending = "failed" } =
      (await readRecord<{ ending?: JobEnding }>(this.store, keyOf(job)).catch(() => undefined)) ?? {};
    return ending;
  }

  /** Throws when the job is over. */
  async refuse(job: string): Promise<void> {
    if (await this.has(job)) {
      throw failed(`job ${jobId(job)} is over here and is never begun again: submit it as a new job`);
    }
  }

  put(job: string, { nonce }: Pick<Card, "nonce">, ending: JobEnding, at: string): Promise<void> {
    return writeRecord(this.store, keyOf(job), { card: job, nonce, ending, at });
  }
}

function keyOf(job: string): string {
  return `jobs/${job}/over`;
}
