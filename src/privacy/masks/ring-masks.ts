import { createHash } from "node:crypto";
import { failed } from "../../errors.js";
import { compareBytes } from "../../table/order.js";
import { encodeLabel, expandKey } from "../derive.js";
import { addInto, bytesOf, type Integers, integersOf, subtractFrom } from "../integers.js";
import type { RandomBytes } from "../random.js";
import { chunkBytes, countersOf, NumberedStreams } from "../stream.js";
import { commitmentTo, selfStream } from "./double.js";
import type { PairKeys } from "./pair-keys.js";
import type { Ring } from "./ring.js";
import { joinShares, remainingShares, type Share, shareBytes } from "./shamir.js";

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

/** A neighbour in a list of members. */
interface Neighbour {
  /** Its place among the holders. */
  readonly at: number;
  /** Whether it subtracts what this site adds. */
  readonly adds: boolean;
  /** What the two have in common for this list, one stream for each round: first the pad of each, and then masks. */
  readonly streams: NumberedStreams;
}

/** Those whom a sum is of, as this site has checked them. */
interface MemberList {
  readonly members: readonly string[];
  readonly near: readonly Neighbour[];
  /** [roundsAhead][near][padBytes and numbers]: how the streams of the rounds from `first` on begin. */
  ahead: BigInt64Array;
  first: number;
  /** Numbers whose masks are there: of the longest sum of these rounds and of those before them, if that is not too long. */
  numbers: number;
  /** Of the longest sum of these rounds so far. */
  longest: number;
}

/** What a site keeps of the round whose numbers it has masked. */
interface MaskedNumbers {
  readonly number: number;
  /** The pads of the shares that this site holds. */
  readonly held: RingOpening;
  opened: boolean;
}

/** Of the stream of a pair and round: the pad of the lower id's share, and of the higher one's. */
const padBytes = 2 * shareBytes;
/**
 * So many streams of a pair are begun at once: a call of the cipher costs ten times what it computes for one short sum, and was a
 * quarter of a round of 300 sites when there were four (`bench many-sites`).
 */
const roundsAhead = 16;
/** Most sums are shorter than this; masks of the numbers that come after them are made in stretches. */
const mostAhead = 120;
const stretch = chunkBytes / 8;

