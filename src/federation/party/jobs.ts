import { MoietyError } from "../../errors.js";
import { closeLanes, type Lane, openLanes } from "../../kernels/lanes.js";
import { proveHeadroom } from "../../privacy/masks/headroom.js";
import type { People } from "../../table/types.js";
import type { PrepareQuestion } from "../alignment/questions.js";
import type { SiteAlignment } from "../alignment/site.js";
import { Journal } from "../audit/journal.js";
import { isAlignment } from "../consent/alignment-card.js";
import { type Card, jobId } from "../consent/card.js";
import { scoreBound } from "../consent/limits.js";
import { isCountPrivate, isPrivate } from "../consent/private-card.js";
import { Queues } from "../queues.js";
import { isDamage } from "../store/records.js";
import type { Reply } from "../transport/conversation.js";
import type { Joined } from "../wire/entering.js";
import type { Begin, Begun, Finish, ReleaseRequest } from "../wire/job-questions.js";
import { ColumnRun } from "./columns/column-run.js";
import type { Consents } from "./consents.js";
import { Entrance } from "./entrance.js";
import { alignmentLetters, lettersOf, summaryFrom } from "./finishing.js";
import { JobFiles } from "./job-files.js";
import { LostState } from "./lost-state.js";
import { makeRun, roundsFor, type SiteRun } from "./make-run.js";
import type { MaskedRounds } from "./masked-rounds.js";
import type { PartyOptions } from "./options.js";
import { Permissions } from "./permissions.js";
import { openPreparation, type Preparing } from "./preparing.js";
import type { PrivateBudget } from "./private-budget.js";
import { SameData } from "./same-data.js";
import { SentLog } from "./sent-log.js";
import type { SiteData } from "./site-data.js";
import { type JobEnding, Tombstones } from "./tombstones.js";

export interface Running {
  readonly epoch: number;
  readonly card: Card;
  readonly people: People;
  readonly lanes: readonly Lane[];
  readonly journal: Journal;
  readonly run: SiteRun;
  readonly rounds: MaskedRounds | undefined;
  readonly alignment: SiteAlignment | undefined;
}

/** What a job needs of the site that it is run at. */
interface Site {
  readonly options: PartyOptions;
  readonly consents: Consents;
  readonly data: SiteData;
  readonly budget: PrivateBudget;
}

const rowCount = ["row count", "1 number", "open", 8] as const;

/** The jobs that go on at a site: each is prepared, begun once in an epoch, finished, and released; then it is over for good. */
export class Jobs {
  readonly entrance: Entrance;
  private readonly files: JobFiles;
  private readonly tombstones: Tombstones;
  private readonly running = new Map<string, Running>();
  private readonly preparing = new Map<string, Preparing>();
  private readonly lostState: LostState;
  private readonly permissions: Permissions;
  /** What begins or ends a job waits for what did before. */
  private readonly turns = new Queues();
  private readonly sent: SentLog;

  constructor(private readonly site: Site) {
    this.files = new JobFiles(site.options.store);
    this.tombstones = new Tombstones(site.options.store);
    this.sent = new SentLog(this.files, site.options.audit);
    const { clock, log } = site.options;
    this.permissions = new Permissions({
      ...{ consents: site.consents, tombstones: this.tombstones, clock },
      onLate: (job) => {
        this.turns.take(job, () => this.end(job, "expired")).catch((error: Error) => log(error.message));
      },
    });
    this.lostState = new LostState(site.options);
    this.entrance = new Entrance(site.options, this.files.epochs, {
      behind: (heads) => this.lostState.found(heads),
      answered: (job) => this.files.answered(job),
      opened: async (job, party) => (await this.files.disclosures(job)).with(party, await this.files.answered(job)),
    });
  }

  /** The first step into an attempt of a run. */
  async join({ job, epoch, consents }: Pick<Begin, "job" | "epoch" | "consents">): Promise<Joined> {
    await this.settleLoss();
    return this.turns.take(job, async () => {
      const card = await this.permissions.cardOf(job, consents);
      // An epoch is written down before anything is spent or told.
      if ((await this.files.epochs.highest(job)) === undefined) await this.site.budget.refuseForgotten(card, job);
      return this.entrance.join(card, job, epoch);
    });
  }

  /** The present run of a job. */
  runOf(job: string, epoch: number): Running {
    this.permissions.check(job);
    const running = this.running.get(job);
    if (!running || running.epoch !== epoch) throw new MoietyError("failed", "no such run is going on here");
    return running;
  }

  async prepare(job: string, epoch: number, question: PrepareQuestion, body: Uint8Array): Promise<Reply> {
    if (question.ask === "open") await this.turns.take(job, () => this.open(job, epoch, question.consents));
    this.permissions.check(job);
    const preparing = this.preparing.get(job);
    if (preparing?.epoch !== epoch) throw new MoietyError("failed", "no such preparation is going on here");
    return preparing.site.answer(question, body);
  }

