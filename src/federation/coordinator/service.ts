import { z } from "zod";
import { lineOf, MoietyError } from "../../errors.js";
import type { MemberAudit } from "../audit/member.js";
import { cardHash, checkCard, jobId } from "../consent/card.js";
import { verifyHash } from "../consent/signature.js";
import { type Kit, memberOf, recognise } from "../identity/kit.js";
import type { Store } from "../store/types.js";
import { type Answer, Conversation, type Question } from "../transport/conversation.js";
import { revokedList } from "../transport/endpoints.js";
import type { Link, Listener, Listening } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import { checkGreeting } from "../wire/greeting.js";
import { createJob, type JobRecord, loadJobs, loadLetters } from "./job.js";
import { OpenJob, type Surroundings } from "./open-job.js";
import { JobRunner } from "./runner.js";

export interface CoordinatorOptions {
  readonly kit: Kit;
  readonly listening: Listening;
  readonly store: Store;
  readonly audit: MemberAudit;
  readonly clock: () => number;
  readonly log: (line: string) => void;
}

/** Jobs that are neither done nor failed: more would be a flood. */
const mostOpen = 200;

const submitSchema = z.strictObject({ card: z.unknown(), signature: z.string().max(200) });
const idSchema = z.strictObject({ id: z.string().regex(/^[0-9a-f]{4,64}$/) });

