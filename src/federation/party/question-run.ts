import { deserialize, serialize } from "node:v8";
import { failed, type MoietyError } from "../../errors.js";
import type { AnswerFields, OwnClusters, Question, QuestionedSite, Subject } from "../../parties/questions.js";
import { type Integers, toIntegers } from "../../privacy/integers.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { Journal } from "../audit/journal.js";
import { sumBound } from "../consent/card.js";
import { digestWith } from "../results/site-tables.js";
import type { Reply } from "../transport/conversation.js";
import { toFlags } from "../wire/numbers.js";
import { type BatchStep, unpackRequest, type WireQuestion } from "../wire/questions.js";
import { type DisclosureLog, digestOf, listOf } from "./disclosure-log.js";
import type { SumRounds } from "./masked-rounds.js";

/** What was released in a private job, with its noise: durable, so that the same question never gets other noise. */
export interface ReleaseStore {
  get(place: string): Promise<ReleasedNumbers | undefined>;
  put(place: string, released: ReleasedNumbers): Promise<void>;
}

interface ReleasedNumbers {
  readonly digest: string;
  readonly numbers: readonly number[];
  /** Who took part when it first left. A version that did not write it down kept to those on the card. */
  readonly among?: readonly string[];
}

export interface QuestionRunOptions<Site extends QuestionedSite> {
  /** Hides numbers in place, so that only their sum over the parties means anything. */
  readonly masks: Pick<SumRounds, "hide">;
  readonly journal: Journal;
  readonly random: RandomBytes;
  /** Keeps a checkpoint; durable when it resolves. */
  readonly keep: (position: number, state: Uint8Array) => Promise<void>;
  readonly site: Site;
  /** All that the card's method may ask. */
  readonly questions: readonly Question<Site, unknown>[];
  /** What was summed over whom, in all epochs: durable. */
  readonly disclosures: DisclosureLog;
  readonly releases: ReleaseStore;
  /** Everybody on the card. */
  readonly parties: readonly string[];
  /** With whom the present numbers are hidden, this site included. */
  readonly members: () => readonly string[];
  /** Writes what leaves a private job into the audit log, before it does. */
  readonly leaving: () => Promise<void>;
}

/** Tells checkpoints from those of other versions. */
const format = "moiety site 2";

interface SavedSite {
  readonly format: typeof format;
  readonly site: unknown;
  readonly answered: readonly string[];
  /** Absent in checkpoints of earlier versions. */
  readonly told?: string;
}

/** What the coordinator asks of a site while rows are clustered or learnt from, whatever the method is. */
export type SiteQuestions = Pick<
  QuestionRun<QuestionedSite>,
  "resume" | "answer" | "labels" | "ids" | "own" | "ownAnswers" | "told" | "close"
>;

/**
 * A site in a run over split rows: answers the questions that the card's method declares, and no others. A request has to
 * have its declared shape and to pass the guard; what may be answered once is not answered twice; sums leave under masks, and
 * where the plan says so with noise that is drawn once; the journal says what left.
 */
export class QuestionRun<Site extends QuestionedSite> {
  private readonly questions: ReadonlyMap<string, Question<Site, unknown>>;
  /** Digests of what is answered once. */
  private answered = new Set<string>();
  /** The answer that is being worked on: the next batch waits for it. */
  private answering: Promise<unknown> = Promise.resolve();
  private lastStep = -1;
  private closed = false;
  private digest = "";
  /** The same of this attempt alone: sites that came back, and have forgotten what was before, have the same. */
  private asked = "";

  constructor(private readonly options: QuestionRunOptions<Site>) {
    this.questions = new Map(options.questions.map((question) => [question.name, question]));
  }

  /** Goes on from a checkpoint of an earlier attempt. */
  async resume(state: Uint8Array): Promise<void> {
    const kept = deserialize(state) as Partial<SavedSite>;
    if (kept.format !== format || !kept.answered) {
      throw failed("the checkpoint of this run is of another version of moiety: submit the job again");
    }
    this.answered = new Set(kept.answered);
    this.digest = kept.told ?? "of an earlier version";
    await this.options.site.restore(kept.site);
  }

  /** The people's final clusters. */
  async labels(): Promise<Uint16Array> {
    return this.options.site.labels;
  }

  /** Their ids, where these were not known from the start. */
  async ids(): Promise<readonly string[] | undefined> {
    return this.options.site.ids?.();
  }

  /** What this site's own people are like in the clusters: it leaves the site in no answer. */
  async own(): Promise<OwnClusters | undefined> {
    return this.options.site.own?.();
  }

  /** What a model answers about its own people: it leaves the site in no answer either. */
  get ownAnswers(): Float64Array | undefined {
    return this.options.site.ownAnswers;
  }

  /** A digest of all that the coordinator told this site, but for what it tells each site alone: the same at all sites that it told the same. */
  get told(): string {
    return this.digest;
  }

  /** When this resolves, no noise is drawn any more: not even for a question that arrived before. */
  async close(): Promise<void> {
    this.closed = true;
    await this.answering;
    await this.options.site.close();
  }

  /** Takes the steps in order, and answers the last one; or several whose sums leave, under one mask. */
  answer(steps: readonly BatchStep[], body: Uint8Array): Promise<Reply> {
    const answer = this.answering.then(() => this.take(steps, body));
    this.answering = answer.catch(() => undefined);
    return answer;
  }

