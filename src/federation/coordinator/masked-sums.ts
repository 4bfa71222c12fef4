import { failed } from "../../errors.js";
import { SumRefused } from "../../parties/questions.js";
import { addInto, type Integers, integersOf } from "../../privacy/integers.js";
import type { Disclosure } from "../../privacy/masks/double.js";
import { participantIds } from "../../privacy/masks/pair-keys.js";
import { MaskRecovery } from "../../privacy/masks/recovery.js";
import type { ReceivedAnswer } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import {
  announcementSchema,
  disclosureSchema,
  maskedAnswerSchema,
  type SentAnnouncement,
  unpackCommitment,
  unpackDisclosure,
  vouchedSchema,
} from "../wire/masked-rounds.js";

export interface MaskedSumsOptions {
  readonly job: string;
  readonly epoch: number;
  /** Everybody on the card: shares are numbered by it. */
  readonly participants: readonly string[];
  /** How many parties it takes to open a mask. With fewer no sum is made. */
  readonly threshold: number;
}

/** Asks one party for its masked numbers, and tells it of their round: the letters of the others, or who is there. */
export type AskForNumbers = (handle: PartyHandle, told: object) => Promise<ReceivedAnswer>;

/** Sums of whole numbers over the connected parties, of which nobody sees a single one's. */
export interface Sums {
  /** Those who can take part in the next sum. */
  readonly present: readonly string[];
  /** To be called once, before the first sum. */
  open(): Promise<void>;
  /** A party hung up between two sums. */
  leave(name: string): void;
  /** `before` is called with those for whom masks are about to be opened, and may refuse. */
  sum(
    length: number,
    ask: AskForNumbers,
    before?: (survivors: readonly string[]) => Promise<void>,
  ): Promise<{ readonly sum: Integers; readonly survivors: string[] }>;
}

/**
 * The coordinator's side of sums of whole numbers over the connected parties (Bonawitz et al. 2017). Each sum is a
 * round: the parties' fresh keys and shares travel with the question, their numbers come back under two masks, and those
 * whose numbers arrived open what is needed for their sum, and for nothing else. A party that hangs up is left out from the
 * next sum on, and of the present one unless its numbers had arrived.
 *
 * Promise: what `sum` returns is the exact sum over `survivors`, as long as every party keeps its numbers within the bounds
 * of `proveHeadroom`; the coordinator sees nothing else of them. It throws when fewer than the threshold are left.
 */
export class MaskedSums implements Sums {
  private announced = new Map<string, SentAnnouncement>();
  private round = 0;
  private readonly places: readonly string[];

  constructor(
    private readonly handles: readonly PartyHandle[],
    private readonly options: MaskedSumsOptions,
  ) {
    this.places = participantIds(options.participants.map((id) => ({ id })));
  }

  get present(): readonly string[] {
    return this.handles.map(({ name }) => name).filter((name) => this.announced.has(name));
  }

  /** The first keys. */
  async open(): Promise<void> {
    const { job, epoch } = this.options;
    const meta = { job, epoch, round: this.round };
    const answers = await answersOfPresent(this.handles, (handle) => handle.ask("announce", meta));
    this.announced = new Map(answers.map(([name, answer]) => [name, checked(announcementSchema, answer.meta)]));
  }

  leave(name: string): void {
    this.announced.delete(name);
  }

  async sum(
    length: number,
    ask: AskForNumbers,
    before: (survivors: readonly string[]) => Promise<void> = async () => undefined,
  ): Promise<{ readonly sum: Integers; readonly survivors: string[] }> {
    const members = new Map(this.announced);
    const handles = this.handles.filter(({ name }) => members.has(name));
    this.refuseFew(handles.length, "are there");
    const answers = await answersOfPresent(handles, (handle) => {
      const others = [...members].filter(([name]) => name !== handle.name);
      const letters = others.map(([name, announced]) => [name, announced.letters[handle.name] ?? ""]);
      return ask(handle, { letters: Object.fromEntries(letters) });
    });
    const total = totalOf(answers, length);
    const survivors = answers.map(([name]) => name);
    this.refuseFew(survivors.length, "answered");
    const [asked, ...others] = new Set(answers.map(([, { meta }]) => checked(maskedAnswerSchema, meta).asked));
    if (others.length > 0) throw failed("the parties were not asked the same: their masks do not cancel");
    await before(survivors);
    const disclosures = await this.close(survivors, handles);
    const { threshold } = this.options;
    const committed = new Map(Array.from(members, ([name, announced]) => [name, unpackCommitment(announced)]));
    const recovery = new MaskRecovery({ threshold, members: committed, survivors, asked, disclosures });
    return { sum: recovery.unmask(0, total), survivors };
  }

  /** Survivors open masks, and announce themselves for the next round. */
  private async close(survivors: string[], members: readonly PartyHandle[]): Promise<Disclosure[]> {
    const { job, epoch } = this.options;
    const here = { job, epoch, round: this.round, survivors };
    let handles = members.filter(({ name }) => survivors.includes(name));
    const vouchers: Record<string, string> = {};
    if (survivors.length < members.length) {
      const signed = await answersOfPresent(handles, (handle) => handle.ask("vouch", here));
      for (const [name, { meta }] of signed) vouchers[name] = checked(vouchedSchema, meta).signature;
      handles = handles.filter(({ name }) => name in vouchers);
      this.refuseFew(handles.length, "stayed");
    }
    const next = this.round + 1;
    const disclosed = await answersOfPresent(handles, (handle) => handle.ask("disclose", { ...here, vouchers, next }));
    this.announced = new Map();
    const disclosures = disclosed.flatMap(([name, { meta }]) => {
      const { opened, next: announcement } = checked(disclosureSchema, meta);
      this.announced.set(name, announcement);
      return opened ? [unpackDisclosure(opened, this.places.indexOf(name) + 1)] : [];
    });
    this.round = next;
    if (disclosures.length < this.options.threshold && disclosures.length < disclosed.length) throw new SumRefused();
    return disclosures;
  }

  private refuseFew(count: number, what: string): void {
    const { threshold, participants } = this.options;
    if (count >= threshold) return;
    throw failed(`only ${count} of ${participants.length} parties ${what}: sums need at least ${threshold}`);
  }
}

/** The sum of all numbers that came, masks and all. */
export function totalOf(answers: readonly (readonly [string, ReceivedAnswer])[], length: number): Integers {
  const total = new BigInt64Array(length);
  for (const [name, { body }] of answers) {
    if (body.length !== 8 * length) throw failed(`${name} sent another number of numbers than it was asked for`);
    addInto(total, integersOf(body));
  }
  return total;
}

/** The answers of those who do not hang up. Throws what anybody refuses. */
export async function answersOfPresent<T>(
  handles: readonly PartyHandle[],
  ask: (handle: PartyHandle) => Promise<T>,
): Promise<(readonly [string, T])[]> {
  const answers = await Promise.all(
    handles.map(async (handle) => {
      try {
        return [handle.name, await ask(handle)] as const;
      } catch (error) {
        if (await handle.gone?.()) return undefined;
        throw error;
      }
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}
