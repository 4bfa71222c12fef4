import { defined } from "../../defined.js";
import { failed } from "../../errors.js";
import { closeLanes, type Lane, openLanes } from "../../kernels/lanes.js";
import { measureCounts } from "../../learning/per-party.js";
import { isElsewhere } from "../../parties/row-people.js";
import { proveHeadroom } from "../../privacy/masks/headroom.js";
import type { People } from "../../table/types.js";
import { Journal, type JournalEntry } from "../audit/journal.js";
import { type Card, jobId, scoreBound, sumBound } from "../consent/card.js";
import { isAlignment } from "../consent/methods.js";
import { findsCells, isCountPrivate, isPrivate } from "../consent/private-card.js";
import type { LogLevel } from "../log.js";
import { Queues } from "../queues.js";
import { answersTable, labelledOnCard, tablesOf } from "../results/at-sites.js";
import { countsOf, type KeptPart, summaryOf } from "../results/own.js";
import { lockTables, type SiteTable } from "../results/site-tables.js";
import { isDamage } from "../store/records.js";
import type { Reply } from "../transport/conversation.js";
import type { Begin, Begun, Finish, Joined, ReleaseRequest } from "../wire/job-questions.js";
import type { PrepareQuestion } from "../wire/preparation.js";
import { ColumnRun } from "./columns/column-run.js";
import type { Consents } from "./consents.js";
import { Entrance } from "./entrance.js";
import { type EndedJob, lettersOf, summaryFrom } from "./finishing.js";
import { JobFiles } from "./job-files.js";
import { LostState } from "./lost-state.js";
import { makeRun, roundsFor, type SiteRun } from "./make-run.js";
import type { SumRounds } from "./masked-rounds.js";
import type { PartyOptions } from "./options.js";
import { type SiteAlignment, SitePreparation } from "./preparation.js";
import type { PrivateBudget } from "./private-budget.js";
import { SameData, type SiteData } from "./site-data.js";
import { type JobEnding, Tombstones } from "./tombstones.js";

interface Running {
  readonly epoch: number;
  readonly card: Card;
  readonly people: People;
  readonly lanes: readonly Lane[];
  readonly journal: Journal;
  readonly run: SiteRun;
  readonly rounds: SumRounds | undefined;
  readonly alignment: SiteAlignment | undefined;
}

/** The ids of people who stay in a database are known when they are asked for. */
async function withIds({ people, card, run }: Running): Promise<People> {
  const values = isElsewhere(people) && !(run instanceof ColumnRun) ? await run.ids() : undefined;
  if (!values) return people;
  return { ...people, sourceRows: Uint32Array.from(values.keys()), ids: { column: card.id!, values } };
}

/** With rows split: what this site's own people are like in the clusters, for itself; and for others, where the card asks for it. */
async function ownIn(
  { card, run }: Running,
  { kit, job, random }: EndedJob,
  smallest: number,
): Promise<Pick<KeptPart, "own" | "tables">> {
  if (run instanceof ColumnRun) return {};
  const sites = card.parties.map(({ name }) => name);
  const least = Math.max(smallest, card.minCount ?? 1);
  const locked = (tables: readonly SiteTable[]) =>
    card.siteShares ? { tables: lockTables(kit, { job, sites, told: run.told }, tables, random) } : {};
  if (run.ownAnswers) return locked([answersTable(card, run.ownAnswers, least)]);
  const own = await run.own();
  if (!own) return {};
  const counts = countsOf(card, own);
  return { own: summaryOf(card, counts), ...locked(tablesOf(counts, least)) };
}

/** A training's result with what the model does at this site, as far as it knows it. */
function withOwnRates({ card, run }: Running, name: string, whole: Readonly<Record<string, unknown>>) {
  if (run instanceof ColumnRun || !run.ownAnswers || !card.train || card.train.useGroup) return whole;
  return { ...whole, perParty: measureCounts(labelledOnCard(card), new Map([[name, run.ownAnswers]])) };
}

const rowCount = ["row count", "1 number", "open", 8] as const;

/** The jobs that go on at a site: each is prepared, begun once in an epoch, finished, and released; then it is over for good. */
export class Jobs {
  readonly entrance: Entrance;
  private readonly files: JobFiles;
  private readonly tombstones: Tombstones;
  private readonly running = new Map<string, Running>();
  private readonly preparing = new Map<string, SitePreparation>();
  private readonly lostState: LostState;
  private readonly begunAlignments = new WeakSet<SitePreparation>();
  /** When this site's consent to a job ends, in milliseconds. */
  private readonly until = new Map<string, number>();
  /** What begins or ends a job waits for what did before. */
  private readonly turns = new Queues();