/**
 * One site's side of sums over many sites, each of which masks with its neighbours on a random ring (after Bell et al. 2020). Every
 * round: `mask`, for a list of members that all are told; and `open`, when the numbers of all members are in. Where a
 * member's did not come, nobody opens the round, and the same numbers are masked anew in the next one, without it.
 *
 * Promise: let at most a twentieth of the card's sites collude with the coordinator, which may lie to each site as it likes and
 * knows the ring. But for a chance of 2^-40 for each ring, what it learns of a round is nothing, or the exact sum over all
 * members of one list that has a quorum, and nothing else; and for one question that is not to be summed over other sites
 * (`DisclosureLog`), the same list in all rounds of the job. More colluders are out of scope: they may learn a site's own numbers.
 *
 * Why. A site has h neighbours on each side, T of its 2h + 1 holders open its secret, and it masks for a list only where any h places that
 * lie side by side have D sites of the list. What is left to chance is that any h such places have fewer than D colluders, and any
 * 2h + 1 fewer than 2T - (2h + 1) (`failureChances`). Pair keys are never opened. The list is part of the label of every mask and
 * pad, so two sites that were told different lists neither cancel each other's masks nor open each other's secrets. Call honest sites that
 * masked with each other for one list a *component*: only its sum can be read.
 *
 * 1. Any h places have an honest site of the list. So from each to the next one on the ring it is at most h places: they are neighbours.
 * 2. So a readable component is all honest sites of its list, as many of them as there are: an honest neighbour on the list that is not of the
 *    component leaves a mask that nobody can take off, and by 1 neighbours lead from any of them to any other.
 * 3. Two lists of a quorum have an honest site in common. In one round it is told one of them: so one sum is readable.
 * 4. In two rounds of one question, with two lists, that site's secrets were opened by T holders each time. An honest holder
 *    opens for one of the lists, and a colluder for both: so 2T <= 2h + 1 + colluders, but there are fewer than 2T - (2h + 1) of
 *    them. For rounds on two rings (two attempts), `overlaps` in ring.ts counts the same.
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
   * Masks the numbers in place, once in a round. A round before that was not opened stays closed for good. Whoever hands in the same
   * array of members again saves the work that a new list takes.
   */
  mask(number: number, members: readonly string[], values: Integers): RingShares {
    if (this.round && number <= this.round.number) throw failed(`round ${number} was masked before: rounds must rise`);
    if (this.list?.members !== members) this.list = this.listOf(members);
    const seed = this.random(shareBytes);
    selfStream(seed, 0).addTo(values);
    const pads = new Array<Uint8Array | undefined>(this.holders.length).fill(undefined);
    const held = new Uint8Array(pads.length * shareBytes);
    const { near, ahead, first, numbers } = this.begunAt(number, values.length, this.list);
    const bytes = bytesOf(ahead);
    const short = values.subarray(0, numbers);
    for (let index = 0; index < near.length; index++) {
      const { at, adds } = near[index];
      const begin = ((number - first) * near.length + index) * bytesBegun(numbers);
      pads[at] = shareAt(bytes, begin / shareBytes + (adds ? 0 : 1));
      held.set(shareAt(bytes, begin / shareBytes + (adds ? 1 : 0)), at * shareBytes);
      const from = (begin + padBytes) / 8;
      apply(short, adds, ahead.subarray(from, from + short.length));
    }
    for (let from = numbers; from < values.length; from += stretch) {
      const part = values.subarray(from, from + stretch);
      const counters = countersOf(number, padBytes + 8 * from, padBytes + 8 * (from + part.length));
      for (const { adds, streams } of near)
        apply(part, adds, integersOf(streams.at(counters)).subarray(0, part.length));
    }
    // Its own share is drawn, and opened as all are; so is that of a holder who is not there, which nobody can open.
    const { half, threshold } = this.ring.neighbourhood;
    const all = pads.map((pad) => pad ?? this.random(shareBytes));
    held.set(all[half], half * shareBytes);
    this.round = { number, held, opened: false };
    const others = remainingShares(seed, all.slice(0, threshold - 1), all.length);
    const covered = others.map((share, at) => under(all[threshold - 1 + at], share));
    return { seed: commitmentTo(seed), shares: Buffer.concat(covered) };
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

  /** The list, with the beginnings of the streams of this round, for a sum of so many numbers. */
  private begunAt(number: number, length: number, list: MemberList): MemberList {
    const needed = Math.min(mostAhead, roundedUp(length));
    list.longest = Math.max(list.longest, needed);
    const isBegun = number >= list.first && number < list.first + roundsAhead;
    if (isBegun && list.numbers >= needed) return list;
    if (list.ahead.length === 0 || list.numbers !== list.longest) {
      list.numbers = list.longest;
      list.ahead = new BigInt64Array((list.near.length * roundsAhead * bytesBegun(list.numbers)) / 8);
    }
    if (!isBegun) list.longest = needed;
    list.first = number;
    const size = bytesBegun(list.numbers);
    const counters = Buffer.concat(
      Array.from({ length: roundsAhead }, (_, later) => countersOf(number + later, 0, size)),
    );
    const begun = bytesOf(list.ahead);
    for (const [index, { streams }] of list.near.entries()) {
      const bytes = streams.at(counters);
      for (let later = 0; later < roundsAhead; later++) {
        const one = bytes.subarray(later * size, (later + 1) * size);
        begun.set(one, (later * list.near.length + index) * size);
      }
    }
    return list;
  }

  private listOf(members: readonly string[]): MemberList {
    const there = new Set(members);
    this.refuseFew(there);
    const digest = createHash("sha256").update(encodeLabel(members)).digest();
    const near = this.holders.flatMap((id, at): Neighbour[] => {
      const secret = this.secrets.get(id);
      if (!secret || !there.has(id)) return [];
      const adds = compareBytes(this.keys.me, id) < 0;
      return [{ at, adds, streams: new NumberedStreams(expandKey(secret, ["list", digest])) }];
    });
    return { members, near, ahead: new BigInt64Array(0), first: Number.POSITIVE_INFINITY, numbers: 0, longest: 0 };
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
  const drawn = threshold - 1;
  for (const [id, { seed: announced, shares }] of members) {
    const found: Share[] = [];
    for (const [at, holder] of ring.around(id).entries()) {
      if (found.length === threshold) break;
      const opening = openings.get(holder);
      if (!opening) continue;
      // Whoever stands so far before a site has it so far behind.
      const pad = shareAt(opening, 2 * half - at);
      found.push({ at: at + 1, value: at < drawn ? pad : under(pad, shareAt(shares, at - drawn)) });
    }
    if (found.length < threshold) {
      throw failed(`only ${found.length} neighbours helped to open the mask of ${id}: ${threshold} are needed`);
    }
    const seed = joinShares(found);
    if (!commitmentTo(seed).equals(announced)) {
      throw failed(`the recovered mask of ${id} is not the announced one: a share was wrong`);
    }
    selfStream(seed, 0).subtractFrom(sum);
  }
  return sum;
}

/** Of the stream of a pair and round: both pads, and the masks of so many numbers. */
function bytesBegun(numbers: number): number {
  return padBytes + 8 * numbers;
}

/** Shares are found by their number: what lies before one is a whole number of shares. */
function roundedUp(numbers: number): number {
  const perShare = shareBytes / 8;
  return perShare * Math.ceil(numbers / perShare);
}

/** The lower id of a pair adds its masks, and the higher one subtracts them. */
function apply(values: Integers, adds: boolean, masks: Integers): void {
  if (adds) addInto(values, masks);
  else subtractFrom(values, masks);
}

/** One of several shares, or pads, without copying it. */
function shareAt(shares: Uint8Array, at: number): Uint8Array {
  return shares.subarray(at * shareBytes, (at + 1) * shareBytes);
}

/** A share under a pad; and what is under a pad, without it. */
function under(pad: Uint8Array, share: Uint8Array): Uint8Array {
  const covered = new Uint8Array(shareBytes);
  for (let at = 0; at < shareBytes; at++) covered[at] = pad[at] ^ share[at];
  return covered;
}
