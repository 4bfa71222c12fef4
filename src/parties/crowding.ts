import type { Constraint } from "./priced-constraint.js";

/** How many people of each group moved from each cluster to each other one, [groups][k][k]. */
export function flowsBetween(
  before: Uint16Array,
  labels: Uint16Array,
  k: number,
  { codes, limits }: Pick<Constraint, "codes" | "limits">,
  weights?: Float64Array,
): Float64Array {
  const flows = new Float64Array(limits.groups * k * k);
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] === before[i]) continue;
    flows[((codes ? codes[i] : 0) * k + before[i]) * k + labels[i]] += weights ? weights[i] : 1;
  }
  return flows;
}

/** A cluster with one of the three highest prices of its size, and one with one of the two lowest: which depends on the turn. */
export function crowdedAndVacant(prices: Float64Array, turn: number): { crowded: number; vacant: number } {
  const k = prices.length;
  const dearest = Array.from(prices.keys()).sort((a, b) => prices[b] - prices[a] || a - b);
  return {
    crowded: dearest[Math.floor(turn / 2) % Math.min(3, k - 1)],
    vacant: dearest[k - 1 - (turn % 2)],
  };
}

/** The first row with which a cluster's members weigh more than `weight`. */
export function memberByWeight(labels: Uint16Array, cluster: number, weight: number, weights: Float64Array): number {
  let row = labels.indexOf(cluster);
  for (let left = weight - weights[row]; left >= 0; left -= weights[row]) {
    const next = labels.indexOf(cluster, row + 1);
    if (next < 0) break;
    row = next;
  }
  return row;
}

/** Bits of a factor: a squared distance times a factor must leave room for blinding. */
const factorBits = 10;

/** Pairs of clusters that could be one: the centre of the first, which has no more people, would be taken away. */
export interface ClusterJoinings {
  readonly clusters: Uint16Array;
  readonly into: Uint16Array;
  /** What each costs, as a whole multiple of the squared distance between the centres, rounded: at most 2^10. */
  readonly factors: Float64Array;
}

/** All pairs of clusters of which the smaller one may be taken away. */
export function joiningsOf(sizes: Float64Array, among: ReadonlySet<number>): ClusterJoinings {
  const most = among.size * (sizes.length - 1);
  const [clusters, into] = [new Uint16Array(most), new Uint16Array(most)];
  const factors = new Float64Array(most);
  let pairs = 0;
  let largest = 1;
  for (const a of among) {
    for (let b = 0; b < sizes.length; b++) {
      if (sizes[a] > sizes[b] || (sizes[a] === sizes[b] && a >= b)) continue;
      clusters[pairs] = a;
      into[pairs] = b;
      factors[pairs] = (sizes[a] * sizes[b]) / Math.max(1, sizes[a] + sizes[b]);
      largest = Math.max(largest, factors[pairs++]);
    }
  }
  for (let pair = 0; pair < pairs; pair++) factors[pair] = Math.ceil((factors[pair] / largest) * 2 ** factorBits);
  return { clusters: clusters.subarray(0, pairs), into: into.subarray(0, pairs), factors: factors.subarray(0, pairs) };
}

/** A party's part of what each joining costs, from its part of the distances between centres, [k][k]. */
export function joiningCosts({ clusters, into, factors }: ClusterJoinings, spacing: Float64Array): Float64Array {
  const k = Math.sqrt(spacing.length);
  const costs = new Float64Array(factors.length);
  for (let pair = 0; pair < costs.length; pair++) {
    costs[pair] = factors[pair] * spacing[clusters[pair] * k + into[pair]];
  }
  return costs;
}

/** The row of a cluster's member number `index`, counted from 0. */
export function memberOf(labels: Uint16Array, cluster: number, index: number): number {
  let row = labels.indexOf(cluster);
  for (let left = index; left > 0; left--) row = labels.indexOf(cluster, row + 1);
  return row;
}
