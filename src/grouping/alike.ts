import type { Encoding, People } from "../table/types.js";
import type { Mixed } from "./mixed.js";
import type { AlikeDimension } from "./types.js";

/**
 * In random teams the sum over teams of people times the squared distance of their mean from everybody's is on average
 * (k - 1) / (n - 1) of all squared distances from everybody's mean, whatever the sizes are.
 */
export function randomPart(n: number, k: number): number {
  return n > 1 ? (k - 1) / (n - 1) : 0;
}

/** The sum over teams of people times the squared distance of their mean from everybody's, of each dimension. */
export function betweenTeams({ dims, rows }: Mixed, labels: ArrayLike<number>, sizes: ArrayLike<number>): Float64Array {
  const k = sizes.length;
  const sums = new Float64Array(k * dims);
  for (let i = 0; i < labels.length; i++) {
    for (let j = 0; j < dims; j++) sums[labels[i] * dims + j] += rows[i * dims + j];
  }
  const between = new Float64Array(dims);
  for (let t = 0; t < k; t++) {
    if (sizes[t] === 0) continue;
    for (let j = 0; j < dims; j++) between[j] += sums[t * dims + j] ** 2 / sizes[t];
  }
  return between;
}

/** How alike teams are in each of the people's dimensions, in the columns' own units. */
export function measureAlike(
  people: Pick<People, "n" | "dimensions" | "dimensionNames" | "encodings">,
  mixed: Mixed,
  labels: Uint16Array,
  sizes: readonly number[],
): AlikeDimension[] {
  const { n, dimensions, dimensionNames } = people;
  const between = betweenTeams(mixed, labels, sizes);
  const inDeviations = (j: number) => {
    const deviation = mixed.deviations[j];
    return deviation > 0 ? Math.sqrt(between[j] / n) / deviation : 0;
  };
  const units = people.encodings.flatMap(unitsOf);
  return dimensions.map((values, j) => {
    const { shift, scale } = units[j];
    const sums = new Float64Array(sizes.length);
    let total = 0;
    for (let i = 0; i < n; i++) {
      sums[labels[i]] += values[i];
      total += values[i];
    }
    let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let t = 0; t < sizes.length; t++) {
      if (sizes[t] === 0) continue;
      lowest = Math.min(lowest, sums[t] / sizes[t]);
      highest = Math.max(highest, sums[t] / sizes[t]);
    }
    const own = (value: number) => Number((value * scale + shift).toPrecision(12));
    return {
      name: dimensionNames[j],
      mean: own(total / n),
      deviation: mixed.deviations[j] * scale,
      lowest: own(lowest),
      highest: own(highest),
      spread: inDeviations(j),
      inside: mixed.squares[j] < 0 ? null : inDeviations(mixed.squares[j]),
    };
  });
}

/** What makes coordinates the column's own numbers again; a category's are its shares. */
function unitsOf(encoding: Encoding): { shift: number; scale: number }[] {
  if (encoding.kind === "numeric") return [{ shift: encoding.shift, scale: encoding.scale }];
  return encoding.levels.map(() => ({ shift: 0, scale: 1 / encoding.weight }));
}