  constructor(
    private readonly options: PartyOptions,
    private readonly consents: Consents,
    private readonly data: SiteData,
    private readonly budget: PrivateBudget,
  ) {
    this.files = new JobFiles(options.store);
    this.tombstones = new Tombstones(options.store);
    this.lostState = new LostState(options);
    this.entrance = new Entrance(options, this.files, this.lostState);
  }

  /** The first step into an attempt of a run. */
  async join({ job, epoch, consents }: Pick<Begin, "job" | "epoch" | "consents">): Promise<Joined> {
    await this.settleLoss();
    return this.turns.take(job, async () => {
      const card = await this.cardOf(job, consents);
      // An epoch is written down before anything is spent or disclosed.
      if ((await this.files.epochs.highest(job)) === undefined) await this.budget.refuseForgotten(card, job);
      return this.entrance.join(card, job, epoch);
    });
  }

  /** The present run of a job. */
  runOf(job: string, epoch: number): Running {
    this.checkDeadline(job);
    const running = this.running.get(job);
    if (!running || running.epoch !== epoch) throw failed("no such run is going on here");
    return running;
  }

  async prepare(job: string, epoch: number, question: PrepareQuestion, body: Uint8Array): Promise<Reply> {
    if (question.ask === "open") await this.turns.take(job, () => this.open(job, epoch, question.consents));
    this.checkDeadline(job);
    const preparing = this.preparing.get(job);
    if (preparing?.options.epoch !== epoch) throw failed("no such preparation is going on here");
    return preparing.answer(question, body);
  }

  private async open(job: string, epoch: number, consents: Begin["consents"]): Promise<void> {
    const card = await this.cardOf(job, consents);
    if (card.split !== "columns") throw failed("a job with rows split has nothing to align");
    await this.stop(job);
    const { store, random, threads, policy } = this.options;
    const minimum = (await policy())?.minimum;
    const journal = await this.journalOf(job);
    const keys = this.entrance.take(job, epoch);
    const same = new SameData(store, job);
    const preparation = new SitePreparation({
      ...{ job, epoch, keys, card, store, random, threads, journal },
      log: (line, level) => this.log(job, line, level),
      ids: () => same.ids(() => this.data.ids(card)),
      people: (common, linked) => same.people(() => this.data.people(card, common, linked), linked !== undefined),
      leastPeople: minimum?.rows ?? Number.POSITIVE_INFINITY,
      leastSize: minimum?.clusterSize ?? Number.POSITIVE_INFINITY,
    });
    this.preparing.set(job, preparation);
  }

  /** Returns how many people there are here, as far as that may be known, and how many answers it has to go on from. */
  begin(question: Begin): Promise<Begun> {
    return this.turns.take(question.job, () => this.beginRun(question));
  }

  private async beginRun({ job, epoch, consents, position }: Begin): Promise<Begun> {
    const { kit, random, threads, audit, store } = this.options;
    const card = await this.cardOf(job, consents);
    const prepared = this.preparing.get(job);
    if (card.split === "columns" && prepared?.options.epoch !== epoch) {
      throw failed("a job with columns split has to be prepared first");
    }
    if (prepared && isAlignment(card)) return this.beginAlignment(prepared);
    this.preparing.delete(job);
    await this.stop(job);
    await prepared?.close();
    const ring = prepared ? undefined : this.entrance.ringOf(job, epoch);
    const keys = prepared?.options.keys ?? this.entrance.take(job, epoch);
    const bound = card.split === "rows" ? sumBound : 2 * scoreBound;
    proveHeadroom(card.parties.map(({ name }) => ({ party: name, bound })));
    const people = prepared?.people ?? (await new SameData(store, job).people(() => this.data.people(card)));
    await audit.note("begun", { job, epoch, people: people.n });
    const inMemory = !card.train && !isElsewhere(people);
    const lanes = inMemory ? openLanes(threads, people.n * (people.dimensions.length + 1) * card.k) : [];
    const journal = prepared?.options.journal ?? (await this.journalOf(job));
    const counted = card.split === "columns" || !isCountPrivate(card);
    if (counted) journal.note(...rowCount);
    // With rows split a private job goes on from what it has released.
    const state = isPrivate(card) && !findsCells(card) ? undefined : await this.files.checkpoint(job, position);
    const results = await this.files.results(job, position);
    await this.budget.spend(card, job);
    const here = {
      ...{ kit, card, job, epoch, keys, ring, people, lanes, threads, random, journal, files: this.files },
      ...{ results, position },
      disclosures: await this.files.disclosures(job),
      account: () => this.account(job, journal),
      sharedKey: prepared?.sharedKey,
    };
    const rounds = roundsFor(here);
    const run = await this.data.privately(() => makeRun(here, rounds));
    if (state) await run.resume(state);
    await this.account(job, journal);
    const alignment = prepared?.alignment;
    this.running.set(job, { epoch, card, people, lanes, journal, run, rounds, alignment });
    this.log(job, position === null ? "running" : "going on from its checkpoint");
    return { rows: counted ? people.n : 1, answered: run instanceof ColumnRun ? run.answered : 0 };
  }

