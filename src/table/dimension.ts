import { copyNumbers, type FloatArray, floatsOf, isSinglePrecision, rescale } from "./scale.js";
import type { Dimension, NumberArray, NumericColumn, People } from "./types.js";

/** More coordinates than this are worked out where they are read; fewer are kept as they are. */
export const manyValues = 5e7;

/** Coordinates that are kept. */
export function isKept(dimension: Dimension | FloatArray): dimension is FloatArray {
  return ArrayBuffer.isView(dimension);
}

export function isSingle(dimension: Dimension | FloatArray): boolean {
  return isKept(dimension) ? dimension instanceof Float32Array : dimension.single;
}

/**
 * All dimensions as arrays, each made when it is first looked at: who needs a few people only, or reads them in stretches,
 * reads the dimensions themselves.
 */
export function wholeDimensions(dimensions: readonly (Dimension | FloatArray)[]): readonly FloatArray[] {
  if (dimensions.every(isKept)) return dimensions;
  const made: FloatArray[] = [];
  dimensions.forEach((each, j) => {
    let whole: FloatArray | undefined;
    const get = () => {
      whole ??= isKept(each) ? each : each.whole();
      return whole;
    };
    Object.defineProperty(made, j, { get, enumerable: true });
  });
  return made;
}

/** The coordinates of single people in dimension j: no array is made for them. */
export function coordinates(people: Pick<People, "dimensions" | "readers">, j: number): (person: number) => number {
  const reader = people.readers?.[j];
  if (reader !== undefined && !isKept(reader)) return (person) => reader.at(person);
  const values = people.dimensions[j];
  return (person) => values[person];
}

/** How a number becomes a coordinate: a missing one becomes `mean`, then x becomes (x - shift) / scale. */
interface NumberScaling {
  readonly shift: number;
  readonly scale: number;
  readonly mean: number;
}

/** The numbers of a column for the chosen rows, scaled. */
export class ScaledNumbers implements Dimension {
  readonly length: number;
  readonly single: boolean;
  private readonly values: NumberArray;
  /** The coordinates of -128 to 127, where these are all numbers: a look is faster than a division. */
  private readonly table: Float32Array | undefined;
  private chunk = new Float64Array(0);

  constructor(
    column: Pick<NumericColumn, "values" | "single">,
    /** Undefined where the column is that of all people in their order. */
    private readonly chosen: Uint32Array | undefined,
    private readonly scaling: NumberScaling,
  ) {
    const { values } = column;
    this.length = chosen?.length ?? values.length;
    this.single = isSinglePrecision(column);
    this.values = values;
    if (values instanceof Int8Array) this.table = Float32Array.from({ length: 256 }, (_, at) => this.scaled(at - 128));
  }

  at(person: number): number {
    const value = this.scaled(this.values[this.chosen === undefined ? person : this.chosen[person]]);
    return this.single ? Math.fround(value) : value;
  }

  read(from: number, to: number, into: Float32Array, at: number): void {
    const { values, chosen, table } = this;
    if (table !== undefined && values instanceof Int8Array) {
      if (chosen === undefined) for (let i = from; i < to; i++) into[at + i - from] = table[values[i] + 128];
      else for (let i = from; i < to; i++) into[at + i - from] = table[values[chosen[i]] + 128];
      return;
    }
    const count = to - from;
    if (this.chunk.length < count) this.chunk = new Float64Array(count);
    const { chunk, scaling } = this;
    copyNumbers(values, chosen, { from, to }, chunk);
    const { shift, scale, mean } = scaling;
    for (let i = 0; i < count; i++) {
      const value = chunk[i];
      into[at + i] = ((Number.isNaN(value) ? mean : value) - shift) / scale;
    }
  }

  whole(): FloatArray {
    const values = floatsOf(this.values, this.chosen, this.single);
    rescale(values, this.scaling.shift, this.scaling.scale, this.scaling.mean);
    return values;
  }

  private scaled(value: number): number {
    const { shift, scale, mean } = this.scaling;
    return ((Number.isNaN(value) ? mean : value) - shift) / scale;
  }
}

/** One level of a category for the chosen rows: `weight` for its members, 0 for all others. */
export class LevelMembers implements Dimension {
  readonly length: number;

  constructor(
    private readonly codes: Int32Array,
    private readonly rows: Uint32Array,
    private readonly level: { readonly code: number; readonly weight: number },
    readonly single: boolean,
  ) {
    this.length = rows.length;
  }

  at(person: number): number {
    const { code, weight } = this.level;
    const value = this.codes[this.rows[person]] === code ? weight : 0;
    return this.single ? Math.fround(value) : value;
  }

  read(from: number, to: number, into: Float32Array, at: number): void {
    const { codes, rows } = this;
    const { code, weight } = this.level;
    for (let i = from; i < to; i++) into[at + i - from] = codes[rows[i]] === code ? weight : 0;
  }

  whole(): FloatArray {
    const { codes, rows, single } = this;
    const { code, weight } = this.level;
    const values = single ? new Float32Array(rows.length) : new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) if (codes[rows[i]] === code) values[i] = weight;
    return values;
  }
}
