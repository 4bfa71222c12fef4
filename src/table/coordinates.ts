import { moments, rescale, scalingOf } from "./scale.js";
import type { Dimension, Moments, NumberArray, Scaling } from "./types.js";

/** Doubles, row by row, that are to become coordinates of people. */
export interface ColumnTask {
  readonly values: Float64Array;
  /** The person of each row; one beyond the last where a row was left out. Undefined where all rows are people, in their order. */
  readonly personOf: Uint32Array | undefined;
  readonly n: number;
  readonly scale: Scaling;
}

export interface ScaledColumn {
  /** Of the people's numbers, in their order. */
  readonly found: Moments;
  /** Of no use where all numbers are the same, or too large to scale. */
  readonly coordinates: Float32Array;
}

/** A feature whose coordinates were made elsewhere, by the same scaling. */
export interface ScaledFeature {
  readonly found: Moments;
  readonly dimension: Dimension;
}

/** Used again for each column. */
let room = new Float64Array(0);

/** The coordinates take the place of the numbers in memory. */
export function coordinatesOf({ values, personOf, n, scale }: ColumnTask): ScaledColumn {
  let numbers = values;
  if (personOf !== undefined) {
    if (room.length !== n) room = new Float64Array(n);
    place(values, personOf, room);
    numbers = room;
  }
  const found = moments(numbers);
  const coordinates = new Float32Array(values.buffer, values.byteOffset, n);
  // Each coordinate is written where no number is that is still to be read.
  rescale(numbers, { ...scalingOf(found, scale), mean: found.mean }, coordinates);
  return { found, coordinates };
}

/**
 * Puts the numbers of rows where their people are. What is beyond the last person is not written. Writing anywhere takes a quarter of
 * the time of reading anywhere, in loops over one kind of array.
 */
export function place(values: NumberArray, personOf: Uint32Array | undefined, into: NumberArray): void {
  if (personOf === undefined) into.set(values);
  else if (values instanceof Float64Array && into instanceof Float64Array) {
    for (let row = 0; row < values.length; row++) into[personOf[row]] = values[row];
  } else if (values instanceof Int8Array && into instanceof Int8Array) {
    for (let row = 0; row < values.length; row++) into[personOf[row]] = values[row];
  } else for (let row = 0; row < values.length; row++) into[personOf[row]] = values[row];
}
