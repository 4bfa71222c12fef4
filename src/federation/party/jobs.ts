import { MoietyError } from "../../errors.js";
import { closeLanes, type Lane, openLanes } from "../../kernels/lanes.js";
import { proveHeadroom } from "../../privacy/masks/headroom.js";
import { beginEpoch } from "../../privacy/masks/labels.js";
import type { MaskJob } from "../../privacy/masks/pairwise.js";
import type { People } from "../../table/types.js";
import type { PrepareQuestion } from "../alignment/questions.js";
import type { SiteAlignment } from "../alignment/site.js";
import { isAlignment } from "../consent/alignment.js";
import { type Card, jobId } from "../consent/card.js";
import { isCountPrivate } from "../consent/privacy.js";
import { memberOf } from "../identity/kit.js";
import type { Answer } from "../transport/conversation.js";
import type { Begin, Begun, Finish, Release } from "../wire/job-questions.js";
import { scoreBound } from "../wire/tables.js";
import { BlindedRun } from "./blinded/run.js";
import type { Consents } from "./consents.js";
import { alignmentLetters, type Delivery, lettersOf, resultFor } from "./finishing.js";
import { JobFiles } from "./job-files.js";
import { Journal } from "./journal.js";
import { makeRun, roundsFor, type SiteRun } from "./make-run.js";
import type { MaskedRounds } from "./masked-rounds.js";
import type { PartyOptions } from "./options.js";
import { openPreparation, type Preparing } from "./preparing.js";
import type { PrivateBudget } from "./private-budget.js";
import { SameData } from "./same-data.js";
import type { SiteData } from "./site-data.js";
import { Told } from "./told.js";

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

/** The jobs that go on at a site: each is prepared, begun once in an epoch, finished, and released. */
export class Jobs {
  private readonly files: JobFiles;
  private readonly running = new Map<string, Running>();
  private readonly preparing = new Map<string, Preparing>();
  /** With rows split: what a job was told so far, over all its epochs. */
  private readonly told = new Map<string, Told>();

  constructor(private readonly site: Site) {
    this.files = new JobFiles(site.options.store);
  }

  /** The present run of a job. */
  runOf(job: string, epoch: number): Running {
    const running = this.running.get(job);
    if (!running || running.epoch !== epoch) throw new MoietyError("failed", "no such run is going on here");
    return running;
  }

  async prepare(job: string, epoch: number, question: PrepareQuestion, body: Uint8Array): Promise<Answer> {
    if (question.ask === "open") {
      const card = await this.site.consents.agreed(job, question.consents);
      if (card.split !== "columns") throw new MoietyError("failed", "a job with rows split has nothing to align");
      await this.stop(job);
      const { options, data } = this.site;
      const journal = await this.journalOf(job);
      const same = this.sameData(job);
      this.preparing.set(
        job,
        await openPreparation({ options, data, same, card, journal }, this.maskJob(card, job, epoch)),
      );
    }
    const preparing = this.preparing.get(job);
    if (preparing?.epoch !== epoch) throw new MoietyError("failed", "no such preparation is going on here");
    return preparing.site.answer(question, body);
  }

  /** Returns how many people there are here, as far as that may be known, and how many answers it has to go on from. */
  async begin({ job, epoch, consents, position }: Begin): Promise<Begun> {
    const { options, data, budget } = this.site;
    const { kit, random, threads, log, audit } = options;
    const card = await this.site.consents.agreed(job, consents);
    const prepared = this.preparing.get(job);
    if (card.split === "columns" && prepared?.epoch !== epoch) {
      throw new MoietyError("failed", "a job with columns split has to be prepared first");
    }
    if (prepared && isAlignment(card)) return this.beginAlignment(job, prepared);
    await this.stop(job);
    await beginEpoch(this.files.epochs, job, epoch);
    const masks = this.maskJob(card, job, epoch);
    proveHeadroom(masks.participants.map(({ id }) => ({ party: id, bound: 2 * scoreBound })));
    const people = prepared ? prepared.site.people : await this.sameData(job).people(() => data.people(card));
    await audit.note("begun", { job, epoch, people: people.n });
    const lanes = card.train ? [] : openLanes(threads, people.n * (people.dimensions.length + 1) * card.k);
    const journal = prepared?.journal ?? (await this.journalOf(job));
    const counted = !isCountPrivate(card);
    if (counted) journal.note(...rowCount);
    const state = await this.files.checkpoint(job, position);
    const results = await this.files.results(job, position);
    await budget.spend(card, job);
    const here = {
      ...{ kit, card, job: masks, people, lanes, threads, random, journal, files: this.files },
      ...{ results, position },
      told: this.toldOf(job),
      sharedKey: prepared?.site.sharedKey,
    };
    const rounds = roundsFor(here);
    const run = await data.privately(() => makeRun(here, rounds));
    if (state) await run.resume(state);
    await this.files.keepJournal(job, journal);
    const alignment = prepared?.site.alignment;
    this.running.set(job, { epoch, card, people, lanes, journal, run, rounds, alignment });
    log(`job ${jobId(job)}: ${position === null ? "running" : "going on from its checkpoint"}`);
    return { rows: counted ? people.n : 1, answered: run instanceof BlindedRun ? run.answered : 0 };
  }

