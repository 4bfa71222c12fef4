import { lineOf } from "../../errors.js";
import type { MemberAudit } from "../audit/member-audit.js";
import { jobId } from "../consent/card.js";
import { type Identity, isRevoked, type Kit } from "../identity/kit.js";
import type { Log } from "../log.js";
import type { Store } from "../store/types.js";
import { revokedList } from "../transport/endpoints.js";
import type { Listener, Listening } from "../transport/types.js";
import { AnalystQuestions, mostOpen, mostOpenOfOne } from "./analyst-questions.js";
import { Connections } from "./connections.js";
import { type JobRecord, type JobView, loadJobs } from "./job.js";
import { type JobContext, OpenJob } from "./open-job.js";
import { JobRunner } from "./runner.js";

export interface CoordinatorOptions {
  readonly kit: Kit;
  readonly listening: Listening;
  readonly store: Store;
  readonly audit: MemberAudit;
  readonly clock: () => number;
  readonly log: Log;
  /** Told when somebody meets a limit, or is refused; default: a warning in `log`. */
  readonly refused?: (line: string) => void;
}

/** What its operator can see of a coordinator, at any moment. */
export interface CoordinatorView {
  readonly federation: string;
  /** The latest first. */
  readonly jobs: readonly JobView[];
  readonly members: readonly MemberView[];
  readonly limits: { readonly open: number; readonly mostOpen: number; readonly mostOpenOfOne: number };
}

interface MemberView extends Identity {
  /** Of a party; undefined of others, who come and go. */
  readonly connected?: boolean;
  /** Since when it is here, or away, as far as this process has seen. */
  readonly since?: string;
  /** When its certificate ends, where the kits say so. */
  readonly expires?: string;
  readonly revoked: boolean;
  /** Of an analyst: jobs that are neither done nor failed. */
  readonly open?: number;
}

/** Milliseconds from one look at deadlines and revoked certificates to the next. */
const watchEvery = 2000;
/** Looks between two attempts to inform connected parties of the end of a job. */
const releaseEvery = 15;
/** Milliseconds between questions about waiting jobs: with more than a hundred of them each is asked about less often. */
const pace = 10;

/** The coordinator's process: one port, the connections to the parties, and the jobs. */
export class CoordinatorService {
  private readonly jobs = new Map<string, JobRunner>();
  private readonly unreadable = new Set<string>();
  /** For each job that waits for a change: what lets it go on. */
  private readonly waiting = new Set<() => void>();
  private readonly context: JobContext;
  private readonly connections: Connections;
  private readonly questions: AnalystQuestions;
  private listener: Listener | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly options: CoordinatorOptions) {
    const { kit, store, audit, clock, log } = options;
    const { refused = (line: string) => log(line, "warning") } = options;
    const connection = (party: string) => this.connections.of(party);
    this.questions = new AnalystQuestions({ ...options, refused, connection }, this.jobs, this.unreadable, (record) =>
      this.lead(record),
    );
    this.connections = new Connections({
      kit,
      log,
      refused,
      clock,
      heads: () => ({ meta: { heads: audit.heads } }),
      answer: (asker, question) => this.questions.answer(asker, question),
      changed: (came) => {
        for (const go of [...this.waiting]) go();
        if (came !== undefined) this.release();
      },
    });
    const software = (party: string) => this.connections.softwareOf(party);
    this.context = { kit, store, audit, clock, log, connection, software, change: (most) => this.change(most) };
  }

  /** Takes up the jobs that an earlier process left, and opens the port. */
  async start(): Promise<number> {
    const { store, listening, log } = this.options;
    for (const { hash, record, damage } of await loadJobs(store)) {
      if (damage) log(`job ${jobId(hash)}: ${damage}`, "warning");
      if (record) this.lead(record);
      else this.unreadable.add(hash);
    }
    this.listener = await listening.listen((link) => this.connections.accept(link));
    let looks = 0;
    this.watch = setInterval(() => {
      this.connections.tidy();
      for (const runner of this.jobs.values()) runner.checkDeadline();
      if (++looks % releaseEvery === 0) this.release();
    }, watchEvery);
    return this.listener.port;
  }

  async stop(): Promise<void> {
    clearInterval(this.watch);
    this.connections.close();
    await this.listener?.close();
  }

  view(): CoordinatorView {
    const { kit } = this.options;
    const jobs = [...this.jobs.values()].map(({ job }) => job);
    const open = jobs.filter(({ over }) => !over);
    const revoked = revokedList(kit);
    const members = kit.members.map((member): MemberView => {
      const { role, name, expires } = member;
      const since = this.connections.since(name);
      return {
        role,
        name,
        revoked: isRevoked(member, revoked),
        ...(expires === undefined ? {} : { expires }),
        ...(role === "party" ? { connected: this.connections.of(name) !== undefined } : {}),
        ...(role === "party" && since !== undefined ? { since } : {}),
        ...(role === "analyst" ? { open: open.filter(({ record }) => record.card.analyst === name).length } : {}),
      };
    });
    return {
      federation: kit.federation,
      jobs: jobs.map(({ view }) => view).sort((a, b) => (a.submitted < b.submitted ? 1 : -1)),
      members,
      limits: { open: open.length, mostOpen, mostOpenOfOne },
    };
  }

  /** Ends a job, as its operator. Who that was, where people log in to the page, stays in this member's own log. */
  async cancel(id: string, by?: string): Promise<void> {
    const operator = { role: "coordinator", name: this.options.kit.name } as const;
    await this.questions.answer(operator, { method: "cancel", meta: { id }, body: new Uint8Array(0) });
    if (by !== undefined) await this.options.audit.note("cancelled", { job: id, by });
  }

  private lead(record: JobRecord): void {
    const runner = new JobRunner(new OpenJob(record, this.context));
    this.jobs.set(record.hash, runner);
    if (!runner.job.over) runner.drive().catch((error) => this.options.log(lineOf(error), "warning"));
  }

  /** Informs connected parties that do not know yet that a job is over. */
  private release(): void {
    for (const runner of this.jobs.values()) if (runner.job.over) runner.release();
  }

  private change(most: number): Promise<void> {
    const wait = Math.max(most, pace * this.waiting.size);
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, wait);
      this.waiting.add(done);
    });
  }
}
