/** How many people moved from each cluster to each other one, [k][k]. */
export function flowsBetween(
  before: Uint16Array,
  labels: Uint16Array,
  k: number,
  weights?: Float64Array,
): Float64Array {
  const flows = new Float64Array(k * k);
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] !== before[i]) flows[before[i] * k + labels[i]] += weights ? weights[i] : 1;
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

/** Two clusters that could be one: the centre of the first, which has no more people, would be taken away. */
export interface ClusterJoining {
  readonly cluster: number;
  readonly into: number;
  /** What it costs, as a whole multiple of the squared distance between the centres, rounded: at most 2^10. */
  readonly factor: number;
}

/** All pairs of clusters of which the smaller one may be taken away. */
export function joiningsOf(sizes: Float64Array, among: ReadonlySet<number>): ClusterJoining[] {
  const isFirst = (a: number, b: number) => sizes[a] < sizes[b] || (sizes[a] === sizes[b] && a < b);
  const cost = (a: number, b: number) => (sizes[a] * sizes[b]) / Math.max(1, sizes[a] + sizes[b]);
  const pairs: { cluster: number; into: number; cost: number }[] = [];
  for (const cluster of among) {
    for (let into = 0; into < sizes.length; into++) {
      if (into !== cluster && isFirst(cluster, into)) pairs.push({ cluster, into, cost: cost(cluster, into) });
    }
  }
  const most = pairs.reduce((largest, pair) => Math.max(largest, pair.cost), 1);
  return pairs.map((pair) => ({ ...pair, factor: Math.ceil((pair.cost / most) * 2 ** factorBits) }));
}

/** A party's part of what each joining costs, from its part of the distances between centres, [k][k]. */
export function joiningCosts(joinings: readonly ClusterJoining[], spacing: Float64Array): Float64Array {
  const k = Math.sqrt(spacing.length);
  return Float64Array.from(joinings, ({ cluster, into, factor }) => factor * spacing[cluster * k + into]);
}

/** The row of a cluster's member number `index`, counted from 0. */
export function memberOf(labels: Uint16Array, cluster: number, index: number): number {
  let row = labels.indexOf(cluster);
  for (let left = index; left > 0; left--) row = labels.indexOf(cluster, row + 1);
  return row;
}
