import type { Progress } from "../../algorithms/types.js";
import { MoietyError } from "../../errors.js";
import type { TrainProgress } from "../../learning/types.js";
import { exchangeHeads } from "../audit/exchange.js";
import type { MemberAudit } from "../audit/member.js";
import { jobId } from "../consent/card.js";
import type { Kit } from "../identity/kit.js";
import { dropResults } from "../replay/results.js";
import type { Store } from "../store/types.js";
import type { Conversation } from "../transport/conversation.js";
import { isOver, type JobRecord, type JobState, type JobView, saveJob, viewOf } from "./job.js";
import type { Seat } from "./panel.js";

/** What a job needs of the process that it lives in. */
export interface Surroundings {
  readonly kit: Kit;
  readonly store: Store;
  readonly audit: MemberAudit;
  /** The line to a party, if it is there. */
  readonly line: (party: string) => Conversation | undefined;
  /** Resolves when a party came or went, or after so many milliseconds. */
  readonly change: (most: number) => Promise<void>;
  readonly clock: () => number;
  readonly log: (line: string) => void;
}

/** A job on a coordinator's hands: its record, and whatever changes it. A change is durable when it resolves. */
export class OpenJob {
  progress: Progress | TrainProgress | undefined;
  /** The alignment, in ids, while it goes on. */
  aligning: { readonly done: number; readonly total: number } | undefined;
  /** When somebody last looked after it. */
  private heartbeat = 0;

  constructor(
    public record: JobRecord,
    readonly around: Surroundings,
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
    this.heartbeat = this.around.clock();
  }

  checkDeadline(): void {
    const { submitted, card, state } = this.record;
    if (this.heartbeat <= Date.parse(submitted) + card.deadlineHours * 3_600_000) return;
    const last = "reason" in state ? state.reason : `it was ${state.is}`;
    throw new MoietyError("failed", `not done by its deadline; ${last}`);
  }

  async save(change: Partial<JobRecord>): Promise<void> {
    this.record = { ...this.record, ...change };
    await saveJob(this.around.store, this.record);
  }

  async enter(state: JobState): Promise<void> {
    if (JSON.stringify(state) === JSON.stringify(this.record.state)) return;
    if (state.is === "done") await this.around.audit.note("finished", { job: this.record.hash });
    if (state.is === "failed") await this.around.audit.note("failed", { job: this.record.hash, reason: state.reason });
    await this.save({ state, since: new Date(this.around.clock()).toISOString() });
    this.say("reason" in state ? `${state.is}: ${state.reason}` : state.is);
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
    await dropResults(this.around.store, this.record.hash, Number.POSITIVE_INFINITY);
  }

  /** Everybody writes down how far everybody's log is. That somebody does not answer is no reason to stop. */
  async exchange(seats: readonly Seat[]): Promise<void> {
    await exchangeHeads(this.around.audit, seats).catch((error: Error) => this.say(`audit: ${error.message}`));
  }

  say(text: string): void {
    this.around.log(`job ${jobId(this.record.hash)}: ${text}`);
  }
}
