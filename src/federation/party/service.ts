import { z } from "zod";
import { MoietyError } from "../../errors.js";
import { closeLanes, type Lane, openLanes } from "../../kernels/lanes.js";
import type { Ledger } from "../../privacy/accounting/ledger.js";
import { proveHeadroom } from "../../privacy/masks/headroom.js";
import { beginEpoch } from "../../privacy/masks/labels.js";
import { type MaskJob, PairwiseMasks } from "../../privacy/masks/pairwise.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { People } from "../../table/types.js";
import { prepareSchema } from "../alignment/questions.js";
import { type SiteAlignment, SitePreparation } from "../alignment/site.js";
import type { MemberAudit } from "../audit/member.js";
import { type Card, type CardPart, cardHash, checkCard, jobId } from "../consent/card.js";
import type { Policy } from "../consent/policy.js";
import { isPrivate, privatePlanOf, releaseOf } from "../consent/privacy.js";
import { quorumOf } from "../consent/settings.js";
import { signHash, verifyHash } from "../consent/signature.js";
import { type Kit, memberOf } from "../identity/kit.js";
import { loadResults, saveResults } from "../replay/results.js";
import type { ResultPart } from "../results/part.js";
import type { FederatedResult, RunFacts } from "../results/summary.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import { type Answer, Conversation, type Question } from "../transport/conversation.js";
import type { Dialling } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import { hello } from "../wire/greeting.js";
import { roundSchema } from "../wire/masked-rounds.js";
import { batchSchema } from "../wire/questions.js";
import { relaySchema } from "../wire/relay.js";
import { scoreBound } from "../wire/tables.js";
import { type Answering, outOfPlace } from "./answering.js";
import { BlindedRun } from "./blinded/run.js";
import { columnsFor } from "./columns.js";
import { Consents } from "./consents.js";
import { type Delivery, lettersOf, resultFor } from "./finishing.js";
import { Journal, type JournalEntry } from "./journal.js";
import { LearnerRun } from "./learner-run.js";
import { MaskedRounds } from "./masked-rounds.js";
import { MixtureRun, type Releases } from "./mixture-run.js";
import { PartyRun } from "./party-run.js";
import { RowPartyRun } from "./row-party-run.js";
import { Told } from "./told.js";

export interface PartyOptions {
  readonly kit: Kit;
  readonly dialling: Dialling;
  readonly store: Store;
  /** The ids of all rows, in the column that names people. */
  readonly ids: (column: string) => Promise<readonly string[]>;
  /** The site's people in the columns that a card names: all of them, or those of these ids, ordered by id. */
  readonly people: (part: CardPart, card: Card, common?: readonly string[]) => Promise<People>;
  readonly policy: () => Promise<Policy | undefined>;
  /** What whoever audits this site will read. */
  readonly audit: MemberAudit;
  readonly random: RandomBytes;
  /** The book of this site's data, for private jobs. */
  readonly ledger?: Ledger;
  readonly threads: number;
  /** Milliseconds to wait before the n-th attempt to reach the coordinator. */
  readonly pause?: (attempt: number) => number;
  /** One line about what happens here. It stays on this site, and holds no data all the same. */
  readonly log: (line: string) => void;
  /** Told when a job has ended well: everybody's cluster, and what left the site. */
  readonly onResult: (result: PartyResult) => Promise<void>;
  /** Told, where the card gives the parties the summary, what all of them together say of a job. */
  readonly onSummary: (summary: PartySummary) => Promise<void>;
}

export interface PartySummary {
  readonly job: string;
  readonly card: Card;
  readonly result: FederatedResult;
  readonly history: RunFacts["history"];
}

export interface PartyResult {
  readonly job: string;
  readonly card: Card;
  readonly people: People;
  readonly labels: Uint16Array;
  readonly part: ResultPart;
  /** Where the sites aligned their people: how many of this site's are common to all. */
  readonly alignment?: SiteAlignment;
  /** With rows split: sizes and shares of all sites' people together, as the coordinator says. */
  readonly whole?: Readonly<Record<string, unknown>>;
  /** Of a training, where the card lets parties have it: the model file. */
  readonly model?: Uint8Array;
}

