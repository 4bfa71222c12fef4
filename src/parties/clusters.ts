import type { Grid } from "./grid.js";

export interface ClusterState {
  readonly centres: Float64Array;
  /** Of the last recentring. */
  readonly gain: number;
}

/** The clusters in a party's columns: centres in grid units, and exact sums, which follow from everybody's labels. */
export class ColumnClusters {
  /** [k][columns] */
  readonly centres: Float64Array;
  readonly sums: Float64Array;
  /** [patterns][k] */
  readonly counts: Float64Array;
  private gain = 0;

  constructor(
    private readonly k: number,
    private readonly dims: number,
    patterns: number,
    /** People in each cluster; the owner updates them. */
    private readonly sizes: Float64Array,
    /** The sum of squares of each column. */
    private readonly squares: Float64Array,
    /** Centres that were given stay where they are: they are no means. */
    private readonly centresStay: boolean,
  ) {
    this.centres = new Float64Array(k * dims);
    this.sums = new Float64Array(k * dims);
    this.counts = new Float64Array(patterns * k);
  }

  save(): ClusterState {
    return { centres: this.centres.slice(), gain: this.gain };
  }

  /** Sums, counts and sizes follow from the labels. */
  restore({ centres, gain }: ClusterState): void {
    this.centres.set(centres);
    this.gain = gain;
  }

  /** Every centre becomes its people's mean; an empty cluster keeps its centre. */
  recentre(): void {
    this.gain = 0;
    if (this.centresStay) return;
    for (let m = 0; m < this.k; m++) {
      const size = this.sizes[m];
      if (size === 0) continue;
      for (let at = m * this.dims; at < (m + 1) * this.dims; at++) {
        const mean = Math.round(this.sums[at] / size);
        this.gain += size * (mean - this.centres[at]) ** 2;
        this.centres[at] = mean;
      }
    }
  }

  /** By how much the last recentring lowered the SSE around the centres. */
  gained({ bits }: Grid): number {
    return this.gain * 2 ** (-2 * bits);
  }

  /** The SSE around the means, or around given centres; rounded for each column, so that its sum over parties is exact. */
  sse(grid: Grid): number {
    if (this.centresStay) return this.sseAroundCentres(grid);
    return this.squaresAround(grid, (at, size) => this.sums[at] ** 2 / size);
  }

  /** The SSE around the centres, whether they are means or not. */
  sseAroundCentres(grid: Grid): number {
    return this.squaresAround(grid, (at, size) => this.centres[at] * (2 * this.sums[at] - size * this.centres[at]));
  }

  /** The squares of all people less what each cluster takes away of them in each column. */
  private squaresAround({ bits, quantum }: Grid, lessened: (at: number, size: number) => number): number {
    let total = 0;
    for (let j = 0; j < this.dims; j++) {
      let between = 0;
      for (let m = 0; m < this.k; m++) {
        if (this.sizes[m] > 0) between += lessened(m * this.dims + j, this.sizes[m]);
      }
      total += Math.round(((this.squares[j] - between) * 2 ** (-2 * bits)) / quantum) * quantum;
    }
    return total;
  }
}