  private async take(steps: readonly BatchStep[], body: Uint8Array): Promise<Reply> {
    let at = 0;
    let answer: Reply | Integers = {};
    const sums: Integers[] = [];
    for (const { step, question, bytes } of steps) {
      if (step <= this.lastStep) throw failed(`question ${step} was asked before: refused`);
      if (at + bytes > body.length) throw failed("a question lacks a part of its body");
      this.lastStep = step;
      answer = await this.respond(question, body.subarray(at, at + bytes));
      at += bytes;
      if (answer instanceof BigInt64Array) sums.push(answer);
    }
    if (sums.length === 0) return answer as Reply;
    if (sums[sums.length - 1] !== answer) throw outOfPlace();
    return this.options.masks.hide(sums.length === 1 ? sums[0] : joinedIntegers(sums), this.asked);
  }

  /** The answer, or numbers that only leave in a sum over all sites. */
  private async respond(asked: WireQuestion, body: Uint8Array): Promise<Reply | Integers> {
    const { site, keep } = this.options;
    if (this.closed) throw outOfPlace();
    if (asked.ask === "checkpoint") {
      const kept: SavedSite = { format, site: site.save(), answered: [...this.answered], told: this.digest };
      await keep(asked.position, serialize(kept));
      return {};
    }
    const question = asked.ask === "question" ? this.questions.get(asked.name) : undefined;
    if (asked.ask !== "question" || !question) throw outOfPlace();
    if (!question.toEach) {
      const message = [asked.name, JSON.stringify(asked.request), body];
      this.digest = digestWith(this.digest, ...message);
      this.asked = digestWith(this.asked, ...message);
    }
    const { success, data: request } = question.request.safeParse(unpackRequest({ request: asked.request, body }));
    if (!success || question.guard?.(site, request) === false) throw outOfPlace();
    for (const subject of question.once?.(site, request) ?? []) this.once(question.name, subject);
    if (question.leaves === "nothing") {
      await question.answer(site, request);
      return {};
    }
    if (question.leaves === "own") return this.openly(question, request);
    return question.privately ? this.private(question, request) : this.sum(question, request);
  }

  private async openly(question: Question<Site, unknown>, request: unknown): Promise<Reply> {
    const { what, shape } = question.journal;
    const { all, lengths } = joined(question.shape(request), await this.compute(question, request), "at most");
    this.options.journal.note(what, shape, "open", all.byteLength);
    return { meta: { lengths }, body: new Uint8Array(all.buffer) };
  }

  private async sum(question: Question<Site, unknown>, request: unknown): Promise<Integers> {
    const { site, disclosures, random } = this.options;
    const { what, shape } = question.journal;
    for (const subject of (await question.about?.(site, request)) ?? []) disclosures.about(question.name, ...subject);
    const { all } = joined(question.shape(request), await this.compute(question, request));
    const numbers = question.leaves === "any" ? toFlags(all, random) : integersOf(question, all);
    return this.noted(what, shape, numbers);
  }

  /** Noise is drawn once for a place in the plan. The same question again gets the same numbers, and another one none. */
  private async private(question: Question<Site, unknown>, request: unknown): Promise<Integers> {
    const { site, releases, disclosures, members, parties, leaving } = this.options;
    const { place, noisy } = question.privately!(site, request);
    const [subject = []] = (await question.about?.(site, request)) ?? [];
    const digest = digestOf(place, ...subject);
    const before = noisy ? await releases.get(place) : undefined;
    if (before && before.digest !== digest) {
      throw failed("another question was answered in this place before, and its privacy is spent");
    }
    if (before && !before.among) disclosures.add([[digest, listOf(parties)]]);
    disclosures.about(place, ...subject);
    const over = disclosures.over(digest);
    if (over !== undefined && over !== listOf(members())) {
      throw failed(`this was summed over ${over} before and is not disclosed over others: the job's privacy is spent`);
    }
    const numbers = before
      ? Float64Array.from(before.numbers)
      : joined(question.shape(request), await this.compute(question, request)).all;
    if (noisy && !before) await releases.put(place, { digest, numbers: Array.from(numbers), among: members() });
    const what = `${question.journal.what}${noisy ? ", with noise" : ""}${before ? ", repeated" : ""}`;
    const answer = this.noted(what, question.journal.shape, integersOf(question, numbers));
    await leaving();
    return answer;
  }

  private noted(what: string, shape: string, numbers: Integers): Integers {
    this.options.journal.note(what, shape, "masked", numbers.byteLength);
    return numbers;
  }

  private async compute(question: Question<Site, unknown>, request: unknown): Promise<AnswerFields<string>> {
    return (await question.answer(this.options.site, request)) as AnswerFields<string>;
  }

  private once(name: string, subject: Subject): void {
    const digest = digestOf(name, ...subject);
    if (this.answered.has(digest)) {
      throw failed("this was answered before for the same centres: refused");
    }
    this.answered.add(digest);
  }
}

export function outOfPlace(): MoietyError {
  return failed("a question is out of place: it names what is not there");
}

function integersOf({ most = sumBound }: { readonly most?: number }, numbers: Float64Array): Integers {
  return toIntegers(numbers, most);
}

function joinedIntegers(parts: readonly Integers[]): Integers {
  const all = new BigInt64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The fields of an answer one after the other, each as long as it was declared, or not longer. */
function joined(
  shape: Readonly<Record<string, number>>,
  answer: AnswerFields<string>,
  how: "exactly" | "at most" = "exactly",
) {
  const parts = Object.entries(shape).map(([field, length]) => {
    const part = answer[field];
    if (how === "exactly" ? part.length === length : part.length <= length) return part;
    throw failed(`an answer has another number of ${field}`);
  });
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return { all, lengths: parts.map(({ length }) => length) };
}
