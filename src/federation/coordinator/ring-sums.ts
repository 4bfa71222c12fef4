import { failed } from "../../errors.js";
import { SumRefused } from "../../parties/questions.js";
import type { Integers } from "../../privacy/integers.js";
import type { Ring } from "../../privacy/masks/ring.js";
import { type RingOpening, takeRingMasksOff } from "../../privacy/masks/ring-masks.js";
import { shareBytes } from "../../privacy/masks/shamir.js";
import type { ReceivedAnswer } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import { ringAnswerSchema, ringOpeningSchema, unpackRingShares } from "../wire/masked-rounds.js";
import { type AskForNumbers, answersOfPresent, type MaskedSumsOptions, type Sums, totalOf } from "./masked-sums.js";

export interface RingSumsOptions extends MaskedSumsOptions {
  readonly ring: Ring;
}

/**
 * The coordinator's side of sums over many parties, each of which masks with its neighbours (see `RingMasks`). A round is
 * opened when the numbers of all its members have come. Where a party hung up before, its round is given up, and those who are
 * left mask the same numbers anew.
 *
 * Promise: what `sum` returns is the exact sum over `survivors`, as long as every party keeps its numbers within the bounds
 * of `proveHeadroom`; the coordinator sees nothing else of them. It throws when fewer than the quorum are left, or when too many
 * neighbours of one party leave in the moment between its numbers and their opening.
 */
export class RingSums implements Sums {
  private readonly there: Set<string>;
  private round = 0;

  constructor(
    private readonly handles: readonly PartyHandle[],
    private readonly options: RingSumsOptions,
  ) {
    this.there = new Set(handles.map(({ name }) => name));
  }

  get present(): readonly string[] {
    return this.handles.map(({ name }) => name).filter((name) => this.there.has(name));
  }

  async open(): Promise<void> {
    // Keys are those of the attempt: nothing has to be announced.
  }

  leave(name: string): void {
    this.there.delete(name);
  }

  async sum(
    length: number,
    ask: AskForNumbers,
    before: (survivors: readonly string[]) => Promise<void> = async () => undefined,
  ): Promise<{ readonly sum: Integers; readonly survivors: string[] }> {
    const { job, epoch, ring } = this.options;
    const again = (handle: PartyHandle, list: object) =>
      handle.ask("again", { job, epoch, ...list }, { most: 8 * length });
    let masked = await this.numbersOf((handle, list) => ask(handle, { list }));
    while (!masked) masked = await this.numbersOf(again);
    const { answers, members } = masked;
    const survivors = answers.map(([name]) => name);
    await before(survivors);
    const total = totalOf(answers, length);
    return { sum: takeRingMasksOff(total, { ring, members, openings: await this.openings() }), survivors };
  }

  /** The numbers of another round, of all who are there; undefined where one of them hung up. */
  private async numbersOf(ask: (handle: PartyHandle, list: object) => Promise<ReceivedAnswer>) {
    const { threshold, participants, ring } = this.options;
    if (this.there.size < threshold) {
      const many = `${this.there.size} of ${participants.length} parties`;
      throw failed(`only ${many} are there: sums need at least ${threshold}`);
    }
    const list = { round: ++this.round, absent: ring.ids.filter((id) => !this.there.has(id)) };
    const asked = this.there.size;
    const answers = await this.askThere((handle) => ask(handle, list));
    const members = new Map(
      answers.map(([name, { meta }]) => {
        const answer = checked(ringAnswerSchema, meta, name);
        if ("refused" in answer) throw new SumRefused();
        return [name, unpackRingShares(answer)];
      }),
    );
    return answers.length === asked ? { answers, members } : undefined;
  }

  private async openings(): Promise<Map<string, RingOpening>> {
    const { job, epoch, ring } = this.options;
    const most = (2 * ring.neighbourhood.half + 1) * shareBytes;
    const answers = await this.askThere((handle) => handle.ask("open", { job, epoch, round: this.round }, { most }));
    return new Map(
      answers.map(([name, { meta, body }]) => {
        if (!checked(ringOpeningSchema, meta, name).opened) throw new SumRefused();
        return [name, body];
      }),
    );
  }

  /** Asks all who are there; whoever hangs up is not there any more. */
  private async askThere(ask: (handle: PartyHandle) => Promise<ReceivedAnswer>) {
    const asked = this.handles.filter(({ name }) => this.there.has(name));
    const answers = await answersOfPresent(asked, ask);
    const answered = new Set(answers.map(([name]) => name));
    for (const { name } of asked) if (!answered.has(name)) this.there.delete(name);
    return answers;
  }
}