  private async open(job: string, epoch: number, consents: Begin["consents"]): Promise<void> {
    const card = await this.permissions.cardOf(job, consents);
    if (card.split !== "columns") throw new MoietyError("failed", "a job with rows split has nothing to align");
    await this.stop(job);
    const { options, data } = this.site;
    const journal = await this.journalOf(job);
    const keys = this.entrance.take(job, epoch);
    const same = this.sameData(job);
    this.preparing.set(job, await openPreparation({ job, epoch, keys, options, data, same, card, journal }));
  }

  /** Returns how many people there are here, as far as that may be known, and how many answers it has to go on from. */
  begin(question: Begin): Promise<Begun> {
    return this.turns.take(question.job, () => this.beginRun(question));
  }

  private async beginRun({ job, epoch, consents, position }: Begin): Promise<Begun> {
    const { options, data, budget } = this.site;
    const { kit, random, threads, log, audit } = options;
    const card = await this.permissions.cardOf(job, consents);
    const prepared = this.preparing.get(job);
    if (card.split === "columns" && prepared?.epoch !== epoch) {
      throw new MoietyError("failed", "a job with columns split has to be prepared first");
    }
    if (prepared && isAlignment(card)) return this.beginAlignment(job, prepared);
    this.preparing.delete(job);
    await this.stop(job);
    await prepared?.site.close();
    const keys = prepared?.keys ?? this.entrance.take(job, epoch);
    proveHeadroom(card.parties.map(({ name }) => ({ party: name, bound: 2 * scoreBound })));
    const people = prepared ? prepared.site.people : await this.sameData(job).people(() => data.people(card));
    await audit.note("begun", { job, epoch, people: people.n });
    const lanes = card.train ? [] : openLanes(threads, people.n * (people.dimensions.length + 1) * card.k);
    const journal = prepared?.journal ?? (await this.journalOf(job));
    const counted = !isCountPrivate(card);
    if (counted) journal.note(...rowCount);
    // What a private job goes on from is what it has released.
    const state = isPrivate(card) ? undefined : await this.files.checkpoint(job, position);
    const results = await this.files.results(job, position);
    await budget.spend(card, job);
    const here = {
      ...{ kit, card, job, epoch, keys, people, lanes, threads, random, journal, files: this.files },
      ...{ results, position },
      disclosures: await this.files.disclosures(job),
      account: () => this.sent.account(job, journal),
      sharedKey: prepared?.site.sharedKey,
    };
    const rounds = roundsFor(here);
    const run = await data.privately(() => makeRun(here, rounds));
    if (state) await run.resume(state);
    await this.sent.account(job, journal);
    const alignment = prepared?.site.alignment;
    this.running.set(job, { epoch, card, people, lanes, journal, run, rounds, alignment });
    log(`job ${jobId(job)}: ${position === null ? "running" : "going on from its checkpoint"}`);
    return { rows: counted ? people.n : 1, answered: run instanceof ColumnRun ? run.answered : 0 };
  }

  /** Once it is said that a part of this site's past is lost, jobs that it may have been in are over here. */
  private async settleLoss(): Promise<void> {
    await this.lostState.settle(async () => {
      for (const { hash, job } of await this.site.consents.list()) {
        const open = job.signature !== undefined && !(await this.tombstones.has(hash));
        if (open) await this.turns.take(hash, () => this.end(hash, "failed"));
      }
    });
  }

  /** Throws "paused" for as long as this site's data are not those that the job began with. */
  async recheck(job: string): Promise<void> {
    const { consents, data } = this.site;
    await this.tombstones.refuse(job);
    await this.files.checkRoom();
    await this.settleLoss();
    const known = await consents.find(job);
    // Whoever begins it again is told that it is over.
    if (!known || (await this.tombstones.has(job))) return;
    data.forget();
    await this.sameData(job).recheck(known.card, data);
  }

  /** Nothing runs after an alignment alone: what was prepared is the result. */
  private async beginAlignment(job: string, { epoch, site, journal }: Preparing): Promise<Begun> {
    const common = site.agreed.length;
    await this.site.options.audit.note("begun", { job, epoch, people: common });
    journal.note(...rowCount);
    await this.sent.account(job, journal);
    return { rows: common, answered: 0 };
  }

  /** Every reader's letter, and this site's own copy of the result. May be asked again, until the job is released. */
  finish(question: Finish, model: Uint8Array): Promise<Reply> {
    return this.turns.take(question.job, () => this.finishRun(question, model));
  }

