import { failed } from "../../errors.js";
import { bytesOf, type Integers } from "../../privacy/integers.js";
import type { PairKeys } from "../../privacy/masks/pair-keys.js";
import type { Ring } from "../../privacy/masks/ring.js";
import { RingMasks } from "../../privacy/masks/ring-masks.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { Reply } from "../transport/conversation.js";
import { checked } from "../wire/checked.js";
import { againSchema, openSchema, packRingShares, type RoundList } from "../wire/masked-rounds.js";
import type { DisclosureLog } from "./disclosure-log.js";
import type { RoundQuestion, SumRounds, ToldOfRound } from "./masked-rounds.js";

export interface RingRoundsOptions {
  readonly keys: PairKeys;
  readonly ring: Ring;
  /** The fewest parties that a sum may be of. */
  readonly quorum: number;
  readonly random: RandomBytes;
  /** What was summed over whom: it decides whether masks may be opened. */
  readonly disclosures: DisclosureLog;
}

/**
 * A party's side of sums over many parties (see `RingMasks`), led by the coordinator. A question comes with the list of those who
 * are there. When the numbers of all of them have arrived, the party opens its part of the masks, once, for that list; else it is
 * told another list and masks the same numbers anew.
 */
export class RingRounds implements SumRounds {
  private readonly masks: RingMasks;
  private list: RoundList | undefined;
  /** Those who are there by it. */
  private listed: readonly string[] = [];
  /** Those for whom the numbers were masked last. */
  private masked: readonly string[] = [];
  /** The numbers of the last question, until their sum is opened. They stay here. */
  private pending: { readonly values: Integers; readonly asked: string } | undefined;

  constructor(private readonly options: RingRoundsOptions) {
    const { keys, ring, quorum, random } = options;
    this.masks = new RingMasks(keys, ring, quorum, random);
  }

  answer(method: RoundQuestion, meta: unknown): Reply {
    switch (method) {
      case "again": {
        const { round, absent } = checked(againSchema, meta);
        if (!this.pending) throw failed("no numbers are to be masked anew: refused");
        this.setList({ round, absent });
        return this.hide(this.pending.values, this.pending.asked);
      }
      case "open":
        return this.open(checked(openSchema, meta).round);
      default:
        throw failed("so many parties mask with their neighbours: a question is out of place");
    }
  }

  saved(): Promise<void> {
    return this.options.disclosures.saved();
  }

  begin({ list }: ToldOfRound): void {
    if (!list) return;
    // What was masked before is about another question: it cannot be opened any more.
    this.masks.close();
    this.setList(list);
    this.pending = undefined;
    this.options.disclosures.begin();
  }

  get members(): readonly string[] {
    if (!this.list) throw failed("nobody was said to be there");
    return this.listed;
  }

  /** Most rounds are of those of the round before: the same array says so. */
  private setList(list: RoundList): void {
    const before = this.list?.absent.join();
    this.list = list;
    if (list.absent.join() === before) return;
    const absent = new Set(list.absent);
    this.listed = this.options.ring.ids.filter((id) => !absent.has(id));
  }

  /** Nothing is masked either for what was summed over others: see `RingMasks`, 4. */
  hide(values: Integers, asked: string): Reply {
    const { members, list } = this;
    if (!this.options.disclosures.allows(members)) {
      this.pending = undefined;
      return { meta: { refused: true } };
    }
    const kept = { values: values.slice(), asked };
    const shares = this.masks.mask(list!.round, members, values, Buffer.from(asked, "base64"));
    this.pending = kept;
    this.masked = members;
    return { meta: packRingShares(shares), body: bytesOf(values) };
  }

  /** Nothing, for good, where the sum would show by subtraction what one party has. */
  private open(round: number): Reply {
    const opening = this.masks.open(round);
    this.pending = undefined;
    const opened = this.options.disclosures.open(this.masked);
    return opened ? { meta: { opened }, body: opening } : { meta: { opened } };
  }
}
