import { createHash, createHmac } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { encodeLabel, expandKey } from "../derive.js";
import { chanceOf, chanceOfAtLeast } from "./chances.js";

/** Up to so many sites everybody masks with everybody. */
export const mostInPairs = 64;
/** Of more sites than these one in so many may collude with a coordinator that lies: a twentieth. */
const perColluder = 20;
/** And one in so many may be absent, or leave at any moment: a tenth. */
const perAbsentee = 10;
/** The chance that a ring fails, in privacy or in opening a sum, is at most 2^-40, for each attempt of a run. */
export const failureChance = 2 ** -40;

/** How many of the sites on a card may collude with the coordinator. */
export function colludersAmong(sites: number): number {
  return Math.floor(sites / perColluder);
}

/** How many of the sites on a card must be there. */
export function fewestPresent(sites: number): number {
  return sites - Math.floor(sites / perAbsentee);
}

/** How a ring is used: with whom a site masks, and who may open what it sent. */
export interface Neighbourhood {
  /** A site masks with so many before it on the ring and so many after it, who with itself hold the shares of its secret. */
  readonly half: number;
  /** So many shares open a secret; with fewer neighbours than this nothing is masked. */
  readonly threshold: number;
  /** Nothing is masked for a list that has fewer than so many members in two stretches of `half` places together, wherever they are. */
  readonly dense: number;
  /** So many before a site and after it write down the head of its log: see `Entrance`. */
  readonly witnesses: number;
}

/**
 * The chances that a random ring fails, each bounded by the number of places, or of pairs of stretches that have no place in common, times
 * the exact chance of one of them.
 *
 * privacy: in some two stretches of `half` sites together at least `dense` collude (see `RingMasks` for why all else follows). opening: of
 * some neighbourhood so many are absent or leave that fewer than the threshold are left, or of some two stretches so many that fewer than
 * `dense` are.
 */
export function failureChances(
  sites: number,
  present: number,
  { half, threshold, dense }: Pick<Neighbourhood, "half" | "threshold" | "dense">,
): { readonly privacy: number; readonly opening: number } {
  const holders = 2 * half + 1;
  const pairs = (present * (present - 2 * half + 1)) / 2;
  const colluding = (drawn: number, hits: number) => chanceOfAtLeast(present, colludersAmong(sites), drawn, hits);
  const leaving = (drawn: number, hits: number) => chanceOfAtLeast(present, sites - fewestPresent(sites), drawn, hits);
  return {
    privacy: pairs * colluding(2 * half, dense),
    opening: present * leaving(holders, holders - threshold + 1) + pairs * leaving(2 * half, 2 * half - dense + 1),
  };
}

const chosen = new Map<string, Neighbourhood>();

/** The smallest neighbourhood with which an attempt of so many of the card's sites fails with a chance of at most 2^-40. */
export function neighbourhoodFor(sites: number, present: number): Neighbourhood {
  const key = `${sites} ${present}`;
  const known = chosen.get(key) ?? smallestFor(sites, present);
  chosen.set(key, known);
  return known;
}

function smallestFor(sites: number, present: number): Neighbourhood {
  for (let half = 1; 2 * half + 1 <= present; half++) {
    for (let dense = 1; dense <= 2 * half; dense++) {
      // The more holders it takes to open a secret, the better, as long as so many are there.
      for (let threshold = 2 * half; meets(sites, half, threshold); threshold--) {
        const { privacy, opening } = failureChances(sites, present, { half, threshold, dense });
        if (privacy + opening > failureChance) continue;
        return { half, threshold, dense, witnesses: Math.max(half, enoughWitnesses(sites, present)) };
      }
    }
  }
  throw new MoietyError("failed", `${present} of ${sites} sites are too few for masks among neighbours`);
}

/**
 * Whether any list with a quorum must have an honest site on it that has opened a given sum, and so refuses to be summed for the same
 * question over another list. Every honest member's secret was opened by `threshold` of its holders, and each site holds shares of
 * 2 half + 1: so at least (members - colluders) threshold / (2 half + 1) - colluders honest sites opened; that is more than a list may lack.
 */
