import { failed, lineOf, MoietyError } from "../../errors.js";
import { masksOnRing } from "../consent/settings.js";
import { failureFor } from "../transport/failures.js";
import { beginAttempt, runAttempt } from "./attempt.js";
import { type Attempt, handlesOf, namesOfGone, patience } from "./connected-parties.js";
import { loadLetters } from "./job.js";
import type { OpenJob } from "./open-job.js";
import { StageEnded } from "./run-stage.js";
import { enoughParties, gatherConsents, PausedSites } from "./waiting.js";

/** Milliseconds after which a party whose operator has not decided yet is asked again. */
const askAgain = 1000;
/** Attempts that a run may lose at the same checkpoint before it is called failed. */
const mostAttempts = 20;

/** Unexpected errors after which a coordinator gives a run up, unless it has come further in between. */
const mostFaults = 5;
/** Milliseconds of the first pause after an unexpected error, or while nothing can be written; it doubles, up to the last. */
const firstPause = 200;
const lastPause = 60_000;

/** Leads one job from its submission to its end, across any number of interruptions. */
export class JobRunner {
  private readonly stopping = new AbortController();
  private attempts = 0;
  private faults = 0;
  private pauses = 0;
  /** Why the job has failed, until that is written down. */
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
      if (job.overdue !== undefined) throw failed(job.overdue);
      // Who is connected is looked at last: sites may leave while others are asked.
      const ready = (await gatherConsents(job)) && (await this.paused.allReady()) && (await enoughParties(job));
      if (ready) await this.runOnce();
      else await job.context.change(askAgain);
      this.pauses = 0;
      job.trouble = undefined;
    } catch (error) {
      if (!(error instanceof MoietyError) || error.code === "output") throw error;
      this.failed = failureFor(error).message;
    }
  }

  /** After an error that the job did not cause: a full disk is waited for, and an unexpected error leads to another try. */
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
    if (!(error instanceof MoietyError) || trouble !== job.trouble) job.say(`paused: ${lineOf(error)}`, "warning");
    job.trouble = trouble;
  }

  /** Informs every connected party that the job is over; one call waits for the one before. */
  release(): Promise<void> {
    this.releasing = this.releasing
      .then(() => releaseParties(this.job))
      .catch((error) => this.job.say(`not all parties know that it is over: ${lineOf(error)}`, "warning"));
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
      throw failed(`lost ${gone.join(", ")} ${mostAttempts} times without coming further`);
    }
    await job.enter({ is: "paused", for: gone, reason: `lost the connection to ${gone.join(", ")}` });
  }
}

/** Informs every connected party that the job is over; the others are informed when they connect. */
async function releaseParties(job: OpenJob): Promise<void> {
  const { hash, state, released } = job.record;
  const is = state.is === "done" ? "done" : "failed";
  const waiting = job.names.filter((name) => !released.includes(name));
  const handles = handlesOf(job, waiting);
  for (const batch of masksOnRing(job.record.card) ? [handles] : handles.map((handle) => [handle])) {
    const informed = await Promise.all(
      batch.map(async (handle) => {
        const body = is === "done" ? await deliveryFor(job, handle.name) : undefined;
        const options = { patience, ...(body ? { body } : {}) };
        return handle.ask("release", { job: hash, state: is }, options).then(
          () => [handle.name],
          () => [],
        );
      }),
    );
    if (informed.flat().length > 0) await job.save({ released: [...job.record.released, ...informed.flat()] });
  }
  if (job.record.released.length > released.length) await job.exchange(handlesOf(job, job.names));
}

/** The others' letters to a party, unopened, and what the coordinator knows, where the card gives it the summary. */
async function deliveryFor({ record, names, context }: OpenJob, party: string): Promise<Uint8Array | undefined> {
  const { card, hash, facts } = record;
  if (card.train || !card.summary.includes("parties") || !facts) return undefined;
  const parts: Record<string, string> = {};
  // Of many sites none writes to the others.
  for (const name of masksOnRing(card) ? [] : names) {
    const letter = (await loadLetters(context.store, hash, name)).parts[party];
    if (letter !== undefined) parts[name] = letter;
  }
  return Buffer.from(JSON.stringify({ facts, parts }));
}
