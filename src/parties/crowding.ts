/** Who moved from which cluster to which, [k][k]. */
export function flowsBetween(before: Uint16Array, labels: Uint16Array, k: number): Float64Array {
  const flows = new Float64Array(k * k);
  for (let i = 0; i < labels.length; i++) if (labels[i] !== before[i]) flows[before[i] * k + labels[i]]++;
  return flows;
}

/** A crowded cluster and a little wanted one, judged by the prices of sizes; which two depends on the turn. */
export function crowdedAndVacant(prices: Float64Array, turn: number): { crowded: number; vacant: number } {
  const k = prices.length;
  const dearest = Array.from(prices.keys()).sort((a, b) => prices[b] - prices[a] || a - b);
  return {
    crowded: dearest[Math.floor(turn / 2) % Math.min(3, k - 1)],
    vacant: dearest[k - 1 - (turn % 2)],
  };
}

/** The row of one of a cluster's people, counted from 0. */
export function memberOf(labels: Uint16Array, cluster: number, index: number): number {
  let row = labels.indexOf(cluster);
  for (let left = index; left > 0; left--) row = labels.indexOf(cluster, row + 1);
  return row;
}
