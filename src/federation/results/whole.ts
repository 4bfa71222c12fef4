import type { Bounds } from "../../constraints/bounds.js";
import type { GroupPatterns } from "../../constraints/feasibility-problem.js";
import { balance, violation } from "../../metrics/index.js";
import type { Attribute } from "../../table/types.js";
import { type ResultPart, shownBounds, shownShares } from "./part.js";

/** What all parties' people are like together, where each holds some of the rows: the coordinator knows it from sums. */
export type Whole = Omit<ResultPart, "party" | "journal">;

export interface WholeInput {
  readonly sse: number;
  readonly columns: number;
  readonly k: number;
  readonly attributes: readonly Attribute[];
  readonly bounds: readonly Bounds[];
  readonly patterns: GroupPatterns;
  /** [patterns][k] */
  readonly tally: readonly number[];
  /** Groups with fewer people in a cluster are left out. */
  readonly smallest: number;
}

export function wholeOf({ sse, columns, k, attributes, bounds, patterns, tally, smallest }: WholeInput): Whole {
  const sizes = new Array<number>(k).fill(0);
  const counts = attributes.map(({ groups }) => groups.map(() => new Array<number>(k).fill(0)));
  tally.forEach((people, cell) => {
    const [pattern, m] = [Math.floor(cell / k), cell % k];
    sizes[m]! += people;
    counts.forEach((each, a) => {
      each[patterns.codes[a]![pattern]!]![m]! += people;
    });
  });
  const { groups, someHidden } = shownShares(attributes, counts, sizes, smallest);
  return {
    dimensions: columns,
    sse,
    sizes,
    maxViolation: Number(violation(bounds, counts, sizes).people.toFixed(6)),
    balance: someHidden ? [] : balance(counts, sizes),
    groups,
    bounds: shownBounds(bounds, smallest),
    smallest,
  };
}
