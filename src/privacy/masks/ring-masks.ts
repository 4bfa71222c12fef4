import { createHash } from "node:crypto";
import { failed } from "../../errors.js";
import { RingMemory } from "../../kernels/ring-memory.js";
import { compareBytes } from "../../table/order.js";
import { encodeLabel, expandKey } from "../derive.js";
import { bytesOf, type Integers } from "../integers.js";
import type { RandomBytes } from "../random.js";
import { KeyStream } from "../stream.js";
import type { PairKeys } from "./pair-keys.js";
import type { Ring } from "./ring.js";
import { remainingShares, secretOf, shareBytes } from "./shamir.js";

/**
 * What a site sends beside masked numbers: by what its secret is known, and shares of it. The shares of its first T - 1 holders
 * (`Ring.around`) are the pads that they have in common with it, which need not be sent; the others' follow from them.
 */
export interface RingShares {
  readonly seed: Uint8Array;
  /** [holders - (T - 1)][shareBytes]: the other holders' shares, each under its holder's pad. */
  readonly shares: Uint8Array;
}

/** A site's answer when all numbers of a round are in, [holders][shareBytes]: the pads that it has in common with those around it. */
export type RingOpening = Uint8Array;

/** Those whom a sum is of, as this site has checked them. */
interface MemberList {
  readonly members: readonly string[];
  /** Of each neighbour in it: [near][32], what the two have in common for this list. */
  readonly keys: Uint8Array;
  /** [near]: whether it subtracts what this site adds, and its place among the holders. */
  readonly adds: Uint8Array;
  readonly places: Uint8Array;
  /** Places of the holders with whom this site has no pads: itself, and those who are not on the list. */
  readonly alone: readonly number[];
}

/** What a site keeps of the round whose numbers it has masked. */
interface MaskedNumbers {
  readonly number: number;
  /** The pads of the shares that this site holds. */
  readonly held: RingOpening;
  opened: boolean;
}

/** Of a digest of what was asked so many bytes enter a nonce, before the number of the round. */
const askedBytes = 16;
const nonceBytes = 24;

let memory: RingMemory | undefined;

/**
 * One site's side of sums over many sites, each of which masks with its neighbours on a random ring (after Bell et al. 2020). Every
 * round: `mask`, for a list of members that all are told; and `open`, when the numbers of all members are in. Where a
 * member's did not come, nobody opens the round, and the same numbers are masked anew in the next one, without it.
 *
 * Promise: let at most a twentieth of the card's sites collude with the coordinator, which may lie to each site as it likes and
 * knows the ring. But for a chance of 2^-40 for each ring, what it learns of a round is nothing, or the exact sum over all
 * members of one list that has a quorum, all of whom were asked the same, and nothing else; and for one question that is not to be summed over other sites
 * (`DisclosureLog`), the same list in all rounds of the job. More colluders are out of scope: they may learn a site's own numbers.
 * It needs of whoever calls: numbers are not masked for a list where this site has opened the same question for another one.
 *
 * Why. A site has h neighbours on each side, T of its 2h + 1 holders open its secret, and it masks for a list only where any two
 * stretches of h places, with no place in common, have together D sites of the list. What is left to chance is that in any two such
 * stretches together fewer than D collude (`failureChances`). Pair keys are never opened. The list and all that was asked are part of the
 * label of every mask and pad, so two sites that were told different lists, or asked different questions, neither cancel each other's masks
 * nor open each other's secrets. Call honest sites that masked with each other for one list, and one question, a *component*: only its sum
 * can be read.
 *
 * 1. The honest sites of a list lead from one to the other by neighbours. From each to the next one on the ring they are neighbours,
 *    unless h places or more lie between them that have no honest site of the list: a gap. One gap leaves the way around the ring. Two
 *    gaps have no place in common, so h places of each have together D sites of the list, all of which collude: fewer do.
 * 2. So a readable component is all honest sites of its list, as many of them as there are: an honest neighbour on the list that is not of the
 *    component leaves a mask that nobody can take off, and by 1 neighbours lead from any of them to any other.
 * 3. Two lists of a quorum have an honest site in common. In one round it is told one of them: so one sum is readable.
 * 4. Let the sums of two rounds of one question be readable, over two lists: in one attempt, or in two. Every site that masked in both did so
 *    in the order of rounds, and could not open the earlier one any more when it had masked in the later one. The secrets of all honest
 *    members of the earlier list were opened, each by T holders, by so many honest sites that one of them is on the later list (`meets` in
 *    ring.ts). It opened the earlier round before it masked in the later one, and so refused that: the later sum lacks its numbers.
 */
