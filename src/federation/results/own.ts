import { type Bounds, shareLimits } from "../../constraints/bounds.js";
import type { OwnClusters } from "../../parties/questions.js";
import type { Card } from "../consent/card.js";
import { groupsOnCard } from "../consent/card-columns.js";
import { representationOn } from "../consent/settings.js";
import { type ResultPart, type Shown, shown } from "./part.js";

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

export function ownOf(card: Card, { combinations, counts, sse }: OwnClusters): OwnSummary {
  const { k, delta, bounds: explicit } = card;
  const sizes = new Array<number>(k).fill(0);
  const named = groupsOnCard(card);
  const byGroup = named.map(({ groups }) => groups.map(() => new Array<number>(k).fill(0)));
  let after = named.reduce((product, { groups }) => product * groups.length, 1);
  const steps = named.map(({ groups }) => {
    after /= groups.length;
    return after;
  });
  counts.forEach((people, cell) => {
    const [code, m] = [combinations[Math.floor(cell / k)], cell % k];
    sizes[m] += people;
    named.forEach(({ groups }, a) => {
      byGroup[a][Math.floor(code / steps[a]) % groups.length][m] += people;
    });
  });
  const n = sum(sizes);
  const bounds = named.map(({ name, groups }, a): Bounds => {
    const totals = byGroup[a].map(sum);
    const limits = groups.map((group, l) => {
      if (representationOn(card)) return { lower: 0, upper: 1 };
      if (explicit === undefined || !(name in explicit)) return shareLimits(totals[l] / Math.max(1, n), delta);
      const { min = 0, max = 1 } = explicit[name][group] ?? {};
      return { lower: min, upper: max };
    });
    return {
      ...{ attribute: name, groups, counts: totals },
      lower: limits.map(({ lower }) => lower),
      upper: limits.map(({ upper }) => upper),
    };
  });
  // A site may see its own people, however few they are.
  const { smallest: _, ...own } = shown({
    attributes: named,
    counts: byGroup,
    sizes,
    bounds,
    smallest: 1,
    asked: card,
  });
  return { n, sse, ...own };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
