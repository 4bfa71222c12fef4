import type { Requirements } from "./request.js";

/**
 * Whole counts near fractional ones. Each cell is rounded down or, for as many cells of a pattern as its people need,
 * up: where that pattern's groups and the cluster have lost most by rounding so far. Totals of groups and clusters end
 * a person or two from the fractional ones as a rule, which the caller leaves room for and checks.
 */
export function roundCounts(fractional: Float64Array, request: Requirements): Int32Array {
  const { k, bounds, patterns } = request;
  const counts = Int32Array.from(fractional, (people) => Math.floor(people + 1e-9));
  const sizeGain = new Float64Array(k);
  const groupGain = bounds.map(({ groups }) => new Float64Array(groups.length * k));
  const add = (p: number, m: number, people: number) => {
    sizeGain[m] += people;
    for (let a = 0; a < bounds.length; a++) groupGain[a][patterns.codes[a][p] * k + m] += people;
  };
  for (let cell = 0; cell < counts.length; cell++) add(Math.floor(cell / k), cell % k, counts[cell] - fractional[cell]);
  for (let p = 0; p < patterns.counts.length; p++) {
    let rest = patterns.counts[p];
    for (let m = 0; m < k; m++) rest -= counts[p * k + m];
    // More than one person in the same cell only where rounding errors of the solver add up.
    for (; rest > 0; rest--) {
      let best = 0;
      let bestGain = Number.POSITIVE_INFINITY;
      for (let m = 0; m < k; m++) {
        let gain = sizeGain[m] + 4 * Math.max(0, counts[p * k + m] + 1 - Math.ceil(fractional[p * k + m] - 1e-9));
        for (let a = 0; a < bounds.length; a++) gain += groupGain[a][patterns.codes[a][p] * k + m];
        if (gain < bestGain) [best, bestGain] = [m, gain];
      }
      counts[p * k + best]++;
      add(p, best, 1);
    }
  }
  return counts;
}
