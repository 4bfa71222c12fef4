import type { Moments, NumberArray, NumericColumn, Scaling } from "./types.js";

export type FloatArray = Float64Array | Float32Array;

export function isFloats(values: unknown): values is FloatArray {
  return values instanceof Float64Array || values instanceof Float32Array;
}

/**
 * Sums are taken over chunks of this many values and then over the chunks: the order of additions never depends on
 * threads, and errors grow with the chunk and the number of chunks rather than with n.
 */
export const chunkLength = 4096;

/** Mean and standard deviation in two passes, NaN left out. */
export function moments(values: NumberArray): Moments {
  if (values instanceof Int8Array) return byteMoments(values);
  const room = new Float64Array(chunkLength);
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let from = 0; from < values.length; from += chunkLength) {
    const chunk = doublesAt(values, from, room);
    let part = 0;
    for (let i = 0; i < chunk.length; i++) {
      const value = chunk[i];
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
  for (let from = 0; from < values.length; from += chunkLength) {
    const chunk = doublesAt(values, from, room);
    let part = 0;
    for (let i = 0; i < chunk.length; i++) {
      const distance = chunk[i] - mean;
      if (!Number.isNaN(distance)) part += distance * distance;
    }
    squares += part;
  }
  return { mean, deviation: Math.sqrt(squares / count), min, max };
}

/** The same of people who count for so many each: as if there were so many copies of them. */
export function weightedMoments(values: NumberArray, weights: Float64Array): Moments {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [total, sum] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    total += weights[i];
    sum += weights[i] * value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const mean = sum / total;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const distance = values[i] - mean;
    if (!Number.isNaN(distance)) squares += weights[i] * distance * distance;
  }
  return { mean, deviation: Math.sqrt(squares / total), min, max };
}

/** A chunk of the values in double precision: loops then see one kind of array, which keeps them fast. */
function doublesAt(values: NumberArray, from: number, room: Float64Array): Float64Array {
  const part = values.subarray(from, Math.min(values.length, from + chunkLength));
  if (part instanceof Float64Array) return part;
  const chunk = room.subarray(0, part.length);
  chunk.set(part);
  return chunk;
}

/** The same, bit for bit, of numbers from -128 to 127: their sums are exact in any order, and their squares are in a table. */
function byteMoments(values: Int8Array): Moments {
  const n = values.length;
  const counts = new Uint32Array(256);
  for (let i = 0; i < n; i++) counts[values[i] + 128]++;
  const present = Array.from(counts.keys()).filter((at) => counts[at] > 0);
  const mean = present.reduce((sum, at) => sum + (at - 128) * counts[at], 0) / n;
  const square = Float64Array.from(counts, (_, at) => (at - 128 - mean) * (at - 128 - mean));
  let squares = 0;
  for (let from = 0; from < n; from += chunkLength) {
    const to = Math.min(n, from + chunkLength);
    let part = 0;
    for (let i = from; i < to; i++) part += square[values[i] + 128];
    squares += part;
  }
  const [min, max] = [present[0] - 128, present[present.length - 1] - 128];
  return { mean, deviation: Math.sqrt(squares / n), min, max };
}

/** x becomes (x - shift) / scale. */
export function scalingOf({ mean, deviation, min, max }: Moments, scaling: Scaling): { shift: number; scale: number } {
  if (scaling === "standard") return { shift: mean, scale: deviation };
  if (scaling === "minmax") return { shift: min, scale: max - min };
  // Far from 0 (a time stamp) digits would be lost in single precision; where the origin lies changes no distance.
  return { shift: Math.abs(mean) > 1000 * deviation ? mean : 0, scale: 1 };
}

/** Whether something holds of all chunks of the values. */
export function everyChunk(values: NumberArray, holds: (chunk: Float64Array) => boolean): boolean {
  const room = new Float64Array(chunkLength);
  for (let from = 0; from < values.length; from += chunkLength) {
    if (!holds(doublesAt(values, from, room))) return false;
  }
  return true;
}

const known = new WeakMap<Uint32Array, boolean>();

/** Undefined where the rows are all of them from the first to the last: the common case, and the fast one. */
export function unlessAll(rows: Uint32Array, length: number): Uint32Array | undefined {
  return rows.length === length && inOrder(rows) ? undefined : rows;
}

/** Looked at once for all columns. */
function inOrder(rows: Uint32Array): boolean {
  let verdict = known.get(rows);
  if (verdict === undefined) {
    verdict = true;
    for (let i = 0; i < rows.length && verdict; i++) verdict = rows[i] === i;
    known.set(rows, verdict);
  }
  return verdict;
}

/** Whether the source has the numbers in single precision. */
export function isSinglePrecision({ values, single }: Pick<NumericColumn, "values" | "single">): boolean {
  return single === true || values instanceof Float32Array;
}

/** The values of the chosen rows, in their order: in single precision where the source has that, else in double. */
export function gather(column: Pick<NumericColumn, "values" | "single">, rows: Uint32Array): FloatArray {
  return floatsOf(column.values, unlessAll(rows, column.values.length), isSinglePrecision(column));
}

/** The same, of all rows where none are named. */
export function floatsOf(values: NumberArray, rows: Uint32Array | undefined, single: boolean): FloatArray {
  const length = rows?.length ?? values.length;
  const floats = single ? new Float32Array(length) : new Float64Array(length);
  if (rows === undefined) floats.set(values);
  else for (let i = 0; i < length; i++) floats[i] = values[rows[i]];
  return floats;
}

/** Missing values become `mean`, then x becomes (x - shift) / scale: in place, or in `into`. */
export function rescale(
  values: FloatArray,
  { shift, scale, mean }: { readonly shift: number; readonly scale: number; readonly mean: number },
  into = values,
): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    into[i] = ((Number.isNaN(value) ? mean : value) - shift) / scale;
  }
}
