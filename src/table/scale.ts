import type { Moments, Scaling } from "./types.js";

export type FloatArray = Float64Array | Float32Array;

/**
 * Sums are taken over chunks of this many values and then over the chunks: the order of additions never depends on
 * threads, and errors grow with the chunk and the number of chunks rather than with n.
 */
const chunkLength = 4096;

/** Mean and standard deviation in two passes, NaN left out. */
export function moments(values: FloatArray): Moments {
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let start = 0; start < values.length; start += chunkLength) {
    const end = Math.min(start + chunkLength, values.length);
    let part = 0;
    for (let i = start; i < end; i++) {
      const value = values[i];
      if (Number.isNaN(value)) continue;
      count++;
      part += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    sum += part;
  }
  const mean = sum / count;
  let squares = 0;
  for (let start = 0; start < values.length; start += chunkLength) {
    const end = Math.min(start + chunkLength, values.length);
    let part = 0;
    for (let i = start; i < end; i++) {
      const distance = values[i] - mean;
      if (!Number.isNaN(distance)) part += distance * distance;
    }
    squares += part;
  }
  return { mean, deviation: Math.sqrt(squares / count), min, max };
}

/** x becomes (x - shift) / scale. */
export function scalingOf({ mean, deviation, min, max }: Moments, scaling: Scaling): { shift: number; scale: number } {
  if (scaling === "standard") return { shift: mean, scale: deviation };
  if (scaling === "minmax") return { shift: min, scale: max - min };
  // Far from 0 (a time stamp) digits would be lost in single precision; where the origin lies changes no distance.
  return { shift: Math.abs(mean) > 1000 * deviation ? mean : 0, scale: 1 };
}

const known = new WeakMap<Uint32Array, boolean>();

/** Whether these are all rows from the first to the last; looked at once for all columns. */
function inOrder(rows: Uint32Array): boolean {
  let verdict = known.get(rows);
  if (verdict === undefined) {
    verdict = true;
    for (let i = 0; i < rows.length && verdict; i++) verdict = rows[i] === i;
    known.set(rows, verdict);
  }
  return verdict;
}

/** The values of the chosen rows, in their order and in the precision of the source. */
export function gather(values: FloatArray, rows: Uint32Array): FloatArray {
  // All rows in the source's order are the common case, and the fast one.
  if (rows.length === values.length && inOrder(rows)) return values.slice();
  const chosen = values instanceof Float32Array ? new Float32Array(rows.length) : new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) chosen[i] = values[rows[i]];
  return chosen;
}

/** In place: missing values become `mean`, then x becomes (x - shift) / scale. */
export function rescale(values: FloatArray, shift: number, scale: number, mean: number): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    values[i] = ((Number.isNaN(value) ? mean : value) - shift) / scale;
  }
}
