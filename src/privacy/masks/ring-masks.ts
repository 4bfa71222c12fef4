import { createHash } from "node:crypto";
import { failed } from "../../errors.js";
import { compareBytes } from "../../table/order.js";
import { encodeLabel, expandKey } from "../derive.js";
import type { Integers } from "../integers.js";
import type { RandomBytes } from "../random.js";
import { KeyStream } from "../stream.js";
import { commitmentTo, selfStream } from "./double.js";
import type { PairKeys } from "./pair-keys.js";
import type { Ring } from "./ring.js";
import { joinShares, type Share, shareBytes, splitSecret } from "./shamir.js";

/** What a site sends beside masked numbers: by what its secret is known, and the shares of it, each under its holder's pad. */
export interface RingShares {
  readonly seed: Uint8Array;
  /** [holders][shareBytes], in the order of `Ring.around`. */
  readonly shares: Uint8Array;
}

/** A site's answer when all numbers of a round are in: the pads of the shares that it holds, by their owners. */
export type RingOpening = ReadonlyMap<string, Uint8Array>;

/** What a site keeps of the round whose numbers it has masked. */
interface MaskedNumbers {
  readonly number: number;
  readonly members: readonly string[];
  /** The pads of the shares that this site holds. */
  readonly held: ReadonlyMap<string, Uint8Array>;
  opened: boolean;
}

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
 * Why. A site has h neighbours on each side, and T = h + 1 + s of its 2h + 1 holders open its secret. The one thing left to chance is
 * that every stretch of h places has fewer than s colluders (`failureChances`). Pair keys are never opened. The list is part
 * of the label of every mask and pad, so two sites that were told different lists neither cancel each other's masks nor open each
 * other's secrets. Call honest sites that masked with each other for one list a *component*: only its sum can be read.
 *
 * 1. A component has no gap of h places. Each of its sites has T members of its list within h places, itself included, and an honest
 *    one that is not of the component leaves a mask that nobody can take off. So the first site behind a gap would
 *    have h + 1 of them beyond the gap and at most s - 1, colluders, in it: fewer than T.
 * 2. So a readable component is all honest sites of its list S: by 1 each of them has one of the component within h places.
 * 3. Two lists of a quorum have an honest site in common. In one round it is told one of them: so one sum is readable.
 * 4. In two rounds of one question, with two lists, that site's secrets were opened by T holders each time. An honest holder
 *    opens for one of the lists, and a colluder for both, of whom there are at most 2(s - 1) among the 2h + 1. So
 *    2T <= 2h + 1 + 2(s - 1), but 2T = 2h + 2 + 2s. For rounds on two rings (two attempts), `overlaps` in ring.ts counts the same.
 */
export class RingMasks {
  private readonly holders: readonly string[];
  private readonly secrets: ReadonlyMap<string, Buffer>;
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

  /** Masks the numbers in place, once in a round. A round before that was not opened stays closed for good. */
  mask(number: number, members: readonly string[], values: Integers): RingShares {
    if (this.round && number <= this.round.number) throw failed(`round ${number} was masked before: rounds must rise`);
    const there = new Set(members);
    this.refuseFew(there);
    const { me } = this.keys;
    const list = createHash("sha256").update(encodeLabel(members)).digest();
    const seed = this.random(32);
    selfStream(seed, 0).addTo(values);
    // Its own share is under a pad too, so that all are opened alike; so is that of a holder who is not there.
    const given = new Map(this.holders.map((id) => [id, this.random(shareBytes)]));
    const held = new Map([[me, given.get(me)!]]);
    for (const [id, secret] of this.secrets) {
      if (!there.has(id)) continue;
      const stream = new KeyStream(expandKey(secret, ["round", number, list]));
      const pads = [stream.next(shareBytes), stream.next(shareBytes)];
      const lower = compareBytes(me, id) < 0;
      given.set(id, pads[lower ? 0 : 1]);
      held.set(id, pads[lower ? 1 : 0]);
      if (lower) stream.addTo(values);
      else stream.subtractFrom(values);
    }
    const shares = new Uint8Array(this.holders.length * shareBytes);
    const split = splitSecret(seed, this.ring.neighbourhood.threshold, this.holders.length, this.random);
    for (const [at, id] of this.holders.entries()) {
      shares.set(under(given.get(id)!, split[at].value), at * shareBytes);
    }
    this.round = { number, members, held, opened: false };
    return { seed: commitmentTo(seed), shares };
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

  private refuseFew(there: ReadonlySet<string>): void {
    const { size, neighbourhood } = this.ring;
    if (!there.has(this.keys.me)) throw failed("the list of members lacks this site: refused");
    if (there.size < this.fewest) {
      throw failed(`only ${there.size} of ${size} parties are there: at least ${this.fewest} are needed`);
    }
    const near = this.holders.filter((id) => there.has(id)).length;
    if (near >= neighbourhood.threshold) return;
    throw failed(`only ${near} of this site's neighbours are there: at least ${neighbourhood.threshold} are needed`);
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
  const { threshold } = ring.neighbourhood;
  for (const [id, { seed: announced, shares }] of members) {
    const found: Share[] = [];
    for (const [at, holder] of ring.around(id).entries()) {
      if (found.length === threshold) break;
      const pad = openings.get(holder)?.get(id);
      const value = shares.subarray(at * shareBytes, (at + 1) * shareBytes);
      if (pad?.length === shareBytes && value.length === shareBytes)
        found.push({ at: at + 1, value: under(pad, value) });
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

/** A share under a pad; and what is under a pad, without it. */
function under(pad: Uint8Array, share: Uint8Array): Uint8Array {
  return share.map((byte, at) => byte ^ pad[at]);
}