export class RingMasks {
  private readonly holders: readonly string[];
  private readonly secrets: ReadonlyMap<string, Buffer>;
  private list: MemberList | undefined;
  private round: MaskedNumbers | undefined;

  constructor(
    private readonly keys: PairKeys,
    private readonly ring: Ring,
    /** The fewest members of a round: the card's quorum. */
    private readonly fewest: number,
    private readonly random: RandomBytes,
  ) {
    this.holders = ring.around(keys.me);
    const others = this.holders.filter((id) => id !== keys.me);
    this.secrets = new Map(others.map((id) => [id, keys.of(id, ["ring", ring.digest])]));
  }

  /**
   * Masks the numbers in place, once in a round; `asked` is a digest of the question that they answer. A round before that was not opened
   * stays closed for good. Whoever hands in the same array of members again saves the work that a new list takes.
   */
  mask(number: number, members: readonly string[], values: Integers, asked: Uint8Array): RingShares {
    if (this.round && number <= this.round.number) throw failed(`round ${number} was masked before: rounds must rise`);
    if (this.list?.members !== members) this.list = this.listOf(members);
    const seed = this.random(shareBytes);
    ownMask(seed).addTo(values);
    const { half, threshold } = this.ring.neighbourhood;
    const { own, held } = this.maskAmong(this.list, values, nonceOf(asked, number));
    // Its own share is drawn, and opened as all are; so is that of a holder who is not there, which nobody can open.
    for (const at of this.list.alone) own.set(this.random(shareBytes), at * shareBytes);
    held.set(own.subarray(half * shareBytes, (half + 1) * shareBytes), half * shareBytes);
    this.round = { number, held, opened: false };
    const drawn = (threshold - 1) * shareBytes;
    const shares = remainingShares(seed, own.subarray(0, drawn), this.holders.length);
    for (let at = 0; at < shares.length; at++) shares[at] ^= own[drawn + at];
    return { seed: commitmentTo(seed), shares };
  }

  /** Masks the numbers together with all neighbours. The pads of this site's shares, and of those that it holds, in the order of the holders. */
  private maskAmong({ keys, adds, places }: MemberList, values: Integers, nonce: Uint8Array) {
    memory ??= new RingMemory();
    const bytes = this.holders.length * shareBytes;
    const numbers = memory.buffer("numbers", values.byteLength + memory.kernels.slack());
    memory.bytes(numbers, values.byteLength).set(bytesOf(values));
    const [own, held] = [memory.buffer("own", bytes), memory.buffer("held", bytes)];
    // What was there before is of another round: of those who are not there nothing is shown.
    memory.bytes(held, bytes).fill(0);
    memory.kernels.maskAmong(
      ...[numbers, values.length, memory.put("keys", keys), memory.put("adds", adds), memory.put("places", places)],
      ...[adds.length, memory.put("nonce", nonce), own, held],
    );
    bytesOf(values).set(memory.bytes(numbers, values.byteLength));
    return { own: new Uint8Array(memory.bytes(own, bytes)), held: new Uint8Array(memory.bytes(held, bytes)) };
  }

  /** Says once, when the numbers of all members are in, what takes this site's part of the masks off their sum. */
  open(number: number): RingOpening {
    if (this.round?.number !== number) throw failed(`round ${number} is not the present one: refused`);
    if (this.round.opened) throw failed(`round ${number} was opened, or given up, before: once only`);
    this.round.opened = true;
    return this.round.held;
  }

  /** The present round, if it was not opened, stays closed for good. */
  close(): void {
    if (this.round) this.round.opened = true;
  }

