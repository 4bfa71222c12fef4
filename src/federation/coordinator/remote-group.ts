import { createHash } from "node:crypto";
import { failed, MoietyError } from "../../errors.js";
import type { Answer, AnswerFields, AskedQuestion, Group, Leaves, Question } from "../../parties/questions.js";
import { toNumbers } from "../../privacy/integers.js";
import { checked } from "../wire/checked.js";
import { fromFlags } from "../wire/numbers.js";
import { type DeclaredQuestion, ownLengths, packRequest } from "../wire/questions.js";
import type { PartyBatch } from "./party-batch.js";
import { Regrouping } from "./run-stage.js";

/** The answers that an earlier attempt of a run got: they are not asked for again. */
export interface AnswerLog {
  /** False while the log is replayed: nobody is asked anything then. */
  readonly live: boolean;
  /** The next answer, about so many people: from the log, or by asking. */
  pass<T>(people: number, ask: () => Promise<T>): Promise<T>;
}

/** For runs that keep what they need to go on by themselves. */
export const unlogged: AnswerLog = { live: true, pass: (_, ask) => ask() };

export interface RemoteGroupOptions {
  readonly batch: PartyBatch;
  readonly log: AnswerLog;
  /** Of all parties. */
  readonly people: number;
  /** Whether a party that was away could join. */
  readonly returned?: () => boolean;
  /** Called once when a party has left. */
  readonly onDeparture?: (present: readonly string[]) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A question as it travels, the shape of its answer, and how many people it is about. */
interface SentQuestion {
  readonly asked: DeclaredQuestion;
  readonly body: Uint8Array;
  readonly shape: Readonly<Record<string, number>>;
  readonly work: number;
}

/**
 * The sites of a federation as one group: an algorithm asks it as it would ask parties in its own process. It sees sums of
 * masked numbers, and where card and policies allow it each site's own answers.
 */
export class RemoteGroup<Site> implements Group<Site> {
  private readonly answered = new Map<string, readonly Readonly<Record<string, Float64Array>>[]>();
  private known: number;

  constructor(private readonly options: RemoteGroupOptions) {
    this.known = options.batch.parties.length;
  }

  get size(): number {
    return this.options.batch.present.length;
  }

  get changed(): boolean {
    return this.options.batch.changed;
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  allowChangeOfParties(centres: Float64Array): void {
    // While the log is replayed, its answers are of those that were connected then.
    if (this.options.log.live && (this.changed || this.options.returned?.())) throw new Regrouping(centres);
  }

  async ask<Request, What extends Leaves, Field extends string>(
    question: Question<Site, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    this.refuseCancelled();
    const { batch, log } = this.options;
    if (question.leaves === "nothing") {
      const { asked, body } = declared(question, request);
      if (log.live) batch.note(asked, body);
      return undefined as Answer<What, Field>;
    }
    const sent = this.prepare(question, request);
    const answer = question.leaves === "own" ? await this.own(sent) : (await this.totals(question.leaves, [sent]))[0];
    return answer as unknown as Answer<What, Field>;
  }

  async askAll(asked: readonly AskedQuestion<Site>[]): Promise<readonly AnswerFields<string>[]> {
    this.refuseCancelled();
    return this.totals(
      "sum",
      asked.map(({ question, request }) => this.prepare(question, request)),
    );
  }

  private refuseCancelled(): void {
    if (this.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
  }

  private prepare<Request>(question: Question<Site, Request>, request: Request): SentQuestion {
    const work = this.options.people * question.passes;
    return { ...declared(question, request), shape: question.shape(request), work };
  }

  /** Sends each party a message of its own, with the same lists of numbers. */
  tellEach<Request>(question: Question<Site, Request, "nothing">, requests: readonly Request[]): void {
    const { batch, log } = this.options;
    const each = requests.map((request) => declared(question, request));
    if (log.live)
      batch.note(
        each.map(({ asked }) => asked),
        each[0].body,
      );
  }

  /** Sends what waits for the next question now. */
  async flush(): Promise<void> {
    await this.options.batch.flush();
    this.notice();
  }

  /** The sums that answer some questions. The log has them as one answer, so that a run goes on with sites of either version. */
  private async totals(leaves: Leaves, sent: readonly SentQuestion[]) {
    const { log } = this.options;
    const fields = sent.flatMap(({ shape }, at) => Object.entries(shape).map(([field, each]) => ({ at, field, each })));
    const work = sent.reduce((sum, each) => sum + each.work, 0);
    const numbers = await log.pass(work, () => this.sums(leaves, sent));
    const all = Float64Array.from(numbers);
    const answers: Record<string, Float64Array>[] = sent.map(() => ({}));
    let from = 0;
    for (const { at, field, each } of fields) {
      answers[at][field] = all.subarray(from, from + each);
      from += each;
    }
    return answers;
  }

  /** In one message and under one mask. */
  private async sums(leaves: Leaves, sent: readonly SentQuestion[]): Promise<Float64Array> {
    const { batch } = this.options;
    const [others, last] = [sent.slice(0, -1), sent[sent.length - 1]];
    for (const { asked, body } of others) batch.note(asked, body);
    const length = sent.reduce((sum, { shape }) => Object.values(shape).reduce((all, each) => all + each, sum), 0);
    const sums = await batch.sum(last.asked, length, last.body).finally(() => this.notice());
    return leaves === "any" ? Float64Array.from(fromFlags(sums), Number) : toNumbers(sums);
  }

  /** Each party's own answer, unmasked. Nobody is asked the same twice: the answer is kept. */
  private async own({ asked, body, shape, work }: SentQuestion) {
    const { batch, log } = this.options;
    const name = createHash("sha256").update(JSON.stringify(asked)).update(body).digest("base64");
    const before = this.answered.get(name);
    if (before) return before;
    const limits = Object.values(shape);
    const most = 8 * limits.reduce((sum, each) => sum + each, 0);
    const said = await log.pass(work, async () => {
      const answers = await batch.ask(asked, { body, most }).finally(() => this.notice());
      return answers.map(([party, { meta, body: bytes }]) => {
        const { lengths } = checked(ownLengths, meta);
        const numbers = Array.from(new Float64Array(new Uint8Array(bytes).buffer));
        const fits = lengths.length === limits.length && lengths.every((each, at) => each <= limits[at]);
        const total = lengths.reduce((sum, each) => sum + each, 0);
        if (fits && total === numbers.length && numbers.every(Number.isFinite)) return { lengths, numbers };
        throw failed(`${party} sent an answer of another shape than it was asked for`);
      });
    });
    const fields = Object.keys(shape);
    const answers = said.map(({ lengths, numbers }) =>
      split(
        fields.map((field, at) => [field, lengths[at]]),
        Float64Array.from(numbers),
      ),
    );
    this.answered.set(name, answers);
    return answers;
  }

  private notice(): void {
    const { batch, onDeparture } = this.options;
    if (batch.present.length === this.known) return;
    this.known = batch.present.length;
    onDeparture?.(batch.present);
  }
}

function declared<Request>(
  { name }: { readonly name: string },
  request: Request,
): { readonly asked: DeclaredQuestion; readonly body: Uint8Array } {
  const packed = packRequest(request);
  return { asked: { ask: "question", name, request: packed.request }, body: packed.body };
}

function split(shape: readonly (readonly [string, number])[], numbers: Float64Array): Record<string, Float64Array> {
  let at = 0;
  return Object.fromEntries(
    shape.map(([field, length]) => {
      const part = numbers.subarray(at, at + length);
      at += length;
      return [field, part];
    }),
  );
}
