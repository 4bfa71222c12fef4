import { MoietyError } from "../../errors.js";
import { gatherConsents } from "./consents.js";
import { beginLife, type Life, live } from "./life.js";
import type { OpenJob } from "./open-job.js";
import { PausedSites } from "./paused-sites.js";
import { releaseParties } from "./release.js";
import { enoughParties, namesOfGone } from "./seats.js";
import { StageEnded } from "./stage.js";

/** How often a party that waits for its operator is asked again. */
const askAgain = 1000;
/** Lives that a run may lose at the same checkpoint before it is called failed. */
const mostLives = 20;

/** Leads one job from its submission to its end, across any number of interruptions. */
export class JobRunner {
  private readonly stopping = new AbortController();
  private lives = 0;
  private readonly paused: PausedSites;
  private releasing: Promise<void> = Promise.resolve();

  constructor(readonly job: OpenJob) {
    this.paused = new PausedSites(job);
  }

  cancel(): void {
    this.stopping.abort();
  }

  /** Returns when the job is done or has failed. */
  async drive(): Promise<void> {
    const { job } = this;
    while (!job.over) {
      job.beat();
      try {
        if (this.stopping.signal.aborted) throw new MoietyError("cancelled", this.cancelled);
        job.checkDeadline();
        const ready = (await gatherConsents(job)) && (await enoughParties(job)) && (await this.paused.mended());
        if (ready) await this.runOnce();
        else await job.around.change(askAgain);
      } catch (error) {
        await this.fail(error);
      }
    }
    await this.release();
  }

  /** Tells every party that is there that the job is over, one time after the other. */
  release(): Promise<void> {
    this.releasing = this.releasing.then(() => releaseParties(this.job)).catch(() => undefined);
    return this.releasing;
  }

  /** One life of the run. */
  private async runOnce(): Promise<void> {
    const life = await beginLife(this.job, this.stopping.signal, () => {
      this.lives = 0;
    });
    const beat = setInterval(() => this.job.beat(), 1000);
    try {
      await live(life);
    } catch (error) {
      await this.survive(life, error);
    } finally {
      clearInterval(beat);
    }
  }

  /** The next life begins with those who are there then, or where this one ended; other errors end the job. */
  private async survive({ job, seats }: Life, error: unknown): Promise<void> {
    if (error instanceof StageEnded) {
      const { keepers: _, ...record } = job.record;
      job.record = record;
      await job.save({ position: null, stage: error.stage });
      this.lives = 0;
      return;
    }
    if (!this.stopping.signal.aborted && (await this.paused.by(seats))) return;
    const gone = await namesOfGone(seats);
    if (gone.length === 0 || this.stopping.signal.aborted) throw error;
    if (++this.lives > mostLives) {
      throw new MoietyError("failed", `lost ${gone.join(", ")} ${mostLives} times without coming further`);
    }
    await job.enter({ is: "paused", for: gone, reason: `lost the line to ${gone.join(", ")}` });
  }

  private async fail(error: unknown): Promise<void> {
    const expected = error instanceof MoietyError;
    if (!expected) this.job.say(`unexpected: ${(error as Error).stack ?? error}`);
    const why = expected ? error.message : "something unexpected went wrong: see the coordinator's log";
    await this.job.enter({ is: "failed", reason: this.stopping.signal.aborted ? this.cancelled : why });
  }

  private get cancelled(): string {
    return `cancelled by ${this.job.record.card.analyst}`;
  }
}
