import { lineOf } from "../../errors.js";
import type { MemberAudit } from "../audit/member-audit.js";
import { jobId } from "../consent/card.js";
import type { Kit } from "../identity/kit.js";
import type { Log } from "../log.js";
import type { Store } from "../store/types.js";
import type { Listener, Listening } from "../transport/types.js";
import { AnalystQuestions } from "./analyst-questions.js";
import { Connections } from "./connections.js";
import { type JobRecord, loadJobs } from "./job.js";
import { type JobContext, OpenJob } from "./open-job.js";
import { JobRunner } from "./runner.js";

export interface CoordinatorOptions {
  readonly kit: Kit;
  readonly listening: Listening;
  readonly store: Store;
  readonly audit: MemberAudit;
  readonly clock: () => number;
  readonly log: Log;
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
  private listener: Listener | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly options: CoordinatorOptions) {
    const { kit, store, audit, clock, log } = options;
    const questions = new AnalystQuestions(options, this.jobs, this.unreadable, (record) => this.lead(record));
    this.connections = new Connections({
      kit,
      log,
      clock,
      heads: () => ({ meta: { heads: audit.heads } }),
      answer: (asker, question) => questions.answer(asker, question),
      changed: (came) => {
        for (const go of [...this.waiting]) go();
        if (came !== undefined) this.release();
      },
    });
    const connection = (party: string) => this.connections.of(party);
    this.context = { kit, store, audit, clock, log, connection, change: (most) => this.change(most) };
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
