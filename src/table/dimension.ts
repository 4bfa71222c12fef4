import { host } from "../host/index.js";
import { place } from "./coordinates.js";
import { free } from "./garbage.js";
import { type FloatArray, floatsOf, isSinglePrecision, rescale, unlessAll } from "./scale.js";
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

/**
 * Makes dimensions of columns of numbers, one after another. Each is put in the people's order once and then measured and
 * scaled in that order: looking people up anywhere in a long column takes longer than all arithmetic.
 */
export class NumericDimensions {
  readonly n: number;
  /** The person of each row; one beyond the last where a row was left out. Undefined where all rows are people, in their order. */
  readonly personOf: Uint32Array | undefined;
  /** Used again for each column of many. */
  private doubles: Float64Array | undefined;
  private singles: Float32Array | undefined;
  private readonly blocks: CoordinateBlocks | undefined;

  constructor(
    sourceRows: Uint32Array,
    rows: number,
    /** Coordinates are then kept in single precision, which is what solvers see, or as the narrow numbers that they come from. */
    private readonly many: boolean,
    /** Of so many columns the coordinates may be taken over, see `MovableNumbers`. */
    movable = 0,
  ) {
    this.n = sourceRows.length;
    if (many && movable > 0) this.blocks = CoordinateBlocks.emptyOf(this.n, movable);
    if (unlessAll(sourceRows, rows) === undefined) return;
    // Threads may look at it too.
    const memory = this.blocks && host.sharesMemory ? new SharedArrayBuffer(4 * rows) : new ArrayBuffer(4 * rows);
    const personOf = new Uint32Array(memory).fill(this.n);
    for (let i = 0; i < sourceRows.length; i++) personOf[sourceRows[i]] = i;
    this.personOf = personOf;
  }

  /** A dimension of coordinates that were made elsewhere, of many people who may be taken over. */
  add(coordinates: Float32Array): Dimension {
    return this.blocks!.add((from, to, into) => into.set(coordinates.subarray(from, to)));
  }

  /** `scalingOf` sees the numbers of everybody, in their order; where it gives nothing there is no dimension. */
  make(
    column: Pick<NumericColumn, "values" | "single" | "missing">,
    scalingOf: (numbers: NumberArray) => NumberScaling | undefined,
  ): Dimension | FloatArray | undefined {
    const { values } = column;
    const single = isSinglePrecision(column);
    if (this.many && (values instanceof Int8Array || values instanceof Int16Array)) {
      const narrow = values instanceof Int8Array ? new Int8Array(this.n) : new Int16Array(this.n);
      place(values, this.personOf, narrow);
      const scaling = scalingOf(narrow);
      return scaling && new ScaledNumbers(narrow, single, scaling);
    }
    const inPlace = this.many && this.personOf === undefined && values instanceof Float64Array && !single;
    const numbers = inPlace ? values : this.floatsOf(values, single);
    const scaling = scalingOf(numbers);
    if (scaling === undefined) return undefined;
    if (this.blocks) return this.blocks.add((from, to, into) => rescale(numbers.subarray(from, to), scaling, into));
    const floats = this.many && !single ? new Float32Array(numbers.length) : numbers;
    const asTheyAre = scaling.shift === 0 && scaling.scale === 1 && column.missing === 0;
    if (!asTheyAre) rescale(numbers, scaling, floats);
    else if (floats !== numbers) floats.set(numbers);
    return floats;
  }

  private floatsOf(values: NumberArray, single: boolean): FloatArray {
    let floats: FloatArray;
    if (single && this.blocks) {
      this.singles ??= new Float32Array(this.n);
      floats = this.singles;
    } else if (single) floats = new Float32Array(this.n);
    else if (!this.many) floats = new Float64Array(this.n);
    else {
      this.doubles ??= new Float64Array(this.n);
      floats = this.doubles;
    }
    place(values, this.personOf, floats);
    return floats;
  }
}

/** The C library gives memory back to the system as soon as it is freed only in pieces of more than 32 MB. */
export const blockBytes = 40e6;

/** Dimensions of coordinates that are there: blocks of so many of the n people, each column after column. */
export function dimensionsIn(blocks: readonly Float32Array[], n: number, rows: number, columns: number): Dimension[] {
  const kept = new CoordinateBlocks(n, rows, [...blocks]);
  return Array.from({ length: columns }, () => kept.add());
}

/**
 * Coordinates of many people in single precision, in blocks of people with all their columns: whoever takes people over, one
 * after another, has each block freed when its last column was taken.
 */
class CoordinateBlocks {
  /** Coordinates of each block that nobody has taken. */
  private readonly left: Float64Array;
  private used = 0;

  constructor(
    readonly n: number,
    /** People of each block. */
    private readonly rows: number,
    private readonly blocks: (Float32Array | undefined)[],
  ) {
    this.left = new Float64Array(blocks.length);
  }

  static emptyOf(n: number, columns: number): CoordinateBlocks {
    const rows = Math.min(n, Math.ceil(blockBytes / (4 * columns)));
    const blocks = Array.from({ length: Math.ceil(n / rows) }, () => new Float32Array(rows * columns));
    return new CoordinateBlocks(n, rows, blocks);
  }

