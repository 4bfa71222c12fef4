import { checkLabels, type Points } from "./labelled-points.js";
import { clusterSizes } from "./sse.js";

/** The lower median of each cluster: k rows of d coordinates, each of them some person's; NaN where a cluster is empty. */
export function clusterMedians(points: Points, labels: Uint16Array, k: number): Float64Array[] {
  checkLabels(labels, k, points);
  const sizes = clusterSizes(labels, k);
  const medians = Array.from({ length: k }, () => new Float64Array(points.length).fill(Number.NaN));
  points.forEach((column, j) => {
    sortedByCluster(column, labels, sizes).forEach((values, m) => {
      if (values.length > 0) medians[m][j] = values[(values.length - 1) >> 1];
    });
  });
  return medians;
}

/** The sum of Manhattan distances to the clusters' own medians. */
export function sumOfDistances(points: Points, labels: Uint16Array, k: number): number {
  checkLabels(labels, k, points);
  const sizes = clusterSizes(labels, k);
  let total = 0;
  for (const column of points) {
    for (const values of sortedByCluster(column, labels, sizes)) {
      // Whoever is as far from one end as somebody else from the other: the two are as far apart as both are from the median.
      for (let low = 0, high = values.length - 1; low < high; low++, high--) total += values[high] - values[low];
    }
  }
  return total;
}

function sortedByCluster(column: ArrayLike<number>, labels: Uint16Array, sizes: readonly number[]): Float64Array[] {
  const clusters = sizes.map((size) => new Float64Array(size));
  const filled = new Uint32Array(sizes.length);
  for (let i = 0; i < labels.length; i++) clusters[labels[i]][filled[labels[i]]++] = column[i];
  return clusters.map((values) => values.sort());
}
