import { failed } from "../../errors.js";
import type { Traffic } from "../../parties/traffic.js";
import type { Integers } from "../../privacy/integers.js";
import { masksOnRing, quorumOf } from "../consent/settings.js";
import type { AskOptions, ReceivedAnswer } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/types.js";
import type { BatchStep, WireQuestion } from "../wire/questions.js";
import { answersOfPresent, MaskedSums, type MaskedSumsOptions, type Sums } from "./masked-sums.js";
import { RingSums } from "./ring-sums.js";
import type { CardRun } from "./solve-card.js";

/** A step whose question may be another one for each party. */
type WaitingStep = Omit<BatchStep, "question"> & { readonly question: WireQuestion | readonly WireQuestion[] };

/** Sends what waits to one party, with more beside it if need be. */
type Send = (party: PartyHandle, options: AskOptions, more?: object) => Promise<ReceivedAnswer>;

/**
 * The parties of a job with split rows, of which some may leave: sums and answers are of those that are connected. A question
 * that needs no answer waits for the next one that does, and travels with it: one round for both. Every question has a
 * number that no other one has.
 */
export class PartyBatch {
  readonly traffic: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  /** Called with those whose numbers a sum is of, before it is opened. */
  onSurvivors: (survivors: readonly string[]) => Promise<void> = async () => undefined;
  private toleratesDepartures = false;
  private waiting: WaitingStep[] = [];
  private bodies: Uint8Array[] = [];
  private step = 0;

  private constructor(
    /** Those that were connected at the beginning. */
    readonly parties: readonly PartyHandle[],
    private readonly options: MaskedSumsOptions,
    private readonly sums: Sums,
  ) {}

  /** Shares of masks are numbered by everybody on the card, and a quorum of them opens one. */
  static async open({
    card,
    hash,
    epoch,
    handles,
    ring,
  }: Pick<CardRun, "card" | "hash" | "epoch" | "handles" | "ring">): Promise<PartyBatch> {
    const participants = card.parties.map(({ name }) => name);
    const options = { job: hash, epoch, participants, threshold: quorumOf(card) };
    if (masksOnRing(card) !== (ring !== undefined)) throw failed("many parties need a ring to mask on");
    const sums = ring ? new RingSums(handles, { ...options, ring }) : new MaskedSums(handles, options);
    const batch = new PartyBatch(handles, options, sums);
    await sums.open();
    return batch;
  }

  /** From now on the run goes on when a party leaves; until then it throws. */
  goOn(): void {
    this.toleratesDepartures = true;
  }

  /** Those who have not hung up. */
  get present(): readonly string[] {
    return this.sums.present;
  }

  /** Whether a party has left since the beginning. */
  get changed(): boolean {
    return this.present.length < this.parties.length;
  }

  /** To be sent with the next question: to all, or to each its own. */
  note(question: WireQuestion | readonly WireQuestion[], body?: Uint8Array): void {
    this.waiting.push({ step: ++this.step, question, bytes: body?.length ?? 0 });
    if (body && body.length > 0) this.bodies.push(body);
  }

  /** The answers of those that are connected. */
  async ask(
    question: WireQuestion,
    { body, most }: { readonly body?: Uint8Array; readonly most?: number } = {},
  ): Promise<(readonly [string, ReceivedAnswer])[]> {
    this.note(question, body);
    return this.answers(most === undefined ? {} : { most });
  }

  /** Sends what waits for the next question without one. */
  async flush(): Promise<void> {
    if (this.waiting.length > 0) await this.answers({});
  }

  /** The sum of the numbers of those that are connected: of so many numbers, with those of what waits and is to be summed. */
  async sum(question: WireQuestion, length: number, body?: Uint8Array): Promise<Integers> {
    this.note(question, body);
    const send = this.deliver();
    const { sum } = await this.sums.sum(
      length,
      (party, told) => send(party, { most: length * 8 }, told),
      async (survivors) => {
        if (survivors.length < this.parties.length) this.refuseDeparture(true);
        await this.onSurvivors(survivors);
      },
    );
    // Masks are opened in a round of their own.
    this.traffic.rounds++;
    this.refuseDeparture();
    return sum;
  }

  private async answers(options: AskOptions): Promise<(readonly [string, ReceivedAnswer])[]> {
    const send = this.deliver();
    const there = this.parties.filter(({ name }) => this.present.includes(name));
    const answers = await answersOfPresent(there, (party) => send(party, options));
    for (const { name } of there) if (!answers.some(([answered]) => answered === name)) this.sums.leave(name);
    this.refuseDeparture();
    return answers;
  }

  /** All that waits, to be sent to each party. */
  private deliver(): Send {
    const { job, epoch } = this.options;
    const steps = this.waiting;
    const body = this.bodies.length === 1 ? this.bodies[0] : Buffer.concat(this.bodies);
    this.waiting = [];
    this.bodies = [];
    this.traffic.rounds++;
    return async (party, options, more = {}) => {
      const own = steps.map(({ question, ...rest }) => {
        return { ...rest, question: Array.isArray(question) ? question[this.parties.indexOf(party)] : question };
      });
      this.traffic.bytesDown += body.length;
      const received = await party.ask("batch", { job, epoch, steps: own, ...more }, { ...options, body });
      this.traffic.bytesUp += received.body.length;
      return received;
    };
  }

  private refuseDeparture(changed = this.changed): void {
    if (!this.toleratesDepartures && changed) throw failed("a party has left");
  }
}
