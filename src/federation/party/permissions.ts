import { MoietyError } from "../../errors.js";
import { type Card, jobId } from "../consent/card.js";
import type { Consents } from "./consents.js";
import type { Tombstones } from "./tombstones.js";

interface PermissionsOptions {
  readonly consents: Consents;
  readonly tombstones: Tombstones;
  readonly clock: () => number;
  /** Told of a job that still goes on although this site's consent to it has ended. */
  readonly onLate: (job: string) => void;
}

/** Which jobs may go on at this site: those that all have agreed to, that are not over, and whose deadline is to come. */
export class Permissions {
  /** When this site's consent to a job ends. */
  private readonly until = new Map<string, number>();

  constructor(private readonly options: PermissionsOptions) {}

  /** The card of a job that may begin. */
  async cardOf(job: string, signatures: Readonly<Record<string, string>>): Promise<Card> {
    const { consents, tombstones } = this.options;
    await tombstones.refuse(job);
    const { card, until } = await consents.agreed(job, signatures);
    this.until.set(job, until);
    this.check(job);
    return card;
  }

  /** Throws when the deadline has passed since this site agreed. */
  check(job: string): void {
    const { clock, onLate } = this.options;
    if (clock() <= (this.until.get(job) ?? Number.POSITIVE_INFINITY)) return;
    onLate(job);
    throw new MoietyError(
      "failed",
      `the deadline of job ${jobId(job)} has passed since this site agreed to it: nothing more is answered`,
    );
  }

  forget(job: string): void {
    this.until.delete(job);
  }
}
