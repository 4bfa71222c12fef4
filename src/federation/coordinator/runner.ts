import { lineOf, MoietyError } from "../../errors.js";
import { failureFor } from "../transport/failures.js";
import { type Attempt, beginAttempt, runAttempt } from "./attempt.js";
import { enoughParties, namesOfGone } from "./connected-parties.js";
import { gatherConsents } from "./consents.js";
import type { OpenJob } from "./open-job.js";
import { PausedSites } from "./paused-sites.js";
import { releaseParties } from "./release.js";
import { StageEnded } from "./run-stage.js";

/** How often a party that waits for its operator is asked again. */
const askAgain = 1000;
/** Attempts that a run may lose at the same checkpoint before it is called failed. */
const mostAttempts = 20;

/** Faults of its own after which a coordinator gives a run up, unless it has come further in between. */
const mostFaults = 5;
/** Milliseconds of the first pause after a fault, or while nothing can be written; it doubles, up to the last. */
const firstPause = 200;
const lastPause = 60_000;

/** Leads one job from its submission to its end, across any number of interruptions. */
export class JobRunner {
  private readonly stopping = new AbortController();
  private attempts = 0;
  private faults = 0;
  private pauses = 0;
  /** Why the job has failed, while that is not written down. */
  private failed: string | undefined;
  private readonly paused: PausedSites;
  private releasing: Promise<void> = Promise.resolve();

  constructor(readonly job: OpenJob) {
    this.paused = new PausedSites(job);
  }

  /** The job has failed, at once, whatever its run is doing. */
  async end(reason: string): Promise<void> {
    await this.job.enter({ is: "failed", reason });
    this.stopping.abort();
    this.release();
  }

  /** A run that hangs does not outlive its deadline. */
  checkDeadline(): void {
    const { over, overdue } = this.job;
    if (!over && overdue !== undefined) this.end(overdue).catch((error) => this.reportTrouble(error));
  }

  /** Returns when the job is done or has failed. */
  async drive(): Promise<void> {
    const { job } = this;
    while (!job.over) {
      job.beat();
      try {
        await this.step();
      } catch (error) {
        await this.waitAfterFault(error);
      }
    }
    await this.release();
  }

  private async step(): Promise<void> {
    const { job } = this;
    try {
      if (this.failed !== undefined) return await job.enter({ is: "failed", reason: this.failed });
      if (job.overdue !== undefined) throw new MoietyError("failed", job.overdue);
      const ready = (await gatherConsents(job)) && (await enoughParties(job)) && (await this.paused.allReady());
      if (ready) await this.runOnce();
      else await job.context.change(askAgain);
      this.pauses = 0;
      job.trouble = undefined;
    } catch (error) {
      if (!(error instanceof MoietyError) || error.code === "output") throw error;
      this.failed = failureFor(error).message;
    }
  }

  /** What is no fault of the job's: a disk that takes nothing is waited for, and what nobody expected is tried again. */
  private async waitAfterFault(error: unknown): Promise<void> {
    if (this.job.over) return;
    this.reportTrouble(error);
    if (!(error instanceof MoietyError) && ++this.faults > mostFaults) {
      this.failed = `something unexpected went wrong ${this.faults} times: see the coordinator's log`;
    }
    await this.job.context.change(Math.min(lastPause, firstPause * 2 ** this.pauses++));
  }

  private reportTrouble(error: unknown): void {
    const { job } = this;
    const trouble = error instanceof MoietyError ? `${error.told} at the coordinator` : job.trouble;
    if (!(error instanceof MoietyError) || trouble !== job.trouble) job.say(`paused: ${lineOf(error)}`);
    job.trouble = trouble;
  }

  /** Tells every party that is there that the job is over, one time after the other. */
  release(): Promise<void> {
    this.releasing = this.releasing
      .then(() => releaseParties(this.job))
      .catch((error) => this.job.say(`not all parties know that it is over: ${lineOf(error)}`));
    return this.releasing;
  }

  /** One attempt of the run. */
  private async runOnce(): Promise<void> {
    const attempt = await beginAttempt(this.job, this.stopping.signal, () => {
      this.attempts = 0;
      this.faults = 0;
    });
    const beat = setInterval(() => this.job.beat(), 1000);
    try {
      await runAttempt(attempt);
    } catch (error) {
      await this.endAttempt(attempt, error);
    } finally {
      clearInterval(beat);
    }
  }

  /** The next attempt begins with those who are there then, or where this one ended; other errors end the job. */
  private async endAttempt({ job, handles }: Attempt, error: unknown): Promise<void> {
    if (error instanceof StageEnded) {
      await job.beginStage(error.stage);
      this.attempts = 0;
      return;
    }
    if (!this.stopping.signal.aborted && (await this.paused.by(handles))) return;
    const gone = await namesOfGone(handles);
    if (gone.length === 0 || this.stopping.signal.aborted) throw error;
    if (++this.attempts > mostAttempts) {
      throw new MoietyError("failed", `lost ${gone.join(", ")} ${mostAttempts} times without coming further`);
    }
    await job.enter({ is: "paused", for: gone, reason: `lost the connection to ${gone.join(", ")}` });
  }
}
