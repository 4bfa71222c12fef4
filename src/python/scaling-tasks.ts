import type { Moments, Scaling } from "../table/types.js";
import type { NumberType } from "./numbers.js";

/** What threads are asked that make coordinates of a table of numbers while it comes over a pipe. */
export type ScalingTask = PipeColumnTask | RowsTask | SquaresTask | ScaleTask;

/** Parts of the table are read by one thread after another: whose turn it is, is a number that they share. */
interface ReadTask {
  readonly input: number;
  readonly turn: Int32Array;
  readonly type: Exclude<NumberType, "int32">;
  /** Of the whole table. */
  readonly rows: number;
}

/** To read a whole column, and scale it. */
export interface PipeColumnTask extends ReadTask {
  readonly step: "column";
  readonly column: number;
  readonly scale: Scaling;
}

export interface PipeColumn {
  readonly found: Moments;
  readonly coordinates: Float32Array;
}

/** To read and keep some stretches of rows, of so many rows each but for the last, and to add up their columns. */
export interface RowsTask extends ReadTask {
  readonly step: "rows";
  readonly columns: number;
  readonly perStretch: number;
  readonly stretches: readonly number[];
  readonly module: WebAssembly.Module;
}

export interface RowSums {
  /** For each stretch: the sums of the columns over chunks of rows, chunk after chunk. */
  readonly sums: readonly Float64Array[];
  /** The least of each column, then the largest of each. */
  readonly extremes: Float64Array;
}

/** To add up squared distances from the columns' means, of the rows that are kept: as `RowSums.sums`. */
interface SquaresTask {
  readonly step: "squares";
  readonly means: Float64Array;
}

/** To make a block of coordinates of each stretch, column after column, each of `perStretch` rows; the rows are let go of. */
interface ScaleTask {
  readonly step: "scale";
  readonly shifts: Float64Array;
  readonly scales: Float64Array;
}
