import { blockRows, forEachBlock, type Points, presentClusters } from "./labelled-points.js";
import { flatMeans } from "./sse.js";

/**
 * The silhouette with distances to the clusters' means in place of mean distances to their people: O(n k d), and
 * computable where no site may see another's people. As in the full one a singleton counts 0, although its distance
 * to its own mean is 0, and empty clusters are skipped. Null with fewer than two clusters.
 */
export function simplifiedSilhouette(
  points: Points,
  labels: Uint16Array,
  k: number,
  means = flatMeans(points, labels, k),
): number | null {
  const present = presentClusters(means.sizes);
  if (present.length < 2) return null;
  const squared = new Float64Array(blockRows);
  const own = new Float64Array(blockRows);
  const nearest = new Float64Array(blockRows);
  let total = 0;
  forEachBlock(points, labels.length, (block, start, count) => {
    nearest.fill(Number.POSITIVE_INFINITY);
    for (const m of present) {
      squaredToMean(block, count, means.values, points.length, k, m, squared);
      for (let i = 0; i < count; i++) {
        if (labels[start + i] === m) own[i] = squared[i];
        else if (squared[i] < nearest[i]) nearest[i] = squared[i];
      }
    }
    let sum = 0;
    for (let i = 0; i < count; i++) {
      if (means.sizes[labels[start + i]] === 1) continue;
      const a = Math.sqrt(own[i]);
      const b = Math.sqrt(nearest[i]);
      const larger = Math.max(a, b);
      if (larger > 0) sum += (b - a) / larger;
    }
    total += sum;
  });
  return total / labels.length;
}

/** Four dimensions at a time, which quarters the traffic to `squared`: this loop is nearly all of the work. */
function squaredToMean(
  block: Float64Array,
  count: number,
  means: Float64Array,
  dimensions: number,
  k: number,
  m: number,
  squared: Float64Array,
): void {
  squared.fill(0);
  let j = 0;
  for (; j + 3 < dimensions; j += 4) {
    const mean0 = means[j * k + m];
    const mean1 = means[(j + 1) * k + m];
    const mean2 = means[(j + 2) * k + m];
    const mean3 = means[(j + 3) * k + m];
    const from = j * blockRows;
    for (let i = 0; i < count; i++) {
      const x0 = block[from + i] - mean0;
      const x1 = block[from + blockRows + i] - mean1;
      const x2 = block[from + 2 * blockRows + i] - mean2;
      const x3 = block[from + 3 * blockRows + i] - mean3;
      squared[i] += x0 * x0 + x1 * x1 + (x2 * x2 + x3 * x3);
    }
  }
  for (; j < dimensions; j++) {
    const mean = means[j * k + m];
    for (let i = 0; i < count; i++) {
      const difference = block[j * blockRows + i] - mean;
      squared[i] += difference * difference;
    }
  }
}
