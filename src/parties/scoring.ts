import type { Scoring } from "../kernels/rows.js";
import type { ScoringRule } from "./column-party.js";
import type { Grid } from "./grid.js";
import type { LimitBook } from "./limit-book.js";
import { wall } from "./priced-constraint.js";

/**
 * Where all clusters have this many people, polishing counts distances as they are: one person changes a mean by less than a percent, and weights
 * that are not all the same would let whoever tries all factors of a blinded row find its own (`bench attacks`).
 */
const manyPeople = 100;

/**
 * What distances are multiplied by: 1 under rules that keep the centres fixed, and where centres are medians, which one person hardly
 * moves; else n/(n+1) to join a cluster and n/(n-1) to stay, rounded to the grid's weight bits. An empty cluster gets a full weight: with a score of 0 it would attract everybody of a block.
 */
export function weightsFor(
  rule: ScoringRule,
  sizes: Float64Array,
  grid: Grid,
  centresStay = false,
  /** The least that somebody weighs: a move that lowers the SSE for so little lowers it for more. */
  weight = 1,
): Pick<Scoring, "weight" | "ownWeight"> {
  const one = 2 ** grid.weightBits;
  const alike = rule.kind === "polish" && sizes.every((n) => n === 0 || n >= manyPeople * weight);
  const exact =
    !alike && !centresStay && grid.distance === "euclidean" && !["nearest", "priced", "repair"].includes(rule.kind);
  return {
    weight: sizes.map((n) => (exact && n > 0 ? Math.round((one * n) / (n + weight)) : one)),
    ownWeight: sizes.map((n) => (!exact ? one : n > weight ? Math.round((one * n) / (n - weight)) : 0)),
  };
}

/** The bound of the jitter, which keeps exact duplicates from all moving together where prices decide. */
export function jitterFor(rule: ScoringRule): number {
  return rule.kind === "priced" || rule.kind === "repair" ? Math.floor(rule.unit / 1000) : 0;
}

/** The offsets of each pattern, and a last line for pinned people, whom nothing moves out of their cluster. */
export function offsetsFor(rule: ScoringRule, book: LimitBook, k: number): Pick<Scoring, "offset" | "ownOffset"> {
  const { joining: offset, keeping: ownOffset } = book.offsets(rule, 1);
  return { offset, ownOffset: ownOffset.fill(-wall, ownOffset.length - k) };
}
