import { MoietyError } from "../../errors.js";
import { type Card, jobId } from "../consent/card.js";
import { isDamage, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";

/** How a job ended at a site; `expired`: nobody said so before this site's consent to it ended. */
export type JobEnding = "done" | "failed" | "expired";

/**
 * The jobs that are over at this site, for good. Promise: what has a tombstone is never begun or answered again, whatever
 * anybody else's record says. It is on the disk before anything that was kept of the job goes, and is never removed. That it is
 * there is enough: one that was damaged, or was written by an earlier version, still stands.
 */
export class Tombstones {
  constructor(private readonly store: Store) {}

  async has(job: string): Promise<boolean> {
    try {
      return (await this.store.read(keyOf(job))) !== undefined;
    } catch (error) {
      // Damaged, and so written once.
      if (isDamage(error)) return true;
      throw error;
    }
  }

  /** Throws when the job is over. */
  async refuse(job: string): Promise<void> {
    if (await this.has(job)) {
      throw new MoietyError(
        "failed",
        `job ${jobId(job)} is over here and is never begun again: submit it as a new job`,
      );
    }
  }

  put(job: string, { nonce }: Pick<Card, "nonce">, ending: JobEnding, at: string): Promise<void> {
    return writeRecord(this.store, keyOf(job), { card: job, nonce, ending, at });
  }
}

function keyOf(job: string): string {
  return `jobs/${job}/over`;
}