  /** Nothing runs after an alignment alone: what was prepared is the result. */
  private async beginAlignment(prepared: SitePreparation): Promise<Begun> {
    const {
      agreed,
      options: { job, epoch, journal },
    } = prepared;
    if (this.begunAlignments.has(prepared)) throw failed("this alignment was begun before: it is not begun again");
    this.begunAlignments.add(prepared);
    await this.options.audit.note("begun", { job, epoch, people: agreed.length });
    journal.note(...rowCount);
    await this.account(job, journal);
    return { rows: agreed.length, answered: 0 };
  }

  /** Once the operator has said that a part of this site's past is lost, jobs that it may have been in are over here. */
  private async settleLoss(): Promise<void> {
    await this.lostState.settle(async () => {
      for (const { hash, job } of await this.consents.list()) {
        const open = job.signature !== undefined && !(await this.tombstones.has(hash));
        if (open) await this.turns.take(hash, () => this.end(hash, "failed"));
      }
    });
  }

  /** Throws "paused" for as long as this site's data are not those that the job began with. */
  async recheck(job: string): Promise<void> {
    await this.tombstones.refuse(job);
    await this.files.checkRoom();
    await this.settleLoss();
    const known = await this.consents.find(job);
    // A job that is over is refused when it is begun again.
    if (!known || (await this.tombstones.has(job))) return;
    this.data.forget();
    await new SameData(this.options.store, job).recheck(known.card, this.data);
  }

  /** Every reader's letter, and this site's own copy of the result. May be asked again, until the job is released. */
  finish(question: Finish, model: Uint8Array): Promise<Reply> {
    return this.turns.take(question.job, () => this.finishJob(question, model));
  }

  private async finishJob({ job, whole }: Finish, model: Uint8Array): Promise<Reply> {
    this.checkDeadline(job);
    const { kit, random, onResult, policy } = this.options;
    const prepared = this.preparing.get(job);
    const aligned = prepared && isAlignment(prepared.options.card) ? prepared : undefined;
    const running = this.running.get(job);
    if (!aligned && !running) throw failed("no such run is going on here");
    const { card, journal: before } = aligned?.options ?? running!;
    // Letters are written anew whenever they are asked for, and the journal says so each time.
    const journal = new Journal(before.list());
    const ended = { kit, job, card, random };
    if (aligned) {
      // The common ids stay here: they are disclosed to nobody.
      const { agreed: common, alignment } = aligned;
      const { part, letters } = lettersOf(ended, journal);
      await this.keepPart(job, part, before, journal);
      await onResult({ job, card, part, alignment: alignment!, common });
      return { body: Buffer.from(JSON.stringify(letters)) };
    }
    const { run, alignment } = running!;
    const people = await withIds(running!);
    const labels = card.train ? new Uint16Array(0) : await run.labels();
    const smallest = (await policy())?.minimum.group ?? Number.POSITIVE_INFINITY;
    const { own, tables } = await ownIn(running!, ended, smallest);
    const told = run instanceof ColumnRun ? run.told : undefined;
    const finished = { people, labels, smallest, ...defined({ tables, told }) };
    const { part: sent, letters } = lettersOf(ended, journal, finished);
    const part: KeptPart = { ...sent, ...defined({ own }) };
    await this.keepPart(job, part, before, journal);
    const extras = {
      ...(alignment ? { alignment } : {}),
      ...(whole ? { whole: withOwnRates(running!, kit.name, whole) } : {}),
      ...(card.model?.includes("parties") ? { model } : {}),
    };
    await onResult({ job, card, people, labels, part, ...extras });
    return { body: Buffer.from(JSON.stringify(letters)) };
  }

  private async keepPart(job: string, part: KeptPart, before: Journal, after: Journal): Promise<void> {
    await this.account(job, before);
    await this.account(job, after, before.list());
    await this.files.keep(job, "part", part);
  }

