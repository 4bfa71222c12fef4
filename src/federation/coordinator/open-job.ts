import type { Progress } from "../../algorithms/types.js";
import type { TrainProgress } from "../../learning/types.js";
import { exchangeHeads } from "../audit/exchange-heads.js";
import type { MemberAudit } from "../audit/member-audit.js";
import { jobId } from "../consent/card.js";
import type { Kit } from "../identity/kit.js";
import { dropResults } from "../replay/results.js";
import type { Store } from "../store/types.js";
import type { Conversation } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import { isOver, type JobRecord, type JobState, type JobView, saveJob, viewOf } from "./job.js";

/** What a job needs of the process that it runs in. */
export interface JobContext {
  readonly kit: Kit;
  readonly store: Store;
  readonly audit: MemberAudit;
  /** The connection to a party, if it is there. */
  readonly connection: (party: string) => Conversation | undefined;
  /** Resolves when a party came or went, or after so many milliseconds. */
  readonly change: (most: number) => Promise<void>;
  readonly clock: () => number;
  readonly log: (line: string) => void;
}

/**
 * A job on a coordinator's hands: its record, and whatever changes it. A change is on the disk first, and only then here:
 * the two never disagree. Whatever is over stays so.
 */
export class OpenJob {
  progress: Progress | TrainProgress | undefined;
  /** The alignment, in ids, while it goes on. */
  aligning: { readonly done: number; readonly total: number } | undefined;
  /** Why nothing of it can be written down at present, and so nothing can go on. */
  trouble: string | undefined;
  /** When somebody last looked after it. */
  private heartbeat = 0;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    public record: JobRecord,
    readonly context: JobContext,
  ) {
    this.beat();
  }

  get over(): boolean {
    return isOver(this.record);
  }

  /** Everybody on the card. */
  get names(): string[] {
    return this.record.card.parties.map(({ name }) => name);
  }

  get view(): JobView {
    return viewOf(this.record, new Date(this.heartbeat).toISOString(), this);
  }

  beat(): void {
    this.heartbeat = this.context.clock();
  }

  /** Why it has failed by now, if its time is up. */
  get overdue(): string | undefined {
    const { submitted, card, state } = this.record;
    if (this.context.clock() <= Date.parse(submitted) + card.deadlineHours * 3_600_000) return undefined;
    const last = this.trouble ?? ("reason" in state ? state.reason : `it was ${state.is}`);
    return `not done by its deadline; ${last}`;
  }

  save(change: Partial<JobRecord>): Promise<void> {
    return this.inTurn(() => this.write({ ...this.record, ...change }));
  }

  /** The run goes on elsewhere: no checkpoint of before is of use. */
  beginStage(stage: NonNullable<JobRecord["stage"]>): Promise<void> {
    return this.inTurn(() => {
      const { keepers: _, ...record } = this.record;
      return this.write({ ...record, position: null, stage });
    });
  }

  enter(state: JobState): Promise<void> {
    return this.inTurn(async () => {
      if (this.over || JSON.stringify(state) === JSON.stringify(this.record.state)) return;
      const { audit, clock } = this.context;
      const { hash } = this.record;
      if (state.is === "done") await audit.note("finished", { job: hash });
      if (state.is === "failed") await audit.note("failed", { job: hash, reason: state.reason });
      await this.write({ ...this.record, state, since: new Date(clock()).toISOString() });
      this.say("reason" in state ? `${state.is}: ${state.reason}` : state.is);
    });
  }

  private async write(record: JobRecord): Promise<void> {
    await saveJob(this.context.store, record);
    this.record = record;
    this.trouble = undefined;
  }

  /** Changes wait for each other, so that none is lost. */
  private inTurn(change: () => Promise<void>): Promise<void> {
    const made = this.writing.then(change);
    this.writing = made.catch(() => undefined);
    return made;
  }

  /** It runs, with these parties. */
  async run(present: readonly string[]): Promise<void> {
    const without = this.names.filter((name) => !present.includes(name));
    await this.enter(without.length > 0 ? { is: "running", without } : { is: "running" });
  }

  /** It has a result. */
  async conclude(facts: NonNullable<JobRecord["facts"]>): Promise<void> {
    await this.save({ facts });
    await this.enter({ is: "done" });
    await dropResults(this.context.store, this.record.hash, Number.POSITIVE_INFINITY);
  }

  /** Everybody writes down how far everybody's log is. That somebody does not answer is no reason to stop. */
  async exchange(handles: readonly PartyHandle[]): Promise<void> {
    await exchangeHeads(this.context.audit, handles).catch((error: Error) => this.say(`audit: ${error.message}`));
  }

  say(text: string): void {
    this.context.log(`job ${jobId(this.record.hash)}: ${text}`);
  }
}