interface Running {
  readonly epoch: number;
  readonly card: Card;
  readonly people: People;
  readonly lanes: readonly Lane[];
  readonly journal: Journal;
  readonly run: Answering | BlindedRun;
  /** With rows split: masks that survive dropouts. */
  readonly rounds?: MaskedRounds;
  readonly alignment: SiteAlignment | undefined;
}

/** What comes before a run with columns split. */
interface Preparing {
  readonly epoch: number;
  readonly journal: Journal;
  readonly site: SitePreparation;
}

const considerSchema = z.strictObject({ card: z.unknown(), signature: z.string() });
const beginSchema = z.strictObject({
  job: z.string().regex(/^[0-9a-f]{64}$/),
  epoch: z.number().int().min(0),
  consents: z.record(z.string(), z.string()),
  /** Of the checkpoint to go on from; null to begin anew. */
  position: z.number().int().min(0).nullable(),
});
const jobSchema = z.strictObject({ job: z.string().regex(/^[0-9a-f]{64}$/) });
/** With rows split the coordinator alone can say what everybody is like together; kept beside the labels. */
const finishSchema = jobSchema.extend({ whole: z.record(z.string(), z.unknown()).optional() });
const releaseSchema = jobSchema.extend({ state: z.enum(["done", "failed"]) });

/** Questions may carry everybody's place or cluster, a sample's rows, or a model. */
const mostAsked = 256 << 20;

/** A party's process: keeps a line to the coordinator, consents to jobs or refuses them, and answers for its columns. */
export class PartyService {
  private readonly consents: Consents;
  private readonly running = new Map<string, Running>();
  private readonly waiting = new Set<string>();
  private readonly preparing = new Map<string, Preparing>();
  private readonly loaded = new Map<string, Promise<People>>();
  /** With rows split: what a job was told so far, over all its epochs. */
  private readonly told = new Map<string, Told>();

  constructor(private readonly options: PartyOptions) {
    const { kit, store, policy, audit } = options;
    this.consents = new Consents(kit, store, policy, (kind, details) => audit.note(kind, details));
  }

