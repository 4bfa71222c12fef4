import { freeBounds } from "../../constraints/bounds.js";
import type { OwnClusters } from "../../parties/questions.js";
import type { Attribute } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { combinationsOnCard } from "../consent/card-columns.js";
import { ownBounds, representationOn } from "../consent/settings.js";
import { groupsIn, type ResultPart, type Shown, shown } from "./part.js";

/**
 * What the people of one holder of rows are like: clusters that are fair in all may be unfair at a site. Bounds follow from the site's
 * own shares, as if it had clustered its people alone, unless the card says them.
 */
export interface OwnSummary extends Omit<Shown, "smallest"> {
  readonly n: number;
  /** The squared distances of its people to the centres of all. */
  readonly sse: number;
}

/** What a site keeps of a job: what it sent, and what it knows of its own people. */
export interface KeptPart extends ResultPart {
  readonly own?: OwnSummary;
}

/** How many people a site has in each cluster, and of each group of each attribute ([group][cluster]). */
export interface SiteCounts {
  readonly sse: number;
  readonly sizes: readonly number[];
  readonly counts: Readonly<Record<string, readonly (readonly number[])[]>>;
}

/** The site's own counts, in the order of the card's groups: also of groups that it has nobody of. */
export function countsOf(card: Card, { combinations, counts: tally, sse }: OwnClusters): SiteCounts {
  const { attributes } = combinationsOnCard(card);
  const codes = attributes.map(({ groupOf }) => Uint16Array.from(combinations, groupOf));
  const { counts, sizes } = groupsIn(attributes, codes, tally, card.k);
  return { sse, sizes, counts: Object.fromEntries(attributes.map(({ name }, a) => [name, counts[a]])) };
}

export function summaryOf(card: Card, { sse, sizes, counts: byName }: SiteCounts): OwnSummary {
  const named = combinationsOnCard(card).attributes.filter(({ name }) => name in byName);
  const counts = named.map(({ name }) => byName[name]);
  const attributes = named.map(({ name, groups }, a): Attribute => {
    return { name, groups, codes: Uint16Array.from(groups.keys()), people: Float64Array.from(counts[a], sum) };
  });
  const bounds = representationOn(card) ? attributes.map(freeBounds) : ownBounds(card, attributes);
  // Whoever sees this may see all of it: the site itself, or readers where no site's counts are of few people.
  const { smallest: _, ...own } = shown({ attributes, counts, sizes, bounds, smallest: 1, asked: card });
  return { n: sum(sizes), sse, ...own };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
