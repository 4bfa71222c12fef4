import { failed } from "../../errors.js";
import { bytesOf, type Integers } from "../../privacy/integers.js";
import { DoubleMasks } from "../../privacy/masks/double.js";
import type { PairKeys } from "../../privacy/masks/pair-keys.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { Reply } from "../transport/conversation.js";
import { checked } from "../wire/checked.js";
import {
  announceSchema,
  discloseSchema,
  packAnnouncement,
  packDisclosure,
  type RoundList,
  type SentAnnouncement,
  survivorsHash,
  unpackLetters,
  vouchSchema,
} from "../wire/masked-rounds.js";

import type { DisclosureLog } from "./disclosure-log.js";

export interface MaskedRoundsOptions {
  readonly job: string;
  readonly epoch: number;
  readonly keys: PairKeys;
  /** How many parties it takes to open a mask; with fewer nothing is summed. */
  readonly threshold: number;
  readonly random: RandomBytes;
  /** What was summed over whom: it decides whether masks may be opened. */
  readonly disclosures: DisclosureLog;
  /** This party's signature of a hash, and a check of another's, which throws. */
  readonly sign: (hash: string) => string;
  readonly verify: (party: string, hash: string, signature: string) => void;
}

/** What a party's run needs of its masks. */
export interface SumRounds {
  /** The coordinator's questions about masks. */
  answer(method: RoundQuestion, meta: unknown): Reply;
  /** To be awaited before an answer leaves: what it opens is written down then. */
  saved(): Promise<void>;
  /** A question begins a round: with letters of the others, or, of many, with the list of who is there. */
  begin(told: ToldOfRound): void;
  /** The parties among whose numbers those of the present round are hidden, this one included. */
  readonly members: readonly string[];
  /** Masks the numbers in place, for the answer to what was asked: a digest of all that this site was asked in this attempt. */
  hide(values: Integers, asked: string): Reply;
}

export type RoundQuestion = "announce" | "vouch" | "disclose" | "again" | "open";

/** What comes with a question whose answer is summed. */
export interface ToldOfRound {
  readonly letters?: Readonly<Record<string, string>> | undefined;
  readonly list?: RoundList | undefined;
}

/**
 * A party's side of sums over the connected parties (see `DoubleMasks`), led by the coordinator: one round for each sum, in
 * which it signs one list of those whose numbers arrived, and opens masks for that list only.
 */
export class MaskedRounds implements SumRounds {
  private readonly masks: DoubleMasks;
  private round = -1;
  /** The list that was signed in this round. */
  private vouched: string | undefined;

  constructor(private readonly options: MaskedRoundsOptions) {
    const { keys, threshold, random } = options;
    this.masks = new DoubleMasks(keys, threshold, random);
  }

  answer(method: RoundQuestion, meta: unknown): Reply {
    switch (method) {
      case "announce":
        return { meta: this.announce(checked(announceSchema, meta).round) };
      case "vouch": {
        const { round, survivors } = checked(vouchSchema, meta);
        return { meta: { signature: this.vouch(round, survivors) } };
      }
      case "disclose": {
        const { round, survivors, vouchers, next } = checked(discloseSchema, meta);
        return { meta: this.disclose(round, survivors, vouchers, next) };
      }
      default:
        throw failed("so few parties mask with everybody: a question is out of place");
    }
  }

  saved(): Promise<void> {
    return this.options.disclosures.saved();
  }

  private announce(round: number): SentAnnouncement {
    const announcement = this.masks.announce(round);
    this.round = round;
    this.vouched = undefined;
    return packAnnouncement(announcement);
  }

  begin({ letters }: ToldOfRound): void {
    if (!letters) return;
    // Letters that are refused begin no round: what the present one is about stays declared.
    this.masks.receive(unpackLetters(letters));
    this.options.disclosures.begin();
  }

  get members(): readonly string[] {
    return this.masks.members;
  }

  /** Masks the numbers in place, for the answer; once in a round, since the next question is of the next one. */
  hide(values: Integers, asked: string): Reply {
    return { meta: { asked }, body: bytesOf(this.masks.mask(0, values, asked)) };
  }

  /** Signs that these are the survivors. Another list of the same round is not signed. */
  private vouch(round: number, survivors: readonly string[]): string {
    const hash = this.hashOf(round, survivors);
    if (this.vouched !== undefined && this.vouched !== hash) {
      throw failed("another list of survivors was signed in this round: refused");
    }
    this.vouched = hash;
    return this.options.sign(hash);
  }

  /**
   * Opens masks for these survivors. Where a party dropped out, as many as the threshold must have signed the very same
   * list, this party among them. What would show by subtraction what one party has stays closed for good: null.
   */
  private disclose(
    round: number,
    survivors: readonly string[],
    vouchers: Readonly<Record<string, string>>,
    next: number,
  ) {
    const { keys, threshold, verify } = this.options;
    const hash = this.hashOf(round, survivors);
    const complete = this.masks.members.every((id) => survivors.includes(id));
    if (this.vouched === undefined ? !complete : this.vouched !== hash) {
      throw failed("masks are opened only for the survivors that were signed: refused");
    }
    if (!complete) {
      const signed = survivors.filter((id) => {
        const signature = vouchers[id];
        if (signature === undefined) return false;
        verify(id, hash, signature);
        return true;
      });
      if (signed.length < threshold || !signed.includes(keys.me)) {
        throw failed(`only ${signed.length} parties have signed the list of survivors: ${threshold} are needed`);
      }
    }
    const opened = this.options.disclosures.open(survivors) ? packDisclosure(this.masks.disclose(survivors)) : null;
    return { opened, next: this.announce(next) };
  }

  private hashOf(round: number, survivors: readonly string[]): string {
    const { job, epoch, keys } = this.options;
    if (round !== this.round) throw failed(`round ${round} is not the present one: refused`);
    return survivorsHash({ job, epoch, round, attempt: keys.attempt }, survivors);
  }
}
