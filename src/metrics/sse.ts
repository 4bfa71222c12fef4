import { MoietyError } from "../errors.js";
import { blockRows, checkLabels, forEachBlock, type Points, sum } from "./labelled-points.js";

/** Means as the loops want them: dimension j of cluster m at [j * k + m]; NaN where the cluster is empty. */
export interface FlatMeans {
  readonly sizes: readonly number[];
  readonly values: Float64Array;
}

/** People in each cluster, 0 for an empty one; or what they weigh. */
export function clusterSizes(labels: Uint16Array, k: number, weights?: Float64Array): number[] {
  checkLabels(labels, k);
  if (weights) {
    const sizes = new Float64Array(k);
    for (let i = 0; i < labels.length; i++) sizes[labels[i]] += weights[i];
    return Array.from(sizes);
  }
  const sizes = new Uint32Array(k);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]]++;
  return Array.from(sizes);
}

export function flatMeans(points: Points, labels: Uint16Array, k: number, weights?: Float64Array): FlatMeans {
  checkLabels(labels, k, points);
  const sizes = clusterSizes(labels, k, weights);
  const values = new Float64Array(points.length * k);
  forEachBlock(points, labels.length, (block, start, count) => {
    for (let j = 0; j < points.length; j++) {
      const [from, row] = [j * blockRows, j * k];
      if (weights)
        for (let i = 0; i < count; i++) values[row + labels[start + i]] += weights[start + i] * block[from + i];
      else for (let i = 0; i < count; i++) values[row + labels[start + i]] += block[from + i];
    }
  });
  for (let at = 0; at < values.length; at++) values[at] /= sizes[at % k];
  return { sizes, values };
}

/** k rows of d coordinates; an empty cluster has no mean, so its coordinates are NaN. */
export function clusterMeans(points: Points, labels: Uint16Array, k: number): Float64Array[] {
  const { values } = flatMeans(points, labels, k);
  return Array.from({ length: k }, (_, m) => Float64Array.from(points, (_, j) => values[j * k + m]));
}

/**
 * Visits the squared distance of every person to the mean of their own cluster, block by block.
 * Differences are squared directly: expanding the square would lose digits where people are far from the origin.
 */
export function forEachOwnDistance(
  points: Points,
  labels: Uint16Array,
  k: number,
  means: FlatMeans,
  visit: (squared: Float64Array, start: number, count: number) => void,
): void {
  const squared = new Float64Array(blockRows);
  forEachBlock(points, labels.length, (block, start, count) => {
    squared.fill(0);
    for (let j = 0; j < points.length; j++) {
      const [from, row] = [j * blockRows, j * k];
      for (let i = 0; i < count; i++) {
        const difference = block[from + i] - means.values[row + labels[start + i]];
        squared[i] += difference * difference;
      }
    }
    visit(squared, start, count);
  });
}

/**
 * The sum of squared distances to the clusters' own means, each as often as a person counts. Summed block by block: the same bits in every
 * run.
 */
export function sse(
  points: Points,
  labels: Uint16Array,
  k: number,
  weights?: Float64Array,
  means = flatMeans(points, labels, k, weights),
): number {
  let total = 0;
  forEachOwnDistance(points, labels, k, means, (squared, start, count) => {
    if (weights) for (let i = 0; i < count; i++) squared[i] *= weights[start + i];
    total += sum(squared.subarray(0, count));
  });
  return total;
}

/** SSE(S') / SSE(S), F3KM section 5.1: 1 is as good as the reference, which there is Lloyd's. */
export function relativeError(value: number, reference: number): number {
  if (!(reference > 0)) throw new MoietyError("usage", `reference SSE=${reference} should be above 0`);
  return value / reference;
}