  /** Throws "paused" for as long as this site's data are not those that the job began with. */
  async recheck(job: string): Promise<void> {
    const { consents, data } = this.site;
    const known = await consents.find(job);
    if (!known) throw new MoietyError("failed", "this site has not agreed to such a job");
    data.forget();
    await this.sameData(job).recheck(known.card, data);
  }

  /** Nothing runs after an alignment alone: what was prepared is the result. */
  private async beginAlignment(job: string, { epoch, site, journal }: Preparing): Promise<Begun> {
    const common = site.agreed.length;
    await beginEpoch(this.files.epochs, job, epoch);
    await this.site.options.audit.note("begun", { job, epoch, people: common });
    journal.note(...rowCount);
    await this.files.keepJournal(job, journal);
    return { rows: common, answered: 0 };
  }

  /** Every reader's letter, and this site's own copy of the result. May be asked again, until the job is released. */
  async finish({ job, whole }: Finish, model: Uint8Array): Promise<Answer> {
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
    await this.files.keepJournal(job, journal);
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
  private async finishAlignment(job: string, { card, site, journal: kept }: Preparing): Promise<Answer> {
    const { kit, random, onResult } = this.site.options;
    const common = site.agreed;
    const journal = new Journal(kept.list());
    const { part, letters } = alignmentLetters({ kit, job, card, random }, journal);
    await this.files.keepJournal(job, journal);
    await this.files.keepPart(job, part);
    await onResult({ job, card, part, alignment: site.alignment!, common });
    return { body: Buffer.from(JSON.stringify(letters)) };
  }

  /** The job is over for good: its checkpoints are of no use to anybody. */
  async release({ job, state }: Release, delivered: Uint8Array): Promise<void> {
    if (delivered.length > 0) await this.receive(job, delivered);
    await this.account(job, state);
    await this.stop(job);
    this.told.delete(job);
    this.site.data.forget();
    await this.files.clear(job);
    this.site.options.log(`job ${jobId(job)}: ${state}`);
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
    const delivery = JSON.parse(Buffer.from(body).toString("utf8")) as Delivery;
    const result = resultFor(kit, job, known.card, own, delivery);
    const { facts } = delivery;
    await onSummary({ job, card: known.card, result, history: "history" in facts ? facts.history : [] });
  }

  /** Writes down what left the site in all, once for each job. */
  private async account(job: string, state: "done" | "failed"): Promise<void> {
    const { audit } = this.site.options;
    if (await this.files.isOver(job)) return;
    // A job that is done has kept its journal; of one that has failed the last part may be in memory only.
    const unkept = state === "done" ? undefined : (this.running.get(job) ?? this.preparing.get(job))?.journal;
    const journal = unkept ?? (await this.files.journal(job));
    for (const { kind, protection, messages, bytes } of journal.list()) {
      await audit.note("sent", { job, what: kind, protection, messages, bytes });
    }
    await audit.note(state === "done" ? "finished" : "failed", { job });
    await this.files.keepOver(job, state);
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
  }

  private maskJob(card: Card, job: string, epoch: number): MaskJob {
    const { kit } = this.site.options;
    const participants = card.parties.map(({ name }) => ({
      id: name,
      publicKey: Buffer.from(memberOf(kit, { role: "party", name }).agreement, "base64"),
    }));
    return { job, epoch, participants };
  }

  private sameData(job: string): SameData {
    return new SameData(this.site.options.store, job);
  }

  private toldOf(job: string): Told {
    const told = this.told.get(job) ?? new Told();
    this.told.set(job, told);
    return told;
  }
}
