import { sse, sumOfDistances } from "../metrics/index.js";
import { type DistanceName, differenceIn } from "../table/distance.js";
import type { People } from "../table/types.js";

/** What clusters cost in a distance, by people as they are. */
export function costIn(distance: DistanceName): typeof sse {
  return distance === "manhattan" ? sumOfDistances : sse;
}

/** Everybody's distance to the centre of their cluster, all together. */
export function distancesTo(
  centres: readonly ArrayLike<number>[],
  { dimensions, weights }: Pick<People, "dimensions" | "weights">,
  labels: Uint16Array,
  distance: DistanceName = "squared",
): number {
  const size = differenceIn(distance);
  const weightOf = (i: number) => (weights ? weights.values[i] : 1);
  return dimensions.reduce((total, column, j) => {
    let sum = 0;
    for (let i = 0; i < labels.length; i++) sum += weightOf(i) * size(column[i] - centres[labels[i]][j]);
    return total + sum;
  }, 0);
}
