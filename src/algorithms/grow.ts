import { byCode } from "../parties/split-rows.js";
import type { People } from "../table/types.js";

/**
 * Centres for more clusters than there are: repeatedly, the cluster with the largest SSE is split at its mean, across
 * the dimension in which it is widest. Every split lowers the SSE, so Lloyd from these centres ends lower than before.
 */
export function growCentres(people: Pick<People, "n" | "dimensions">, labels: Uint16Array, k: number): Float64Array[] {
  const members = [...byCode(labels, 1 + labels.reduce((most, label) => Math.max(most, label), 0))];
  const clusters = members.map((rows) => describe(people, rows));
  while (clusters.length < k) {
    const widest = clusters.reduce((best, { sse }, m) => (sse > clusters[best].sse ? m : best), 0);
    const { mean, dimension } = clusters[widest];
    const values = people.dimensions[dimension];
    const above = members[widest].filter((row) => values[row] > mean[dimension]);
    const below = members[widest].filter((row) => values[row] <= mean[dimension]);
    members[widest] = below;
    members.push(above);
    clusters[widest] = describe(people, below);
    clusters.push(describe(people, above));
  }
  return clusters.map(({ mean }) => mean);
}

/** A cluster's mean, its SSE, and the dimension that contributes most to it. */
function describe({ dimensions }: Pick<People, "dimensions">, rows: Uint32Array) {
  const mean = new Float64Array(dimensions.length);
  let total = 0;
  let largest = -1;
  let dimension = 0;
  dimensions.forEach((values, j) => {
    let sum = 0;
    for (const row of rows) sum += values[row];
    const middle = rows.length > 0 ? sum / rows.length : 0;
    let squares = 0;
    for (const row of rows) squares += (values[row] - middle) ** 2;
    mean[j] = middle;
    total += squares;
    if (squares > largest) {
      largest = squares;
      dimension = j;
    }
  });
  return { mean, sse: total, dimension };
}