  /** The coordinator says that a job is over. */
  release({ job, state }: ReleaseRequest, delivered: Uint8Array): Promise<void> {
    return this.turns.take(job, async () => {
      if (delivered.length > 0) await this.receive(job, delivered).catch((error) => this.reportDamage(job, error));
      await this.end(job, state);
    });
  }

  /** Ends jobs to which this site's consent has ended, and removes what a kill has left of jobs that are over. */
  async expire(): Promise<void> {
    for (const job of await this.consents.ended()) {
      if (!(await this.tombstones.has(job))) await this.turns.take(job, () => this.end(job, "expired"));
    }
    for (const job of await this.files.leftovers()) await this.files.clear(job);
  }

  /** Nothing goes on here any more, until it is begun again. */
  async stopAll(): Promise<void> {
    for (const job of [...this.preparing.keys(), ...this.running.keys()]) await this.stop(job);
  }

  /** The card of a job that all have agreed to, that is not over, and whose deadline is to come. */
  private async cardOf(job: string, signatures: Begin["consents"]): Promise<Card> {
    await this.tombstones.refuse(job);
    const { card, until } = await this.consents.agreed(job, signatures);
    this.until.set(job, until);
    this.checkDeadline(job);
    return card;
  }

  /** Throws when the deadline has passed since this site agreed: then the job ends here, whatever it is doing. */
  private checkDeadline(job: string): void {
    const { clock, log } = this.options;
    if (clock() <= (this.until.get(job) ?? Number.POSITIVE_INFINITY)) return;
    this.turns.take(job, () => this.end(job, "expired")).catch((error: Error) => log(error.message, "warning"));
    throw failed(`the deadline of job ${jobId(job)} has passed since this site agreed to it: nothing more is answered`);
  }

  /** The whole result, with what the others have sent to this site, where the card gives it to the parties. */
  private async receive(job: string, body: Uint8Array): Promise<void> {
    const { kit, onSummary } = this.options;
    const known = await this.consents.find(job);
    const own = await this.files.read(job, "part");
    if (!known?.signature || !own || !known.card.summary.includes("parties")) return;
    await onSummary(summaryFrom(kit, job, known.card, own, body));
  }

  /** For good. The tombstone comes first: only then what was kept goes, without which no question could be answered as before. */
  private async end(job: string, ending: JobEnding): Promise<void> {
    const { audit, clock } = this.options;
    await this.stop(job);
    const known = await this.consents.find(job).catch((error) => {
      this.reportDamage(job, error);
      return { card: { nonce: "" } };
    });
    if (known && !(await this.tombstones.has(job))) {
      const journal = await this.files.journal(job).catch((error) => this.reportDamage(job, error));
      if (journal) await this.account(job, journal);
      await audit.note(ending === "done" ? "finished" : ending, { job });
      await this.tombstones.put(job, known.card, ending, new Date(clock()).toISOString());
    }
    this.until.delete(job);
    this.data.forget();
    if (known) await this.files.clear(job);
    this.log(job, ending);
  }

  /** Damage of what a job kept does not keep the job from ending; it is logged. */
  private reportDamage(job: string, error: unknown): void {
    if (!isDamage(error)) throw error;
    this.log(job, error.message, "warning");
  }

  private log(job: string, line: string, level?: LogLevel): void {
    this.options.log(`job ${jobId(job)}: ${line}`, level);
  }

  /** All that ever left for a job, the consent first. */
  private async journalOf(job: string): Promise<Journal> {
    const journal = await this.files.journal(job);
    if (journal.lacks("consent")) journal.note("consent", "1 signature", "open", 88);
    return journal;
  }

  /**
   * Writes into the audit log what has left since the journal was `noted` there, also what leaves again. A kill on the way
   * notes something twice rather than never.
   */
  private async account(job: string, journal: Journal, noted?: readonly JournalEntry[]): Promise<void> {
    const more = journal.since(noted ?? (await this.files.read(job, "noted")) ?? []);
    if (more.length === 0) return;
    await this.files.keep(job, "journal", journal.list());
    for (const { kind, protection, messages, bytes } of more) {
      await this.options.audit.note("sent", { job, what: kind, protection, messages, bytes });
    }
    await this.files.keep(job, "noted", journal.list());
  }

  private async stop(job: string): Promise<void> {
    const running = this.running.get(job);
    const preparing = this.preparing.get(job);
    this.running.delete(job);
    this.preparing.delete(job);
    await preparing?.close();
    await running?.run.close();
    if (running) await closeLanes(running.lanes);
    const journal = running?.journal ?? preparing?.options.journal;
    if (journal) await this.account(job, journal);
  }
}
