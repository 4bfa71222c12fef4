import { MoietyError } from "../../errors.js";
import { compareBytes } from "../../table/order.js";
import { deriveKey } from "../derive.js";
import type { Integers } from "../integers.js";
import { type AgreementKeys, agree, newAgreementKeys } from "../keys.js";
import type { RandomBytes } from "../random.js";
import { seal, unseal } from "../seal.js";
import { KeyStream, streamKeyBytes } from "../stream.js";
import { UsedLabels } from "./labels.js";
import { type PairKeys, pair } from "./pair-keys.js";
import { type Share, shareBytes, splitSecret } from "./shamir.js";

/** By what the coordinator knows the two secrets of a member's masks when they are opened. */
export interface Commitment {
  readonly publicKey: Uint8Array;
  /** Of the seed of the self mask: 32 bytes that tell nothing about it. */
  readonly seed: Uint8Array;
}

/** What a party announces at the start of a round: fresh secrets, committed to, and a letter of shares for each other party. */
export interface Announcement extends Commitment {
  readonly letters: ReadonlyMap<string, Uint8Array>;
}

/** A party's answer when the sums are in: of each member one share, of the self mask or of the pairwise key. */
export interface Disclosure {
  /** Of those whose numbers arrived. */
  readonly selfMasks: ReadonlyMap<string, Share>;
  /** Of those whose numbers did not. */
  readonly pairKeys: ReadonlyMap<string, Share>;
}

interface ReceivedShares {
  readonly publicKey: Uint8Array;
  readonly selfMask: Share;
  readonly pairKey: Share;
}

interface Round {
  readonly number: number;
  readonly keys: AgreementKeys;
  readonly seed: Uint8Array;
  readonly own: ReceivedShares;
  readonly used: UsedLabels;
  members?: ReadonlyMap<string, ReceivedShares>;
  disclosed: boolean;
}

/** A sum of fewer than three parties tells each of them what the others sent. */
const fewestSurvivors = 3;

/**
 * One party's side of sums that survive dropouts (Bonawitz et al. 2017). Every round: `announce`, `receive` the others'
 * letters, `mask`, `disclose`.
 *
 * Promise: the coordinator learns the sum over those whose numbers arrived, and nothing else, even if it pretends that
 * somebody dropped out: a party discloses its share of a member's self mask or of its pairwise key, never both, and once
 * a round. Keys are fresh every round, so that what is opened for one says nothing about another. Pairwise masks depend on all that a party
 * was asked: those of a party that was asked something else than the others cancel in no sum. It holds while fewer than `threshold`
 * parties collude with the coordinator (see `safeThreshold`), and refuses when fewer than three survive.
 */
export class DoubleMasks {
  private readonly me: string;
  private readonly ids: readonly string[];
  private readonly peers: readonly { readonly id: string; readonly key: Buffer }[];
  private round: Round | undefined;

  constructor(
    keys: PairKeys,
    private readonly threshold: number,
    private readonly random: RandomBytes,
  ) {
    this.me = keys.me;
    this.ids = keys.ids;
    if (this.ids.length < fewestSurvivors) {
      throw new MoietyError(
        "input",
        `${this.ids.length} parties cannot hide rows from each other: at least 3 are needed`,
      );
    }
    this.peers = keys.others.map((id) => ({ id, key: keys.of(id, ["shares"]) }));
  }

  announce(number: number): Announcement {
    if (this.round && number <= this.round.number) {
      throw new MoietyError("failed", `round ${number} was announced before: rounds must rise`);
    }
    const keys = newAgreementKeys(this.random);
    const seed = this.random(32);
    const pairKeys = splitSecret(keys.secretKey, this.threshold, this.ids.length, this.random);
    const selfMasks = splitSecret(seed, this.threshold, this.ids.length, this.random);
    const letters = this.peers.map(({ id, key }) => {
      const at = this.ids.indexOf(id);
      const content = Buffer.concat([keys.publicKey, pairKeys[at].value, selfMasks[at].value]);
      return [id, seal(key, this.letterLabel(number, this.me, id), content, this.random)] as const;
    });
    const mine = this.ids.indexOf(this.me);
    const own = { publicKey: keys.publicKey, pairKey: pairKeys[mine], selfMask: selfMasks[mine] };
    this.round = { number, keys, seed, own, used: new UsedLabels(), disclosed: false };
    return { publicKey: keys.publicKey, seed: commitmentTo(seed), letters: new Map(letters) };
  }

