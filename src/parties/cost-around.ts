import type { ClusterSums } from "./row-people.js";

/** The squared distances of everybody to the given centre of their cluster, in squared grid units. */
export function costAround(
  { squares, columns }: { readonly squares: number; readonly columns: number },
  { sums, counts }: ClusterSums,
  centres: Float64Array,
): number {
  return centres.reduce((cost, centre, cell) => {
    return cost + centre * (counts[Math.floor(cell / columns)] * centre - 2 * sums[cell]);
  }, squares);
}
