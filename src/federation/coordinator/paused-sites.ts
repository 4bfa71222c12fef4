import type { ConnectedParty } from "./connected-parties.js";
import type { OpenJob } from "./open-job.js";

/** To look may mean to read all data again: minutes. */
const patience = 600_000;
/** Milliseconds from one look to the next: the first time, and at most. They double in between. */
const firstWait = 1000;
const longestWait = 60_000;

/** The sites that cannot go on with a job until something is put right there: they are asked now and then. */
export class PausedSites {
  private waiting: readonly ConnectedParty[] = [];
  private wait = firstWait;
  private due = 0;

  constructor(private readonly job: OpenJob) {}

  /** Whether an attempt of the run ended because some of these sites cannot go on: the job is paused then. */
  async by(handles: readonly ConnectedParty[]): Promise<boolean> {
    this.waiting = handles.filter(({ pause }) => pause);
    if (this.waiting.length === 0) return false;
    this.wait = firstWait;
    this.due = this.now + this.wait;
    await this.enter();
    return true;
  }

  /** Whether all of them can go on now, as far as they say. Whoever has a new connection is asked as it begins. */
  async allReady(): Promise<boolean> {
    const { connection } = this.job.context;
    this.waiting = this.waiting.filter(({ name, conversation }) => connection(name) === conversation);
    if (this.waiting.length === 0) return true;
    if (this.now < this.due) return false;
    const still = await Promise.all(this.waiting.map((handle) => this.isStill(handle)));
    this.waiting = this.waiting.filter((_, at) => still[at]);
    this.wait = Math.min(longestWait, 2 * this.wait);
    this.due = this.now + this.wait;
    if (this.waiting.length > 0) await this.enter();
    return this.waiting.length === 0;
  }

  private async isStill(handle: ConnectedParty): Promise<boolean> {
    try {
      await handle.ask("recheck", { job: this.job.record.hash }, { patience });
      return false;
    } catch {
      // Whatever it is, the job waits for the site: until its deadline.
      return true;
    }
  }

  private enter(): Promise<void> {
    const reasons = this.waiting.map(({ pause }) => pause!.message);
    return this.job.enter({ is: "paused", for: this.waiting.map(({ name }) => name), reason: reasons.join("; ") });
  }

  private get now(): number {
    return this.job.context.clock();
  }
}
