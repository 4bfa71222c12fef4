import { capacityLimits } from "../../algorithms/capacity.js";
import type { AskedRepresentation } from "../../algorithms/represent.js";
import type { Settings } from "../../algorithms/settings.js";
import { type Bounds, limitsSizes, type SizeLimits } from "../../constraints/bounds.js";
import { type EvennessCost, evennessOf } from "../../constraints/evenness-cost.js";
import { resolveBounds } from "../../constraints/resolve-bounds.js";
import { failed } from "../../errors.js";
import { mostInPairs } from "../../privacy/masks/ring.js";
import type { Attribute } from "../../table/types.js";
import type { Card } from "./card.js";
import { isClusterer, promisesOf, usualBalance } from "./methods.js";

/** What a card means for the solver. Bounds of groups are known to the attributes' owners; here only that there are some. */
export function settingsOf(card: Card, n: number): Settings {
  const { algorithm, k, tolerance, solver, init, starts, maxIterations, block, seed, split } = card;
  if (!isClusterer(algorithm, split)) throw failed(`${algorithm} makes no clusters`);
  const eta = etaOf(card);
  return {
    algorithm,
    k,
    bounds: groupsPromised(card) ? protectedOf(card).map(unknownBounds) : [],
    tolerance,
    sizes: sizesOf(card, n),
    minSizeFrom: "request",
    feasible: false,
    sized: isSized(card),
    ...(eta === undefined ? {} : { eta }),
    ...evennessFor(card, n),
    rule: "prices",
    solver,
    init,
    distance: card.distance ?? "euclidean",
    effort: card.effort ?? "lean",
    starts,
    maxIterations,
    block,
    seed,
    threads: 1,
    parties: card.parties.length,
    split,
    minCount: card.minCount ?? 1,
    protection: card.protection === "means" ? "means" : "masked",
    bareSeeds: false,
  };
}

export function sizesOf({ minSize, maxSize, capacity, seats, balance, k }: Card, n: number): SizeLimits {
  if (capacity) return capacityLimits(capacity, k, n, fewestIn({ seats }));
  const asked = { min: minSize ?? fewestIn({ seats }), max: maxSize ?? n };
  if (balance !== "hard") return asked;
  return { min: Math.max(asked.min, Math.floor(n / k)), max: Math.min(asked.max, Math.ceil(n / k)) };
}

/** How long better centres are looked for; null where none are, as in one process. */
export function effortOf({ split, effort = "lean", seats }: Card): Settings["effort"] | null {
  return split === "rows" || seats ? null : effort;
}

/** A given place may stay empty. */
function fewestIn({ seats }: Pick<Card, "seats">): 0 | 1 {
  return seats ? 0 : 1;
}

/** What uneven sizes cost, where even ones are asked for to a degree. */
export function evennessFor(card: Card, n: number): { evenness?: EvennessCost } {
  const eta = etaOf(card);
  return eta === undefined || eta === 1 ? {} : { evenness: evennessOf(eta, n, card.k) };
}

/** Whether bounds of groups are to be kept: else they are only measured. */
export function groupsPromised(card: Card): boolean {
  return promisesOf(card).groups && protectedOf(card).length > 0;
}

/** Whether anybody is promised anything, or sizes are to be even. */
export function promised(card: Card, n: number): boolean {
  if (!promisesOf(card).sizes) return false;
  const { evenness } = evennessFor(card, n);
  return protectedOf(card).length > 0 || evenness !== undefined || limitsSizes(sizesOf(card, n), n, fewestIn(card));
}

/** Whether it is found out what the promises cost. */
export function compares({ reference, split, seats }: Card): boolean {
  return reference ?? !(split === "rows" && seats);
}

/** As in one process: limits of sizes alone ask for no more evenness than they say. */
function etaOf(card: Card): number | undefined {
  const { balance } = card;
  if (balance === "hard") return undefined;
  return balance ?? (isSized(card) ? undefined : usualBalance(card));
}

function isSized({ minSize, maxSize, capacity, balance }: Card): boolean {
  return [minSize, maxSize, capacity].some((given) => given !== undefined) || balance === "hard";
}

/** The fewest people that a cluster of the job may have, if anybody, and what a card can say so that it has at least so many. */
export function smallestCluster({ minSize = 1, capacity }: Card) {
  const least = capacity ? Math.min(...capacity.map(({ min = 1 }) => min)) : minSize;
  return {
    size: Math.max(1, least),
    asking: (size: number) => (capacity ? `capacity: [{ min: ${size} }, …]` : `minSize: ${size}`),
  };
}

function protectedOf({ parties }: Card): string[] {
  return parties.flatMap(({ protect }) => protect);
}

function unknownBounds(attribute: string): Bounds {
  return { attribute, groups: [], counts: [], lower: [], upper: [] };
}

/** The bounds of one party's own attributes. */
export function ownBounds({ delta, bounds }: Card, attributes: readonly Attribute[]): readonly Bounds[] {
  const names = new Set(attributes.map(({ name }) => name));
  const own = Object.entries(bounds ?? {}).filter(([attribute]) => names.has(attribute));
  return resolveBounds(attributes, { delta, bounds: Object.fromEntries(own) });
}

/** With rows split: whether the sites are so many that each masks with its neighbours on a ring, not with everybody. */
export function masksOnRing({ parties, split }: Pick<Card, "parties" | "split">): boolean {
  return split === "rows" && parties.length > mostInPairs;
}

/** With rows split: with how many of the parties a sum is still made. Shares of masks are opened by as many. */
export function quorumOf({ quorum, parties }: Pick<Card, "quorum" | "parties">): number {
  return quorum ?? parties.length;
}

/** What representation asks for, where fair is to mean that. */
export function representationOn({
  notion,
  represent,
  inClusters = 1,
  tolerance,
}: Pick<Card, "notion" | "represent" | "inClusters" | "tolerance">): AskedRepresentation | undefined {
  if (notion !== "representation" || represent === undefined) return undefined;
  return { name: "representation", share: represent, clusters: inClusters, tolerance };
}
