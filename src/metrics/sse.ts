import { MoietyError } from "../errors.js";
import { blockRows, checkLabels, forEachBlock, type Points } from "./labelled-points.js";

/** Means as the loops want them: dimension j of cluster m at [j * k + m]; NaN where the cluster is empty. */
export interface FlatMeans {
  readonly sizes: readonly number[];
  readonly values: Float64Array;
}

/** People in each cluster, 0 for an empty one. */
export function clusterSizes(labels: Uint16Array, k: number): number[] {
  checkLabels(labels, k);
  const sizes = new Uint32Array(k);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]]++;
  return Array.from(sizes);
}

export function flatMeans(points: Points, labels: Uint16Array, k: number): FlatMeans {
  checkLabels(labels, k, points);
  const sizes = clusterSizes(labels, k);
  const values = new Float64Array(points.length * k);
  forEachBlock(points, labels.length, (block, start, count) => {
    for (let j = 0; j < points.length; j++) addToSums(block, j * blockRows, labels, start, count, values, j * k);
  });
  for (let at = 0; at < values.length; at++) values[at] /= sizes[at % k];
  return { sizes, values };
}

function addToSums(
  block: Float64Array,
  from: number,
  labels: Uint16Array,
  start: number,
  count: number,
  sums: Float64Array,
  row: number,
): void {
  for (let i = 0; i < count; i++) sums[row + labels[start + i]] += block[from + i];
}

/** k rows of d coordinates; an empty cluster has no mean, so its coordinates are NaN. */
export function clusterMeans(points: Points, labels: Uint16Array, k: number): Float64Array[] {
  const { values } = flatMeans(points, labels, k);
  const means: Float64Array[] = [];
  for (let m = 0; m < k; m++) {
    const mean = new Float64Array(points.length);
    for (let j = 0; j < points.length; j++) mean[j] = values[j * k + m];
    means.push(mean);
  }
  return means;
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
      addOwnSquares(block, j * blockRows, labels, start, count, means.values, j * k, squared);
    }
    visit(squared, start, count);
  });
}

function addOwnSquares(
  block: Float64Array,
  from: number,
  labels: Uint16Array,
  start: number,
  count: number,
  means: Float64Array,
  row: number,
  squared: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const difference = block[from + i] - means[row + labels[start + i]];
    squared[i] += difference * difference;
  }
}

/** The sum of squared distances to the clusters' own means. Summed block by block: the same bits in every run. */
export function sse(points: Points, labels: Uint16Array, k: number): number {
  return sseAround(points, labels, k, flatMeans(points, labels, k));
}

export function sseAround(points: Points, labels: Uint16Array, k: number, means: FlatMeans): number {
  let total = 0;
  forEachOwnDistance(points, labels, k, means, (squared, _start, count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += squared[i];
    total += sum;
  });
  return total;
}

/** SSE(S') / SSE(S), F3KM section 5.1: 1 is as good as the reference, which there is Lloyd's. */
export function relativeError(value: number, reference: number): number {
  if (!(reference > 0)) throw new MoietyError("usage", `reference SSE=${reference} should be above 0`);
  return value / reference;
}