  /** Takes the letters of those who announced themselves in time: with this party they are the round's members. */
  receive(letters: ReadonlyMap<string, Uint8Array>): void {
    const round = this.present();
    if (round.members) throw new MoietyError("failed", `the letters of round ${round.number} came twice`);
    this.refuseTooFew(letters.size + 1, "announced themselves");
    const at = this.ids.indexOf(this.me) + 1;
    const members = new Map([[this.me, round.own]]);
    for (const [id, letter] of letters) {
      const key = this.peers.find((peer) => peer.id === id)?.key;
      if (!key) throw new MoietyError("failed", "a letter came from a site that is not a participant");
      const content = unseal(key, this.letterLabel(round.number, id, this.me), letter);
      members.set(id, {
        publicKey: content.subarray(0, 32),
        pairKey: { at, value: content.subarray(32, 32 + shareBytes) },
        selfMask: { at, value: content.subarray(32 + shareBytes) },
      });
    }
    round.members = members;
  }

  /** Those with whom this party hides its numbers in the present round, itself included, in the order that all agree on. */
  get members(): readonly string[] {
    const members = this.membersOf(this.present());
    return this.ids.filter((id) => members.has(id));
  }

  /** Masks the numbers in place. `asked` is a digest of the question that they answer. */
  mask(block: number, values: Integers, asked: string): Integers {
    const round = this.present();
    const members = this.membersOf(round);
    if (round.disclosed) throw new MoietyError("failed", `round ${round.number} is over: nothing more can be masked`);
    round.used.use({ round: round.number, block });
    selfStream(round.seed, block).addTo(values);
    for (const [id, { publicKey }] of members) {
      if (id !== this.me)
        addPairMask(values, this.me, id, agree(round.keys.secretKey, publicKey), { block, asked }, false);
    }
    return values;
  }

  /** Says once what the coordinator needs to take the masks off the sum of the survivors. */
  disclose(survivors: readonly string[]): Disclosure {
    const round = this.present();
    const members = this.membersOf(round);
    if (round.disclosed) throw new MoietyError("failed", `round ${round.number} was disclosed before: once only`);
    const alive = new Set(survivors);
    if (![...alive].every((id) => members.has(id))) {
      throw new MoietyError("failed", "a survivor is named who was no member of the round");
    }
    this.refuseTooFew(alive.size, "survived");
    round.disclosed = true;
    const entries = [...members];
    return {
      selfMasks: new Map(entries.filter(([id]) => alive.has(id)).map(([id, { selfMask }]) => [id, selfMask])),
      pairKeys: new Map(entries.filter(([id]) => !alive.has(id)).map(([id, { pairKey }]) => [id, pairKey])),
    };
  }

  private refuseTooFew(parties: number, what: string): void {
    const fewest = Math.max(this.threshold, fewestSurvivors);
    if (parties >= fewest) return;
    throw new MoietyError(
      "failed",
      `only ${parties} of ${this.ids.length} parties ${what}: at least ${fewest} are needed`,
    );
  }

  private present(): Round {
    if (!this.round) throw new MoietyError("failed", "no round was announced");
    return this.round;
  }

  private membersOf(round: Round): ReadonlyMap<string, ReceivedShares> {
    if (!round.members) throw new MoietyError("failed", `the letters of round ${round.number} have not come`);
    return round.members;
  }

  private letterLabel(round: number, from: string, to: string) {
    return ["shares", round, from, to];
  }
}

export function commitmentTo(seed: Uint8Array): Buffer {
  return deriveKey(seed, ["commitment"], 32);
}

export function selfStream(seed: Uint8Array, block: number): KeyStream {
  return new KeyStream(deriveKey(seed, ["self mask", block], streamKeyBytes));
}

/** Adds what `me` adds against `other`; or takes it off again. The lower id adds, the higher subtracts. */
export function addPairMask(
  values: Integers,
  me: string,
  other: string,
  secret: Uint8Array,
  { block, asked }: { readonly block: number; readonly asked: string },
  off: boolean,
): void {
  const stream = new KeyStream(deriveKey(secret, ["pair mask", ...pair(me, other), block, asked], streamKeyBytes));
  if (compareBytes(me, other) < 0 !== off) stream.addTo(values);
  else stream.subtractFrom(values);
}
