import { sse, sumOfDistances } from "../metrics/index.js";
import { type DistanceName, differenceIn } from "../table/distance.js";
import type { People } from "../table/types.js";

/** What k clusters cost in a distance, by people as they are: around their means or medians, or around given centres that stay. */
export function costOf(
  people: Pick<People, "dimensions" | "weights">,
  labels: Uint16Array,
  k: number,
  distance: DistanceName,
  seats?: readonly Float64Array[],
): number {
  if (seats) return distancesTo(seats, people, labels, distance);
  const cost = distance === "manhattan" ? sumOfDistances : sse;
  return cost(people.dimensions, labels, k, people.weights?.values);
}

/** Everybody's distance to the centre of their cluster, all together. */
export function distancesTo(
  centres: readonly ArrayLike<number>[],
  { dimensions, weights }: Pick<People, "dimensions" | "weights">,
  labels: Uint16Array,
  distance: DistanceName = "euclidean",
): number {
  const size = differenceIn(distance);
  const weightOf = (i: number) => (weights ? weights.values[i] : 1);
  return dimensions.reduce((total, column, j) => {
    let sum = 0;
    for (let i = 0; i < labels.length; i++) sum += weightOf(i) * size(column[i] - centres[labels[i]][j]);
    return total + sum;
  }, 0);
}
