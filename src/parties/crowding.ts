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

/** The row of a cluster's member number `index`, counted from 0. */
export function memberOf(labels: Uint16Array, cluster: number, index: number): number {
  let row = labels.indexOf(cluster);
  for (let left = index; left > 0; left--) row = labels.indexOf(cluster, row + 1);
  return row;
}
