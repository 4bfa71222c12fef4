import { freeBounds } from "../../constraints/bounds.js";
import type { OwnClusters } from "../../parties/questions.js";
import type { Attribute } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { combinationsOnCard } from "../consent/card-columns.js";
import { ownBounds, representationOn } from "../consent/settings.js";
import { groupsIn, type ResultPart, type Shown, shown } from "./part.js";

/**
 * What a holder of rows is told of its own people, which no letter holds: clusters that are fair in all may be unfair at a site. Bounds
 * follow from the site's own shares, as if it had clustered its people alone, unless the card says them.
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

export function ownOf(card: Card, { combinations, counts: tally, sse }: OwnClusters): OwnSummary {
  const { k } = card;
  const people = Float64Array.from(combinations, (_, at) => sum(tally.subarray(at * k, (at + 1) * k)));
  const attributes = combinationsOnCard(card).attributes.map(({ name, groups, groupOf }): Attribute => {
    return { name, groups, codes: Uint16Array.from(combinations, groupOf), people };
  });
  const counted = groupsIn(
    attributes,
    attributes.map(({ codes }) => codes),
    tally,
    k,
  );
  const bounds = representationOn(card) ? attributes.map(freeBounds) : ownBounds(card, attributes);
  // A site may see its own people, however few they are.
  const { smallest: _, ...own } = shown({ attributes, ...counted, bounds, smallest: 1, asked: card });
  return { n: sum(people), sse, ...own };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