  /** Until the signal: whenever the line ends, it is sought again. Throws only on what another try cannot mend. */
  async serve(signal: AbortSignal): Promise<void> {
    const { log, pause = (attempt) => Math.min(10_000, 250 * 2 ** attempt) } = this.options;
    let said = "";
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await this.converse(signal, () => {
          attempt = 0;
          said = "";
        });
      } catch (error) {
        const why = error instanceof MoietyError ? error.message : "the line failed";
        if (why !== said) log(`${why}; trying again`);
        said = why;
      }
      if (!signal.aborted) await sleep(pause(attempt), signal);
    }
    for (const hash of [...this.preparing.keys(), ...this.running.keys()]) await this.stop(hash);
  }

  private async converse(signal: AbortSignal, connected: () => void): Promise<void> {
    const { kit, dialling, log } = this.options;
    const link = await dialling.dial();
    const conversation = new Conversation(link, {
      answer: (question) => this.answer(question),
      mostAsked: () => mostAsked,
    });
    conversation.onUnexpected = (error) => log(`unexpected: ${(error as Error).stack ?? error}`);
    const leave = () => conversation.close();
    signal.addEventListener("abort", leave, { once: true });
    try {
      await conversation.ask("hello", hello(kit), { patience: 10_000 });
      log(`connected to the coordinator at ${kit.coordinator.host}:${kit.coordinator.port}`);
      connected();
      const reason = await conversation.ended;
      if (!signal.aborted) throw reason ?? new MoietyError("failed", "the coordinator hung up");
    } finally {
      signal.removeEventListener("abort", leave);
      conversation.close();
    }
  }

  private async answer({ method, meta, body }: Question): Promise<Answer> {
    switch (method) {
      case "batch": {
        const { job, epoch, steps, letters } = checked(batchSchema, meta);
        const { run, rounds } = this.runOf(job, epoch);
        if (run instanceof BlindedRun) throw outOfPlace();
        if (letters) rounds?.receive(letters);
        return run.answer(steps, body);
      }
      case "relay": {
        const { job, epoch, step } = checked(relaySchema, meta);
        const { run } = this.runOf(job, epoch);
        if (!(run instanceof BlindedRun)) throw outOfPlace();
        return run.relay(step, body);
      }
      case "announce":
      case "vouch":
      case "disclose": {
        const { job, epoch } = checked(roundSchema, meta);
        const { rounds } = this.runOf(job, epoch);
        if (!rounds) throw outOfPlace();
        return { meta: rounds.answer(method, meta) };
      }
      case "consider": {
        const { card, signature } = checked(considerSchema, meta);
        const rows = async (each: Card) => {
          await this.afford(each);
          return isAligned(each) ? await this.countIds(each.id) : (await this.load(each)).n;
        };
        const verdict = await this.consents.consider(card, signature, rows);
        if ("waiting" in verdict) this.sayOnce(checkCard(card));
        return { meta: verdict };
      }
      case "prepare":
        return this.prepare(checked(prepareSchema, meta), body);
      case "begin":
        return { meta: { rows: await this.begin(checked(beginSchema, meta)) } };
      case "heads":
        await this.options.audit.witness(meta);
        return { meta: { head: this.options.audit.head } };
      case "finish":
        return this.finish(checked(finishSchema, meta), body);
      case "release": {
        const { job, state } = checked(releaseSchema, meta);
        if (body.length > 0) await this.receive(job, body);
        await this.release(job, state);
        return {};
      }
      default:
        throw new MoietyError("failed", `a party knows no question '${method}'`);
    }
  }

  /** Whoever has to approve a job should not have to look for it. */
  private sayOnce(card: Card): void {
    const { kit, log } = this.options;
    const id = jobId(cardHash(card));
    if (this.waiting.has(id)) return;
    this.waiting.add(id);
    log(
      `job ${id} of ${card.analyst} waits for approval: moiety job show ${id} --kit ${kit.folder}, then approve or refuse`,
    );
  }

  private runOf(job: string, epoch: number): Running {
    const running = this.running.get(job);
    if (!running || running.epoch !== epoch) throw new MoietyError("failed", "no such run is going on here");
    return running;
  }

  private async prepare({ job, epoch, question }: z.infer<typeof prepareSchema>, body: Uint8Array): Promise<Answer> {
    if (question.ask === "open") {
      const card = await this.consents.agreed(job, question.consents);
      if (card.split !== "columns") throw new MoietyError("failed", "a job with rows split has nothing to align");
      await this.stop(job);
      this.preparing.set(job, await this.preparationOf(card, job, epoch));
    }
    const preparing = this.preparing.get(job);
    if (preparing?.epoch !== epoch) throw new MoietyError("failed", "no such preparation is going on here");
    return preparing.site.answer(question, body);
  }

  private async preparationOf(card: Card, job: string, epoch: number): Promise<Preparing> {
    const { kit, store, random, threads, log, policy, ids } = this.options;
    const journal = await this.journalOf(job);
    const least = (await policy())?.minimum.rows ?? Number.POSITIVE_INFINITY;
    const site = new SitePreparation({
      ...{ party: kit.name, secretKey: kit.agreementSecret, card, store, random, threads, journal },
      masks: { job, epoch, participants: this.participantsOf(card) },
      log: (line) => log(`job ${jobId(job)}: ${line}`),
      ids: () => this.privately(() => ids(card.id!)),
      people: (common) => this.load(card, common),
      permit: async (common) => {
        if (common >= least) return;
        throw new MoietyError(
          "input",
          `refuses the job: fewer common people than the ${least} that the policy asks for`,
        );
      },
    });
    return { epoch, journal, site };
  }

  private async begin({ job, epoch, consents, position }: z.infer<typeof beginSchema>): Promise<number> {
    const { kit, store, random, threads, log, audit } = this.options;
    const card = await this.consents.agreed(job, consents);
    const prepared = this.preparing.get(job);
    if (card.split === "columns" && prepared?.epoch !== epoch) {
      throw new MoietyError("failed", "a job with columns split has to be prepared first");
    }
    await this.stop(job);
    await beginEpoch(this.epochs(), job, epoch);
    const participants = this.participantsOf(card);
    proveHeadroom(participants.map(({ id }) => ({ party: id, bound: 2 * scoreBound })));
    const people = prepared ? prepared.site.people : await this.load(card);
    await audit.note("begun", { job, epoch, people: people.n });
    const lanes = card.train ? [] : openLanes(threads, people.n * (people.dimensions.length + 1) * card.k);
    const journal = prepared?.journal ?? (await this.journalOf(job));
    journal.note("consent and row count", "1 signature, 1 number", "open", 96);
    const masking = { job, epoch, participants };
    const rounds = card.split === "rows" ? this.maskedRounds(card, masking) : undefined;
    const answering = {
      masks: rounds ?? new PairwiseMasks(kit.name, kit.agreementSecret, masking),
      journal,
      random,
      keep: (at: number, state: Uint8Array) => this.keep(job, at, state, journal),
    };
    const state = position === null ? undefined : await store.read(`jobs/${job}/state/${position}`);
    if (position !== null && !state) {
      throw new MoietyError("failed", "the checkpoint of this run is not there any more");
    }
    const results = await loadResults(store, { hash: job, position });
    await this.spend(card, job);
    const run = await this.privately(async () => {
      if (isPrivate(card)) {
        return new MixtureRun({
          ...answering,
          card,
          people,
          lanes,
          told: this.toldOf(job),
          releases: this.releasesOf(job),
        });
      }
      if (card.train) return new LearnerRun({ ...answering, card, party: kit.name, people, threads });
      if (card.split === "rows")
        return new RowPartyRun({ ...answering, card, party: kit.name, people, lanes, told: this.toldOf(job) });
      const columns = await columnsFor(card, kit.name, people, lanes);
      if (card.protection !== "blinded") return new PartyRun({ ...answering, columns });
      return new BlindedRun({
        ...{ card, party: kit.name, columns, journal, random, results },
        masks: new PairwiseMasks(kit.name, kit.agreementSecret, masking),
        groupKey: prepared!.site.sharedKey,
        keep: async (at, kept, received) => {
          await saveResults(store, { hash: job }, at, received);
          await this.keep(job, at, kept, journal);
        },
        clock: () => Date.now(),
      });
    });
    if (run instanceof BlindedRun) await run.start(state);
    else if (state) await run.resume(state);
    await writeRecord(store, `jobs/${job}/journal`, journal.list());
    const extras = { alignment: prepared?.site.alignment, ...(rounds ? { rounds } : {}) };
    this.running.set(job, { epoch, card, people, lanes, journal, run, ...extras });
    log(`job ${jobId(job)}: ${position === null ? "running" : "going on from its checkpoint"}`);
    // Where everything is private, so is how many people there are.
    return isPrivate(card) && (card.private === "all" || card.algorithm === "fkm-plus") ? 1 : people.n;
  }

  /** Throws when what is left of the policy's budget does not cover a job. */
  private async afford(card: Card): Promise<void> {
    const release = isPrivate(card) ? releaseOf(card, cardHash(card), privatePlanOf(card, 1000)) : null;
    const budget = (await this.options.policy())?.budget;
    if (!release || budget?.epsilon === undefined) return;
    await this.ledger().afford(release, { epsilon: budget.epsilon, delta: budget.delta });
  }

  /** Written down before anything of a private job is told; once, however often it is begun. */
  private async spend(card: Card, job: string): Promise<void> {
    const release = isPrivate(card) ? releaseOf(card, job, privatePlanOf(card, 1000)) : null;
    if (!release) return;
    const budget = (await this.options.policy())?.budget;
    if (budget?.epsilon === undefined) throw new MoietyError("input", "the policy sets no privacy budget");
    await this.ledger().spendOnce(release, { epsilon: budget.epsilon, delta: budget.delta });
  }

  private ledger(): Ledger {
    if (this.options.ledger) return this.options.ledger;
    throw new MoietyError("input", "this site keeps no privacy ledger, so it takes no part in private jobs");
  }

  private releasesOf(job: string): Releases {
    const { store } = this.options;
    const key = (name: string) => `jobs/${job}/released/${name.replace(" ", "-")}`;
    return {
      get: (name) => readRecord(store, key(name)),
      put: (name, released) => writeRecord(store, key(name), released),
    };
  }

  private maskedRounds(card: Card, job: MaskJob): MaskedRounds {
    const { kit, random } = this.options;
    return new MaskedRounds({
      me: kit.name,
      secretKey: kit.agreementSecret,
      job,
      threshold: quorumOf(card),
      random,
      told: this.toldOf(job.job),
      sign: (hash) => signHash(kit.signingKey, "survivors", hash),
      verify: (name, hash, signature) =>
        verifyHash(memberOf(kit, { role: "party", name }), "survivors", hash, signature),
    });
  }

  private toldOf(job: string): Told {
    const told = this.told.get(job) ?? new Told();
    this.told.set(job, told);
    return told;
  }

  /** Two checkpoints are kept: the coordinator may have died before it knew of the last one. */
  private async keep(job: string, position: number, state: Uint8Array, journal: Journal): Promise<void> {
    const { store } = this.options;
    const folder = `jobs/${job}/state/`;
    await store.write(`${folder}${position}`, state);
    await writeRecord(store, `jobs/${job}/journal`, journal.list());
    const others = (await store.list(folder))
      .map((key) => Number(key.slice(folder.length)))
      .filter((at) => at !== position);
    const before = Math.max(-1, ...others.filter((at) => at < position));
    await Promise.all(others.filter((at) => at !== before).map((at) => store.remove(`${folder}${at}`)));
  }

  /** Every reader's letter, and this site's own copy of the result. May be asked again, until the job is released. */
  private async finish({ job, whole }: z.infer<typeof finishSchema>, model: Uint8Array): Promise<Answer> {
    const { kit, store, random, onResult, policy } = this.options;
    const running = this.running.get(job);
    if (!running) throw new MoietyError("failed", "no such run is going on here");
    const { card, people, run, alignment } = running;
    const journal = new Journal(running.journal.list());
    const labels = card.train ? new Uint16Array(0) : await run.labels();
    const smallest = (await policy())?.minimum.group ?? Number.POSITIVE_INFINITY;
    const { part, letters } = lettersOf({ kit, job, card, people, labels, smallest, random }, journal);
    await writeRecord(store, `jobs/${job}/journal`, journal.list());
    await writeRecord(store, `jobs/${job}/part`, part);
    const extras = {
      ...(alignment ? { alignment } : {}),
      ...(whole ? { whole } : {}),
      ...(card.model?.includes("parties") ? { model } : {}),
    };
    await onResult({ job, card, people, labels, part, ...extras });
    return { body: Buffer.from(JSON.stringify(letters)) };
  }

  /** The whole result, with what the others have told this site, where the card gives it to the parties. */
  private async receive(job: string, body: Uint8Array): Promise<void> {
    const { kit, store, onSummary } = this.options;
    const known = await this.consents.find(job);
    const own = await readRecord<ResultPart>(store, `jobs/${job}/part`);
    if (!known?.signature || !own || !known.card.summary.includes("parties")) return;
    const delivery = JSON.parse(Buffer.from(body).toString("utf8")) as Delivery;
    const result = resultFor(kit, job, known.card, own, delivery);
    await onSummary({ job, card: known.card, result, history: delivery.facts.history });
  }

  /** The job is over for good: its checkpoints are of no use to anybody. */
  private async release(job: string, state: "done" | "failed"): Promise<void> {
    const { store, log } = this.options;
    await this.account(job, state);
    await this.stop(job);
    this.told.delete(job);
    this.loaded.clear();
    for (const folder of ["state", "log", "released"]) {
      for (const key of await store.list(`jobs/${job}/${folder}/`)) await store.remove(key);
    }
    await store.remove(`jobs/${job}/aligned`);
    log(`job ${jobId(job)}: ${state}`);
  }

  /** Writes down what left the site in all, once for each job. */
  private async account(job: string, state: "done" | "failed"): Promise<void> {
    const { store, audit } = this.options;
    if ((await readRecord<string>(store, `jobs/${job}/over`)) !== undefined) return;
    // A job that is done has kept its journal; of one that has failed the last part may be in memory only.
    const unkept = state === "done" ? undefined : (this.running.get(job) ?? this.preparing.get(job))?.journal;
    const journal = unkept ?? (await this.journalOf(job));
    for (const { kind, protection, messages, bytes } of journal.list()) {
      await audit.note("sent", { job, what: kind, protection, messages, bytes });
    }
    await audit.note(state === "done" ? "finished" : "failed", { job });
    await writeRecord(store, `jobs/${job}/over`, state);
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

  /** All that ever left for a job, as far as it was kept. */
  private async journalOf(job: string): Promise<Journal> {
    return new Journal(await readRecord<JournalEntry[]>(this.options.store, `jobs/${job}/journal`));
  }

  private participantsOf(card: Card) {
    const { kit } = this.options;
    return card.parties.map(({ name }) => ({
      id: name,
      publicKey: Buffer.from(memberOf(kit, { role: "party", name }).agreement, "base64"),
    }));
  }

  private async countIds(column: string): Promise<number> {
    return new Set(await this.privately(() => this.options.ids(column))).size;
  }

  private load(card: Card, common?: readonly string[]): Promise<People> {
    const { kit, people } = this.options;
    // Each preparation has a list of its own, and asks once.
    if (common) return this.privately(() => people(partAt(card, kit.name), card, common));
    const key = card.nonce;
    let loading = this.loaded.get(key);
    if (!loading) {
      // Not more than one at a time: data is large, and most cards are run at once.
      this.loaded.clear();
      loading = this.privately(() => people(partAt(card, kit.name), card));
      this.loaded.set(key, loading);
      loading.catch(() => this.loaded.delete(key));
    }
    return loading;
  }

  /** Errors about this site's data are for this site: the others learn that there is one. */
  private async privately<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof MoietyError ? error.code : "failed";
      this.options.log(`cannot take part: ${(error as Error).message}`);
      const why = code === "infeasible" ? "its attributes make the job impossible" : "its data cannot be used as asked";
      throw new MoietyError(code === "infeasible" ? "infeasible" : "input", `${why}: its own log says why`);
    }
  }

  private epochs() {
    const { store } = this.options;
    return {
      highest: (job: string) => readRecord<number>(store, `jobs/${job}/epoch`),
      raise: (job: string, epoch: number) => writeRecord(store, `jobs/${job}/epoch`, epoch),
    };
  }
}

/** What a site has on the card; of a training, with the label behind the protected attribute. */
function partAt({ parties, train }: Card, site: string): CardPart {
  const part = parties.find(({ name }) => name === site)!;
  return train ? { ...part, protect: [...part.protect, train.label] } : part;
}

/** Whether the sites find out themselves whom they have in common. */
function isAligned(card: Card): card is Card & { readonly id: string } {
  return card.split === "columns" && card.id !== undefined;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
}