  /** The next column, as `write` puts it there, stretch by stretch, or as it is there already. */
  add(write?: (from: number, to: number, into: Float32Array) => void): MovableNumbers {
    const column = this.used++;
    this.eachPart(column, 0, this.n, (part, from, block) => {
      write?.(from, from + part.length, part);
      this.left[block] += part.length;
    });
    return new MovableNumbers(this, column);
  }

  read(column: number, from: number, to: number, into: Float32Array, at: number): void {
    this.eachPart(column, from, to, (part, first) => into.set(part, at + first - from));
  }

  take(column: number, from: number, to: number, into: Float32Array, at: number): void {
    this.eachPart(column, from, to, (part, first, block) => {
      into.set(part, at + first - from);
      this.left[block] -= part.length;
      if (this.left[block] > 0) return;
      this.blocks[block] = undefined;
      free(part.buffer as ArrayBuffer);
    });
  }

  private eachPart(
    column: number,
    from: number,
    to: number,
    see: (part: Float32Array, from: number, block: number) => void,
  ): void {
    for (let row = from; row < to; ) {
      const block = Math.floor(row / this.rows);
      const values = this.blocks[block];
      if (values === undefined) throw new Error("coordinates that were taken over are read where they were");
      const [first, end] = [block * this.rows, Math.min(to, (block + 1) * this.rows)];
      see(values.subarray(column * this.rows + row - first, column * this.rows + end - first), row, block);
      row = end;
    }
  }
}

/** Coordinates that somebody may take over, who then has them for all others: a solver's tiles and these would be the same twice. */
class MovableNumbers implements Dimension {
  readonly single = true;
  readonly length: number;
  private taker: Pick<Dimension, "read"> | undefined;

  constructor(
    private readonly blocks: CoordinateBlocks,
    private readonly column: number,
  ) {
    this.length = blocks.n;
  }

  at(person: number): number {
    const one = new Float32Array(1);
    this.read(person, person + 1, one, 0);
    return one[0];
  }

  read(from: number, to: number, into: Float32Array, at: number): void {
    if (this.taker) this.taker.read(from, to, into, at);
    else this.blocks.read(this.column, from, to, into, at);
  }

  take(from: number, to: number, into: Float32Array, at: number): void {
    if (this.taker) this.taker.read(from, to, into, at);
    else this.blocks.take(this.column, from, to, into, at);
  }

  takenBy(taker: Pick<Dimension, "read">): void {
    this.taker = taker;
  }

  whole(): Float32Array {
    const values = new Float32Array(this.length);
    this.read(0, this.length, values, 0);
    return values;
  }
}

/** Narrow whole numbers, none of them missing, scaled. */
export class ScaledNumbers implements Dimension {
  readonly length: number;
  /** The coordinates of -128 to 127, where these are all numbers: a look is faster than a division. */
  private readonly table: Float32Array | undefined;

  constructor(
    private readonly values: Int8Array | Int16Array,
    readonly single: boolean,
    private readonly scaling: NumberScaling,
  ) {
    this.length = values.length;
    if (values instanceof Int8Array) this.table = Float32Array.from({ length: 256 }, (_, at) => this.scaled(at - 128));
  }

  at(person: number): number {
    const value = this.scaled(this.values[person]);
    return this.single ? Math.fround(value) : value;
  }

  read(from: number, to: number, into: Float32Array, at: number): void {
    const { values, table } = this;
    if (table !== undefined) {
      for (let i = from; i < to; i++) into[at + i - from] = table[values[i] + 128];
      return;
    }
    const { shift, scale } = this.scaling;
    for (let i = from; i < to; i++) into[at + i - from] = (values[i] - shift) / scale;
  }

  whole(): FloatArray {
    const values = floatsOf(this.values, undefined, this.single);
    rescale(values, this.scaling);
    return values;
  }

  private scaled(value: number): number {
    const { shift, scale } = this.scaling;
    return (value - shift) / scale;
  }
}

/** One level of a category: `weight` for its members, 0 for all others. */
export class LevelMembers implements Dimension {
  readonly length: number;

  constructor(
    /** Of everybody, in their order. */
    private readonly places: Int16Array,
    private readonly level: { readonly place: number; readonly weight: number },
    readonly single: boolean,
  ) {
    this.length = places.length;
  }

  at(person: number): number {
    const { place, weight } = this.level;
    const value = this.places[person] === place ? weight : 0;
    return this.single ? Math.fround(value) : value;
  }

  read(from: number, to: number, into: Float32Array, at: number): void {
    const { places } = this;
    const { place, weight } = this.level;
    for (let i = from; i < to; i++) into[at + i - from] = places[i] === place ? weight : 0;
  }

  whole(): FloatArray {
    const { places, single, length } = this;
    const { place, weight } = this.level;
    const values = single ? new Float32Array(length) : new Float64Array(length);
    for (let i = 0; i < length; i++) if (places[i] === place) values[i] = weight;
    return values;
  }
}