  private listOf(members: readonly string[]): MemberList {
    const there = new Set(members);
    this.refuseFew(there);
    const digest = createHash("sha256").update(encodeLabel(members)).digest();
    const near = [...this.holders.keys()].filter(
      (at) => there.has(this.holders[at]) && at !== this.ring.neighbourhood.half,
    );
    const ids = near.map((at) => this.holders[at]);
    return {
      members,
      keys: Buffer.concat(ids.map((id) => expandKey(this.secrets.get(id)!, ["list", digest]))),
      adds: Uint8Array.from(ids, (id) => (compareBytes(this.keys.me, id) < 0 ? 1 : 0)),
      places: Uint8Array.from(near),
      alone: [...this.holders.keys()].filter((at) => !near.includes(at)),
    };
  }

  private refuseFew(there: ReadonlySet<string>): void {
    const { size, neighbourhood } = this.ring;
    if (!there.has(this.keys.me)) throw failed("the list of members lacks this site: refused");
    if (there.size < this.fewest) {
      throw failed(`only ${there.size} of ${size} parties are there: at least ${this.fewest} are needed`);
    }
    const near = this.holders.filter((id) => there.has(id)).length;
    if (near < neighbourhood.threshold) {
      throw failed(`only ${near} of this site's neighbours are there: at least ${neighbourhood.threshold} are needed`);
    }
    if (!this.ring.isDense(there)) throw failed("too many who stand side by side on the ring are not there: refused");
  }
}

export interface RingRound {
  readonly ring: Ring;
  /** What the round's members sent beside their numbers, all of which are in the sum. */
  readonly members: ReadonlyMap<string, RingShares>;
  /** By who opens. */
  readonly openings: ReadonlyMap<string, RingOpening>;
}

/**
 * The coordinator's side: takes all masks off the members' sum, in place.
 * Promise: it refuses when too few of a member's neighbours opened their shares, or when a secret is not the one that was
 * announced: a wrong share ends the run and never changes a sum.
 */
export function takeRingMasksOff(sum: Integers, { ring, members, openings }: RingRound): Integers {
  const { threshold, half } = ring.neighbourhood;
  const holders = 2 * half + 1;
  const drawn = threshold - 1;
  const places: number[] = [];
  const found = new Uint8Array(threshold * shareBytes);
  for (const [id, opening] of openings) if (opening.length !== holders * shareBytes) throw wrongLength(id);
  for (const [id, { seed: announced, shares }] of members) {
    if (shares.length !== (holders - drawn) * shareBytes) throw wrongLength(id);
    const around = ring.around(id);
    places.length = 0;
    for (let at = 0; at < holders && places.length < threshold; at++) {
      const opening = openings.get(around[at]);
      if (!opening) continue;
      // Whoever stands so far before a site has it so far behind.
      const pad = (2 * half - at) * shareBytes;
      const share = (at - drawn) * shareBytes;
      const to = places.length * shareBytes;
      for (let i = 0; i < shareBytes; i++) found[to + i] = opening[pad + i] ^ (share < 0 ? 0 : shares[share + i]);
      places.push(at + 1);
    }
    if (places.length < threshold) {
      throw failed(`only ${places.length} neighbours helped to open the mask of ${id}: ${threshold} are needed`);
    }
    const seed = secretOf(places, found);
    if (!commitmentTo(seed).equals(announced)) {
      throw failed(`the recovered mask of ${id} is not the announced one: a share was wrong`);
    }
    ownMask(seed).subtractFrom(sum);
  }
  return sum;
}

/** By what the coordinator knows a site's secret when it is opened: 32 bytes that tell nothing about it. */
function commitmentTo(seed: Uint8Array): Buffer {
  return expandKey(seed, ["commitment"]);
}

function ownMask(seed: Uint8Array): KeyStream {
  return new KeyStream(expandKey(seed, ["self mask"]));
}

function wrongLength(site: string) {
  return failed(`${site} sent another number of shares than its neighbours are`);
}

function nonceOf(asked: Uint8Array, round: number): Uint8Array {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.set(asked.subarray(0, askedBytes));
  nonce.writeDoubleLE(round, askedBytes);
  return nonce;
}