  private async finishRun({ job, whole }: Finish, model: Uint8Array): Promise<Reply> {
    this.permissions.check(job);
    const { kit, random, onResult, policy } = this.site.options;
    const prepared = this.preparing.get(job);
    if (prepared && isAlignment(prepared.card)) return this.finishAlignment(job, prepared);
    const running = this.running.get(job);
    if (!running) throw new MoietyError("failed", "no such run is going on here");
    const { card, people, run, alignment } = running;
    const journal = new Journal(running.journal.list());
    const labels = card.train ? new Uint16Array(0) : await run.labels();
    const smallest = (await policy())?.minimum.group ?? Number.POSITIVE_INFINITY;
    const { part, letters } = lettersOf({ kit, job, card, people, labels, smallest, random }, journal);
    await this.sent.letters(job, running.journal, journal);
    await this.files.keepPart(job, part);
    const extras = {
      ...(alignment ? { alignment } : {}),
      ...(whole ? { whole } : {}),
      ...(card.model?.includes("parties") ? { model } : {}),
    };
    await onResult({ job, card, people, labels, part, ...extras });
    return { body: Buffer.from(JSON.stringify(letters)) };
  }

  /** The common ids stay here: nobody else is told any. */
  private async finishAlignment(job: string, { card, site, journal: kept }: Preparing): Promise<Reply> {
    const { kit, random, onResult } = this.site.options;
    const common = site.agreed;
    const journal = new Journal(kept.list());
    const { part, letters } = alignmentLetters({ kit, job, card, random }, journal);
    await this.sent.letters(job, kept, journal);
    await this.files.keepPart(job, part);
    await onResult({ job, card, part, alignment: site.alignment!, common });
    return { body: Buffer.from(JSON.stringify(letters)) };
  }

  /** The coordinator says that a job is over. */
  release({ job, state }: ReleaseRequest, delivered: Uint8Array): Promise<void> {
    return this.turns.take(job, async () => {
      if (delivered.length > 0) await this.receive(job, delivered).catch((error) => this.reportDamage(job, error));
      await this.end(job, state);
    });
  }

  /** Ends what nobody has ended before this site's consent did, and takes away what a kill has left of jobs that are over. */
  async expire(): Promise<void> {
    for (const job of await this.site.consents.ended()) {
      if (!(await this.tombstones.has(job))) await this.turns.take(job, () => this.end(job, "expired"));
    }
    for (const job of await this.files.leftovers()) await this.files.clear(job);
  }

  /** Nothing goes on here any more, until it is begun again. */
  async stopAll(): Promise<void> {
    for (const job of [...this.preparing.keys(), ...this.running.keys()]) await this.stop(job);
  }

  /** The whole result, with what the others have told this site, where the card gives it to the parties. */
  private async receive(job: string, body: Uint8Array): Promise<void> {
    const { kit, onSummary } = this.site.options;
    const known = await this.site.consents.find(job);
    const own = await this.files.part(job);
    if (!known?.signature || !own || !known.card.summary.includes("parties")) return;
    await onSummary(summaryFrom(kit, job, known.card, own, body));
  }

  /** For good. The tombstone comes first: only then what was kept goes, without which nothing could be told as before. */
  private async end(job: string, ending: JobEnding): Promise<void> {
    const { audit, clock, log } = this.site.options;
    await this.stop(job);
    const known = await this.site.consents.find(job).catch((error) => {
      this.reportDamage(job, error);
      return { card: { nonce: "" } };
    });
    if (known && !(await this.tombstones.has(job))) {
      const journal = await this.files.journal(job).catch((error) => this.reportDamage(job, error));
      if (journal) await this.sent.account(job, journal);
      await audit.note(ending === "done" ? "finished" : ending, { job });
      await this.tombstones.put(job, known.card, ending, new Date(clock()).toISOString());
    }
    this.permissions.forget(job);
    this.site.data.forget();
    if (known) await this.files.clear(job);
    log(`job ${jobId(job)}: ${ending}`);
  }

  /** What is damaged is of no more use to a job that is over; that must be written down all the same. */
  private reportDamage(job: string, error: unknown): void {
    if (!isDamage(error)) throw error;
    this.site.options.log(`job ${jobId(job)}: ${error.message}`);
  }

  /** All that ever left for a job, the consent first. */
  private async journalOf(job: string): Promise<Journal> {
    const journal = await this.files.journal(job);
    if (journal.lacks("consent")) journal.note("consent", "1 signature", "open", 88);
    return journal;
  }

  private async stop(job: string): Promise<void> {
    const running = this.running.get(job);
    const preparing = this.preparing.get(job);
    this.running.delete(job);
    this.preparing.delete(job);
    await preparing?.site.close();
    await running?.run.close();
    if (running) await closeLanes(running.lanes);
    const journal = (running ?? preparing)?.journal;
    if (journal) await this.sent.account(job, journal);
  }

  private sameData(job: string): SameData {
    return new SameData(this.site.options.store, job);
  }
}
