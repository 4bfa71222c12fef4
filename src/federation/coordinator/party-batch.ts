import { MoietyError } from "../../errors.js";
import { type Integers, integersOf } from "../../privacy/integers.js";
import { quorumOf } from "../consent/settings.js";
import type { Received } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import type { WireQuestion } from "../wire/questions.js";
import { everybody, MaskedSums, type MaskedSumsOptions } from "./masked-sums.js";
import { Panel } from "./panel.js";
import type { CardRun } from "./solve-card.js";

interface AskOptions {
  readonly body?: Uint8Array;
  readonly most?: number;
}

/** The parties of a job of which some may go: sums and answers are of those that are there. */
export class PartyBatch extends Panel {
  private readonly sums: MaskedSums;
  private lasting = false;
  /** Told whose numbers a sum is of, before it is opened. */
  onSurvivors: (survivors: readonly string[]) => Promise<void> = async () => undefined;

  private constructor(parties: readonly PartyHandle[], options: MaskedSumsOptions) {
    super(parties, options.job, options.epoch);
    this.sums = new MaskedSums(parties, options);
  }

  /** Until this is said nothing goes on when somebody leaves. */
  goOn(): void {
    this.lasting = true;
  }

  /** Shares of masks are numbered by everybody on the card, and a quorum of them opens one. */
  static async open({
    card,
    hash,
    epoch,
    seats,
  }: Pick<CardRun, "card" | "hash" | "epoch" | "seats">): Promise<PartyBatch> {
    const participants = card.parties.map(({ name }) => name);
    const batch = new PartyBatch(seats, { job: hash, epoch, participants, threshold: quorumOf(card) });
    await batch.sums.open();
    return batch;
  }

  /** Everybody who was there at the beginning. */
  get parties(): readonly PartyHandle[] {
    return this.seats;
  }

  /** Those who have not hung up. */
  get present(): readonly string[] {
    return this.sums.present;
  }

  /** Whether somebody of the beginning has left. */
  get changed(): boolean {
    return this.present.length < this.seats.length;
  }

  override async ask(of: number, question: WireQuestion, options: AskOptions = {}): Promise<Received[]> {
    this.note(of, question, options.body);
    return (await this.answers(options)).map(([, answer]) => answer);
  }

  /** What each of those says who are there. */
  askEach(question: WireQuestion, options: AskOptions): Promise<(readonly [string, Received])[]> {
    this.note(0, question, options.body);
    return this.answers(options);
  }

  /** What waits for the next question leaves without one. */
  async flush(): Promise<void> {
    if (this.waiting.length > 0) await this.answers({});
  }

  override async sum(of: number, question: WireQuestion, length: number, body?: Uint8Array): Promise<Integers> {
    const asks = this.send(of, question, body);
    const { sum } = await this.sums.sum(
      length,
      async (seat, letters) => {
        const { body: numbers } = await asks[this.seats.indexOf(seat)]({ most: length * 8 }, { letters });
        return integersOf(numbers);
      },
      async (survivors) => {
        if (survivors.length < this.seats.length) this.refuseDeparture(true);
        await this.onSurvivors(survivors);
      },
    );
    // Masks are opened in a round of their own.
    this.wire.rounds++;
    this.refuseDeparture();
    return sum;
  }

  private async answers({ most }: AskOptions): Promise<(readonly [string, Received])[]> {
    const asks = this.deliver();
    const there = this.seats.filter(({ name }) => this.present.includes(name));
    const options = most === undefined ? {} : { most };
    const answers = await everybody(there, (seat) => asks[this.seats.indexOf(seat)](options));
    for (const { name } of there) if (!answers.some(([answered]) => answered === name)) this.sums.leave(name);
    this.refuseDeparture();
    return answers;
  }

  private refuseDeparture(changed = this.changed): void {
    if (!this.lasting && changed) throw new MoietyError("failed", "a party has left");
  }
}
