import { type Points, presentClusters, sum } from "./labelled-points.js";
import { type FlatMeans, flatMeans, forEachOwnDistance } from "./sse.js";

/** Below this a length counts as zero, as in scikit-learn. */
const negligibleLength = 1e-8;

/**
 * Davies-Bouldin index: how far clusters spread against how far apart they are, the worst neighbour of each, averaged.
 * Lower is better. Conventions are scikit-learn's; empty clusters are skipped. Null with fewer than two clusters.
 */
export function daviesBouldin(
  points: Points,
  labels: Uint16Array,
  k: number,
  means = flatMeans(points, labels, k),
): number | null {
  const present = presentClusters(means.sizes);
  if (present.length < 2) return null;
  const spread = meanDistances(points, labels, k, means);
  const worst = new Float64Array(present.length);
  let apart = false;
  for (let a = 0; a < present.length; a++) {
    for (let b = 0; b < a; b++) {
      const distance = Math.sqrt(squaredBetween(means.values, points.length, k, present[a], present[b]));
      if (distance > negligibleLength) apart = true;
      // Two clusters with the same mean do not count against each other.
      if (distance === 0) continue;
      const ratio = (spread[present[a]] + spread[present[b]]) / distance;
      if (ratio > worst[a]) worst[a] = ratio;
      if (ratio > worst[b]) worst[b] = ratio;
    }
  }
  if (!apart || present.every((m) => spread[m] <= negligibleLength)) return 0;
  return sum(worst) / worst.length;
}

/** The mean Euclidean distance of each cluster's people to its mean. */
function meanDistances(points: Points, labels: Uint16Array, k: number, means: FlatMeans): Float64Array {
  const distances = new Float64Array(k);
  forEachOwnDistance(points, labels, k, means, (squared, start, count) => {
    for (let i = 0; i < count; i++) distances[labels[start + i]] += Math.sqrt(squared[i]);
  });
  for (let m = 0; m < k; m++) distances[m] /= Math.max(1, means.sizes[m]);
  return distances;
}

function squaredBetween(means: Float64Array, dimensions: number, k: number, a: number, b: number): number {
  let squared = 0;
  for (let j = 0; j < dimensions; j++) {
    const difference = means[j * k + a] - means[j * k + b];
    squared += difference * difference;
  }
  return squared;
}
