import { checkLabels, type Points, presentClusters, sum } from "./labelled-points.js";
import { sampleRows } from "./sample.js";
import { clusterSizes } from "./sse.js";

export interface SilhouetteOptions {
  /** Beyond this many people, take a random sample of as many. Default: never. */
  readonly sample?: number;
  /** Of the sample. Default 1. */
  readonly seed?: number;
}

export interface Silhouette {
  /** Null with fewer than two clusters (in the sample, when there is one). */
  readonly value: number | null;
  /** How many people the value is the mean of. */
  readonly people: number;
  /** True: the silhouette of a random sample among itself, as scikit-learn's sample_size, and so an estimate. */
  readonly sampled: boolean;
}

/** The mean silhouette with Euclidean distances, O(n^2 d); conventions are scikit-learn's. */
export function silhouette(
  points: Points,
  labels: Uint16Array,
  k: number,
  options: SilhouetteOptions = {},
): Silhouette {
  checkLabels(labels, k, points);
  const { sample = Number.POSITIVE_INFINITY, seed = 1 } = options;
  if (labels.length <= sample) {
    return { value: meanSilhouette(points, labels, k), people: labels.length, sampled: false };
  }
  const rows = sampleRows(labels.length, sample, seed);
  const value = meanSilhouette(
    points.map((values) => Float64Array.from(rows, (row) => values[row])),
    Uint16Array.from(rows, (row) => labels[row]),
    k,
  );
  return { value, people: rows.length, sampled: true };
}

function meanSilhouette(points: Points, labels: Uint16Array, k: number): number | null {
  const samples = silhouetteSamples(points, labels, k);
  return samples === null ? null : sum(samples) / samples.length;
}

/**
 * Each person's silhouette (b - a) / max(a, b): a is the mean distance to the others of the own cluster, b the smallest
 * mean distance to another cluster. 0 for a singleton; empty clusters are skipped. Null with fewer than two clusters.
 *
 * People are sorted by cluster and every pair of clusters is visited once. So each distance is computed once and serves
 * both its ends, and the sums of one pair of clusters are all that has to be kept.
 */
export function silhouetteSamples(points: Points, labels: Uint16Array, k: number): Float64Array | null {
  checkLabels(labels, k, points);
  const n = labels.length;
  const sizes = clusterSizes(labels, k);
  const present = presentClusters(sizes);
  if (present.length < 2) return null;
  const order = orderByCluster(labels, sizes);
  const rows = rowMajor(points, order);
  const starts = new Uint32Array(present.length + 1);
  for (let a = 0; a < present.length; a++) starts[a + 1] = starts[a] + sizes[present[a]];

  const within = new Float64Array(n);
  const sums = new Float64Array(n);
  const nearest = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  for (let a = 0; a < present.length; a++) {
    for (let i = starts[a]; i < starts[a + 1]; i++) {
      within[i] += addDistances(rows, points.length, i, i + 1, starts[a + 1], within);
    }
    for (let b = a + 1; b < present.length; b++) {
      sums.fill(0, starts[b], starts[b + 1]);
      for (let i = starts[a]; i < starts[a + 1]; i++) {
        const distance = addDistances(rows, points.length, i, starts[b], starts[b + 1], sums);
        nearest[i] = Math.min(nearest[i], distance / sizes[present[b]]);
      }
      for (let i = starts[b]; i < starts[b + 1]; i++) nearest[i] = Math.min(nearest[i], sums[i] / sizes[present[a]]);
    }
  }

  const samples = new Float64Array(n);
  for (let at = 0; at < n; at++) {
    const size = sizes[labels[order[at]]];
    if (size === 1) continue;
    const own = within[at] / (size - 1);
    const larger = Math.max(own, nearest[at]);
    if (larger > 0) samples[order[at]] = (nearest[at] - own) / larger;
  }
  return samples;
}

/** Adds the distance of person i to each of from..to-1 to that one's sum, and returns the total for i. */
function addDistances(
  rows: Float64Array,
  dimensions: number,
  i: number,
  from: number,
  to: number,
  sums: Float64Array,
): number {
  const start = i * dimensions;
  const end = start + dimensions;
  let total = 0;
  let other = from * dimensions;
  for (let at = from; at < to; at++) {
    let squared = 0;
    for (let own = start; own < end; own++, other++) {
      const difference = rows[own] - rows[other];
      squared += difference * difference;
    }
    const distance = Math.sqrt(squared);
    total += distance;
    sums[at] += distance;
  }
  return total;
}

function orderByCluster(labels: Uint16Array, sizes: readonly number[]): Uint32Array {
  const next = new Uint32Array(sizes.length + 1);
  for (let m = 0; m < sizes.length; m++) next[m + 1] = next[m] + sizes[m];
  const order = new Uint32Array(labels.length);
  for (let i = 0; i < labels.length; i++) order[next[labels[i]]++] = i;
  return order;
}

function rowMajor(points: Points, order: Uint32Array): Float64Array {
  const rows = new Float64Array(order.length * points.length);
  for (let j = 0; j < points.length; j++) {
    const values = points[j];
    for (let at = 0; at < order.length; at++) rows[at * points.length + j] = values[order[at]];
  }
  return rows;
}
