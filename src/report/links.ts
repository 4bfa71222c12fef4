import type { ClusterResult } from "../algorithms/types.js";
import { formatCount, formatNumber, formatPeople } from "./format.js";
import { say } from "./language.js";

/** What results say about weights and links. */
export interface LinkedResult extends Partial<Pick<ClusterResult, "weights" | "atoms">>, Pick<ClusterResult, "n"> {
  /** Of an evaluation: how many are split, and how many pairs are not apart. */
  readonly together?: NonNullable<ClusterResult["together"]> & { readonly split?: number };
  readonly apart?: NonNullable<ClusterResult["apart"]> & { readonly pairs?: number };
}

/** What all people count for. */
export function everybodyIn({ weights, n }: Pick<LinkedResult, "weights" | "n">): number {
  return weights?.total ?? n;
}

/** Who counts how much and who goes with whom, in sentences; none where everybody is alone and counts for one. */
export function linkSentences({ n, weights, together, apart, atoms }: LinkedResult): string[] {
  const sentences: string[] = [];
  if (weights) {
    sentences.push(
      say`Everybody counts as often as ${weights.column} says: the ${formatPeople(n)} count for ${formatNumber(weights.total)}, and so do sizes, shares, bounds, tolerance and SSE.`,
    );
  }
  if (together?.split) {
    const of = say`of ${formatCount(together.households, "household", "households")} by ${together.column}`;
    sentences.push(
      say`${formatNumber(together.split)} ${of} ${together.split === 1 ? say`is` : say`are`} split over clusters.`,
    );
  } else if (together) {
    const largest = atoms ? say`, the largest of ${formatNumber(atoms.largest)}` : "";
    sentences.push(
      say`People with the same ${together.column} share a cluster: ${formatCount(together.households, "household", "households")} stay whole${largest}.`,
    );
  } else if (atoms) sentences.push(say`The largest weight is ${formatNumber(atoms.largest)}.`);
  if (apart?.pairs) {
    const pairs = formatCount(apart.pairs, "pair", "pairs");
    sentences.push(
      say`${pairs} of people with the same ${apart.column} ${apart.pairs === 1 ? say`shares` : say`share`} a cluster.`,
    );
  } else if (apart) sentences.push(say`No two people with the same ${apart.column} share a cluster.`);
  if (atoms?.feasible === "undecided") {
    sentences.push(
      say`Whether any clusters of what moves as a whole keep all promises was not decided within the effort.`,
    );
  }
  return sentences;
}