/** The coordinator's process: one port, the lines to the parties, and the jobs. */
export class CoordinatorService {
  private readonly parties = new Map<string, Conversation>();
  private readonly lines = new Set<Conversation>();
  private readonly jobs = new Map<string, JobRunner>();
  /** Jobs of which nothing can be read any more. */
  private readonly unreadable = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private readonly around: Surroundings;
  private listener: Listener | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly options: CoordinatorOptions) {
    const { kit, store, audit, clock, log } = options;
    this.around = {
      kit,
      store,
      audit,
      clock,
      log,
      line: (party) => this.parties.get(party),
      change: (most) => this.change(most),
    };
  }

  /** Takes up the jobs that an earlier process left, and opens the port. */
  async start(): Promise<number> {
    for (const { hash, record, damage } of await loadJobs(this.options.store)) {
      if (damage) this.options.log(`job ${jobId(hash)}: ${damage}`);
      if (record) this.lead(record);
      else this.unreadable.add(hash);
    }
    this.listener = await this.options.listening.listen((link) => this.accept(link));
    this.watch = setInterval(() => this.dropRevoked(), 2000);
    return this.listener.port;
  }

  async stop(): Promise<void> {
    clearInterval(this.watch);
    for (const line of this.lines) line.close();
    await this.listener?.close();
  }

  private lead(record: JobRecord): JobRunner {
    const runner = new JobRunner(new OpenJob(record, this.around));
    this.jobs.set(record.hash, runner);
    if (!runner.job.over) {
      runner.drive().catch((error: Error) => this.options.log(`unexpected: ${error.stack ?? error.message}`));
    }
    return runner;
  }

  private accept(link: Link): void {
    const { log } = this.options;
    let greeted = false;
    const conversation: Conversation = new Conversation(link, {
      answer: async (question) => {
        if (question.method === "heads") return { meta: { heads: this.options.audit.heads } };
        if (!greeted) {
          this.greet(conversation, question);
          greeted = true;
          return {};
        }
        return this.answer(conversation, question);
      },
      mostAsked: () => 4 << 20,
    });
    conversation.onUntold = (error) => log(lineOf(error));
    this.lines.add(conversation);
    // Whoever comes says who they are, soon.
    const timer = setTimeout(() => greeted || conversation.close(), 10_000);
    conversation.ended.then((reason) => {
      clearTimeout(timer);
      this.lines.delete(conversation);
      const { role, name } = link.peer;
      if (this.parties.get(name) === conversation) {
        this.parties.delete(name);
        log(`${name} is gone${reason ? `: ${reason.message}` : ""}`);
        this.changed();
      } else if (reason && role !== "party") log(`${role} ${name}: ${reason.message}`);
    });
  }

  private greet(conversation: Conversation, { method, meta }: Question): void {
    const { kit, log } = this.options;
    const { peer } = conversation;
    try {
      if (method !== "hello") throw new MoietyError("failed", "a greeting comes first");
      checkGreeting(meta, peer, kit.federation);
      if (peer.role === "coordinator") throw new MoietyError("failed", "there is one coordinator");
    } catch (error) {
      log(`${peer.role} ${peer.name} was refused: ${(error as Error).message}`);
      setTimeout(() => conversation.close(), 100);
      throw error;
    }
    if (peer.role !== "party") return;
    // Whoever reconnects may do so before the old line is known to be dead.
    this.parties.get(peer.name)?.close();
    this.parties.set(peer.name, conversation);
    log(`${peer.name} is here`);
    this.changed();
    for (const runner of this.jobs.values()) if (runner.job.over) runner.release().catch(() => undefined);
  }

  private async answer(conversation: Conversation, { method, meta }: Question): Promise<Answer> {
    const { role, name } = conversation.peer;
    if (role !== "analyst") throw new MoietyError("failed", `a ${role} may not ask '${method}'`);
    switch (method) {
      case "submit":
        return { meta: await this.submit(name, checked(submitSchema, meta)) };
      case "list":
        return { meta: this.jobsOf(name).map(({ job }) => job.view) };
      case "show": {
        const { view, record } = this.find(name, meta).job;
        return { meta: { ...view, card: record.card, hash: record.hash } };
      }
      case "cancel": {
        const runner = this.find(name, meta);
        const { over, view } = runner.job;
        if (over) throw new MoietyError("usage", `job ${view.id} is ${view.state} already`);
        runner.cancel();
        this.changed();
        return {};
      }
      case "result":
        return this.result(this.find(name, meta).job);
      default:
        throw new MoietyError("failed", `a coordinator knows no question '${method}'`);
    }
  }

  private async submit(analyst: string, { card: value, signature }: z.infer<typeof submitSchema>) {
    const { kit, store, audit, clock } = this.options;
    const card = checkCard(value);
    const hash = cardHash(card);
    if (card.analyst !== analyst) throw new MoietyError("input", `the card is that of analyst '${card.analyst}'`);
    if (card.federation !== kit.federation) throw new MoietyError("input", "the card is of another federation");
    verifyHash(memberOf(kit, { role: "analyst", name: analyst }), "submit", hash, signature);
    for (const { name } of card.parties) memberOf(kit, { role: "party", name });
    if (this.jobs.has(hash) || this.unreadable.has(hash)) {
      throw new MoietyError("input", "this card was submitted before: a replay is refused");
    }
    if ([...this.jobs.values()].filter(({ job }) => !job.over).length >= mostOpen) {
      throw new MoietyError("failed", `${mostOpen} jobs are open already: wait, or cancel some`);
    }
    const now = new Date(clock()).toISOString();
    const names = card.parties.map(({ name }) => name);
    const record: JobRecord = {
      hash,
      card,
      signature,
      submitted: now,
      state: { is: "waiting", for: names, reason: "not asked yet" },
      since: now,
      consents: {},
      epoch: 0,
      position: null,
      released: [],
    };
    await audit.note("submitted", { job: hash, analyst, algorithm: card.algorithm, parties: names.join(" ") });
    await createJob(store, record);
    this.lead(record);
    return { id: jobId(hash), hash };
  }

  /** The facts, and the letters to the analyst, unopened. */
  private async result({ record }: OpenJob): Promise<Answer> {
    const { store } = this.options;
    const { state, facts, hash, card } = record;
    if (state.is !== "done" || !facts) {
      const why = "reason" in state ? `: ${state.reason}` : "";
      throw new MoietyError("usage", `job ${jobId(hash)} has no result: it is ${state.is}${why}`);
    }
    const letters: Record<string, unknown> = {};
    for (const { name } of card.parties) {
      // Who was away at the end has written nothing.
      const { parts, labels } = await loadLetters(store, hash, name);
      letters[name] = { part: parts[card.analyst] ?? null, labels: labels ?? null };
    }
    if ("training" in facts) {
      const model = card.model?.includes("analyst") ? await store.read(`jobs/${hash}/model`) : undefined;
      const own = model ? { model: Buffer.from(model).toString("utf8") } : {};
      return { body: Buffer.from(JSON.stringify({ hash, card, facts, letters, ...own })) };
    }
    if ("aligned" in facts) return { body: Buffer.from(JSON.stringify({ hash, card, facts, letters })) };
    const { whole, ...others } = facts;
    const told = whole && card.summary.includes("analyst") ? facts : others;
    return { body: Buffer.from(JSON.stringify({ hash, card, facts: told, letters })) };
  }

  private jobsOf(analyst: string): JobRunner[] {
    return [...this.jobs.values()].filter(({ job }) => job.record.card.analyst === analyst);
  }

  private find(analyst: string, meta: unknown): JobRunner {
    const { id } = checked(idSchema, meta);
    const own = this.jobsOf(analyst);
    const found = own.filter(({ job }) => job.record.hash.startsWith(id));
    if (found.length === 1) return found[0]!;
    if ([...this.unreadable].some((hash) => hash.startsWith(id))) {
      throw new MoietyError("failed", `what the coordinator keeps of job '${id}' is damaged: ask its operator`);
    }
    const known = own.map(({ job }) => job.view.id).slice(-5);
    const hint = known.length > 0 ? `the latest are ${known.join(", ")}` : "there are none";
    throw new MoietyError("usage", `no job '${id}' of ${analyst}: ${hint}`);
  }

  /** Whoever was revoked since they came is sent away. */
  private dropRevoked(): void {
    const { kit, log } = this.options;
    const revoked = revokedList(kit);
    for (const line of this.lines) {
      const member = kit.members.find(({ role, name }) => role === line.peer.role && name === line.peer.name);
      try {
        recognise(kit, member?.fingerprint ?? "", revoked);
      } catch (error) {
        log((error as Error).message);
        line.close();
      }
    }
  }

  private change(most: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, most);
      this.listeners.add(done);
    });
  }

  private changed(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