function meets(sites: number, half: number, threshold: number): boolean {
  const [colluders, present] = [colludersAmong(sites), fewestPresent(sites)];
  return ((present - colluders) * threshold) / (2 * half + 1) - colluders > sites - present;
}

/** So many on each side that a site whose state was put back meets, in the next attempt, a good one of those of the last one. */
function enoughWitnesses(sites: number, present: number): number {
  const others = present - 1;
  const good = Math.max(0, others - colludersAmong(sites) - (sites - fewestPresent(sites)));
  for (let half = 1; 2 * half < others; half++) {
    let none = 0;
    for (let held = 0; held <= 2 * half; held++) {
      none += chanceOf(others, good, 2 * half, held) * chanceOf(others, held, 2 * half, 0);
    }
    if (none <= failureChance) return half;
  }
  return Math.floor(others / 2);
}

/** What a site says of its draw before anybody has shown one: 32 bytes that tell nothing about it. */
export function commitmentToDraw(draw: Uint8Array): Buffer {
  return expandKey(draw, ["draw"]);
}

/**
 * The sites of an attempt in a random order, on a ring.
 *
 * Promise: every order is equally likely, whatever the coordinator and all sites but one do, since each site shows its draw only
 * after it has seen what all the others have committed themselves to, and the order follows from all draws. Who withholds a
 * draw ends the attempt, and the next one is a new ring: a coordinator that ends t attempts on purpose has t rings to choose from.
 */
export class Ring {
  /** Names the ring, and with it who is on it. */
  readonly digest: string;
  readonly size: number;
  readonly neighbourhood: Neighbourhood;
  /** Everybody, in the order of names. */
  readonly ids: readonly string[];
  private readonly order: readonly string[];
  private readonly places: ReadonlyMap<string, number>;
  /** What was asked before: a coordinator asks in every round. */
  private readonly neighbours = new Map<string, readonly string[]>();

  constructor(
    { job, epoch, sites }: { readonly job: string; readonly epoch: number; readonly sites: number },
    draws: ReadonlyMap<string, Uint8Array>,
  ) {
    const ids = [...draws.keys()].sort();
    const seed = createHash("sha256")
      .update(encodeLabel(["ring", job, epoch, ...ids.flatMap((id) => [id, draws.get(id)!])]))
      .digest();
    this.ids = ids;
    this.digest = seed.toString("hex");
    this.size = ids.length;
    this.neighbourhood = neighbourhoodFor(sites, ids.length);
    const drawn = ids.map((id) => [createHmac("sha256", seed).update(id).digest("hex"), id] as const);
    this.order = drawn.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id);
    this.places = new Map(this.order.map((id, place) => [id, place]));
  }

  /** Who holds shares of a site's secret, itself included, in the order of the ring. */
  around(id: string): readonly string[] {
    const around = this.neighbours.get(id) ?? this.within(id, this.neighbourhood.half);
    this.neighbours.set(id, around);
    return around;
  }

  /** Whether any two stretches of `half` places without a place in common have `dense` of these together. */
  isDense(there: ReadonlySet<string>): boolean {
    const { half, dense } = this.neighbourhood;
    const { size, order } = this;
    const on = Uint8Array.from(order, (id) => (there.has(id) ? 1 : 0));
    /** From each place on. */
    const members = new Uint16Array(size);
    for (let at = 0; at < half; at++) members[0] += on[at];
    for (let at = 1; at < size; at++) members[at] = members[at - 1] - on[at - 1] + on[(at - 1 + half) % size];
    for (let one = 0; one < size; one++) {
      const last = Math.min(size - 1, one + size - half);
      for (let other = one + half; other <= last; other++) if (members[one] + members[other] < dense) return false;
    }
    return true;
  }

  /** Who writes down the head of a site's log, and it theirs. */
  witnesses(id: string): string[] {
    return this.within(id, this.neighbourhood.witnesses).filter((other) => other !== id);
  }

  private within(id: string, half: number): string[] {
    const place = this.places.get(id);
    if (place === undefined) throw new MoietyError("failed", `${id} is not on the ring of this attempt`);
    const { size, order } = this;
    return Array.from({ length: 2 * half + 1 }, (_, at) => order[(place - half + at + size) % size]);
  }
}
