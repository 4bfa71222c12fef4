import { exchangeHeads, type MemberAudit } from "../audit/member-audit.js";
import { jobId } from "../consent/card.js";
import type { Kit } from "../identity/kit.js";
import type { Log, LogLevel } from "../log.js";
import { Queues } from "../queues.js";
import { dropResults } from "../replay/results.js";
import type { Store } from "../store/types.js";
import type { Conversation } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/types.js";
import { isOver, type JobRecord, type JobState, type JobView, saveJob } from "./job.js";
import { SiteTimes, siteViews } from "./site-views.js";

/** What a job needs of the process that it runs in. */
export interface JobContext {
  readonly kit: Kit;
  readonly store: Store;
  readonly audit: MemberAudit;
  /** The connection to a party, if there is one. */
  readonly connection: (party: string) => Conversation | undefined;
  /** The version of moiety that a party runs. */
  readonly software: (party: string) => string | undefined;
  /** Resolves when a party connects or leaves, or after so many milliseconds. */
  readonly change: (most: number) => Promise<void>;
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * A job at the coordinator: its record, and all changes of it. A change is written to the disk first, and only then here, so
 * the two never disagree. A job that is over stays so.
 */
export class OpenJob {
  progress: JobView["progress"] = null;
  /** The alignment, in ids, while it goes on. */
  aligning: JobView["aligning"] = null;
  /** Why nothing of it can be written down at present, and so nothing can go on. */
  trouble: string | undefined;
  readonly times: SiteTimes;
  /** When the coordinator last worked on it. */
  private heartbeat = 0;
  /** Changes wait for each other, so that none is lost. */
  private readonly turns = new Queues();

  constructor(
    public record: JobRecord,
    readonly context: JobContext,
  ) {
    this.beat();
    this.times = new SiteTimes(context.clock);
    this.noteWaiting(record.state, Date.parse(record.since));
  }

  get over(): boolean {
    return isOver(this.record);
  }

  /** Everybody on the card. */
  get names(): string[] {
    return this.record.card.parties.map(({ name }) => name);
  }

  get view(): JobView {
    const { hash, card, state, submitted, since, epoch } = this.record;
    // While nothing can be written, neither can the state "paused".
    const stuck = this.over ? undefined : this.trouble;
    const without = state.is === "running" && state.without ? `goes on without ${state.without.join(", ")}` : null;
    return {
      id: jobId(hash),
      algorithm: card.algorithm,
      k: card.k,
      learns: card.train !== undefined,
      analyst: card.analyst,
      ...(card.person === undefined ? {} : { person: card.person }),
      parties: this.names,
      submitted,
      state: stuck ? "paused" : state.is === "waiting" ? `waiting-for-${state.for.join(",")}` : state.is,
      reason: stuck ?? ("reason" in state ? state.reason : without),
      since,
      heartbeat: new Date(this.heartbeat).toISOString(),
      deadline: new Date(this.deadline).toISOString(),
      epochs: epoch,
      progress: this.progress,
      aligning: this.aligning,
      sites: siteViews({
        record: this.record,
        times: this.times,
        connected: (name) => this.context.connection(name) !== undefined,
        aligning: this.aligning !== null,
        progress: this.progress !== null,
      }),
    };
  }

  beat(): void {
    this.heartbeat = this.context.clock();
  }

  /** Why it has failed by now, if its time is up. */
  get overdue(): string | undefined {
    const { state } = this.record;
    if (this.context.clock() <= this.deadline) return undefined;
    const last = this.trouble ?? ("reason" in state ? state.reason : `it was ${state.is}`);
    return `not done by its deadline; ${last}`;
  }

  private get deadline(): number {
    const { submitted, card } = this.record;
    return Date.parse(submitted) + card.deadlineHours * 3_600_000;
  }

  save(change: Partial<JobRecord>): Promise<void> {
    return this.turns.take("", () => this.write({ ...this.record, ...change }));
  }

  /** A party has refused it, and why. Several may do so at once. */
  refuse(party: string, reason: string): Promise<void> {
    return this.turns.take("", () => {
      return this.write({ ...this.record, refusals: { ...this.record.refusals, [party]: reason } });
    });
  }

  /** The run goes on with another stage: checkpoints of before are of no use. */
  beginStage(stage: NonNullable<JobRecord["stage"]>): Promise<void> {
    return this.turns.take("", () => {
      const { keepers: _, ...record } = this.record;
      return this.write({ ...record, position: null, stage });
    });
  }

  enter(state: JobState): Promise<void> {
    return this.turns.take("", async () => {
      if (this.over || JSON.stringify(state) === JSON.stringify(this.record.state)) return;
      const { audit, clock } = this.context;
      const { hash } = this.record;
      if (state.is === "done") await audit.note("finished", { job: hash });
      if (state.is === "failed") await audit.note("failed", { job: hash, reason: state.reason });
      await this.write({ ...this.record, state, since: new Date(clock()).toISOString() });
      this.noteWaiting(state, clock());
      if ("reason" in state) this.say(`${state.is}: ${state.reason}`, "warning");
      else this.say(state.is);
    });
  }

  private noteWaiting(state: JobState, since: number): void {
    this.times.wait("for" in state ? state.for : [], since);
  }

  private async write(record: JobRecord): Promise<void> {
    await saveJob(this.context.store, record);
    this.record = record;
    this.trouble = undefined;
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

  /** All members write down how far all logs are. A party that does not answer is no reason to stop. */
  async exchange(handles: readonly PartyHandle[]): Promise<void> {
    await exchangeHeads(this.context.audit, handles).catch((error: Error) =>
      this.say(`audit: ${error.message}`, "warning"),
    );
  }

  say(text: string, level?: LogLevel): void {
    this.context.log(`job ${jobId(this.record.hash)}: ${text}`, level);
  }
}
