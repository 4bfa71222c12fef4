import type { GroupPatterns } from "../../constraints/feasibility/index.js";
import { type CountedGroups, type ResultPart, shown } from "./part.js";

/** What all parties' people are like together, where each holds some of the rows: the coordinator knows it from sums. */
export type WholeSummary = Omit<ResultPart, "party" | "journal">;

export interface WholeInput extends Pick<CountedGroups, "attributes" | "bounds" | "smallest" | "asked"> {
  readonly sse: number;
  readonly columns: number;
  readonly k: number;
  readonly patterns: GroupPatterns;
  /** [patterns][k] */
  readonly tally: readonly number[];
}

export function wholeOf({
  sse,
  columns,
  k,
  attributes,
  bounds,
  patterns,
  tally,
  smallest,
  asked,
}: WholeInput): WholeSummary {
  const sizes = new Array<number>(k).fill(0);
  const counts = attributes.map(({ groups }) => groups.map(() => new Array<number>(k).fill(0)));
  tally.forEach((people, cell) => {
    const [pattern, m] = [Math.floor(cell / k), cell % k];
    sizes[m] += people;
    counts.forEach((each, a) => {
      each[patterns.codes[a][pattern]][m] += people;
    });
  });
  return { dimensions: columns, sse, ...shown({ attributes, counts, sizes, bounds, smallest, asked }) };
}
