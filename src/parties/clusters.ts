import type { Rows } from "../kernels/rows.js";
import { distanceUnit, type Grid } from "./grid.js";

export interface ClusterState {
  readonly centres: Float64Array;
  /** Of the last recentring. */
  readonly gain: number;
}

export interface ClustersShape {
  readonly k: number;
  /** Columns. */
  readonly dims: number;
  readonly patterns: number;
  /** People in each cluster; the owner updates them. */
  readonly sizes: Float64Array;
  readonly grid: Grid;
  /** Centres that were given stay where they are. */
  readonly centresStay: boolean;
}

/** The clusters in a party's columns: centres in grid units, and exact sums, which follow from everybody's labels. */
export abstract class ColumnClusters {
  /** [k][columns] */
  readonly centres: Float64Array;
  readonly sums: Float64Array;
  /** [patterns][k] */
  readonly counts: Float64Array;
  /** In grid units. */
  protected gain = 0;

  constructor(protected readonly shape: ClustersShape) {
    const { k, dims, patterns } = shape;
    this.centres = new Float64Array(k * dims);
    this.sums = new Float64Array(k * dims);
    this.counts = new Float64Array(patterns * k);
  }

  /** Somebody has moved. */
  abstract moved(): void;
  /** Every centre goes to the middle of its people; that of an empty cluster stays. */
  abstract recentre(): Promise<void>;
  /** What all people's distances to the middle of their clusters add up to, or to given centres; exact in a sum over parties. */
  abstract total(): Promise<number>;
  /** The same for the centres as they are. */
  abstract totalAroundCentres(): Promise<number>;

  /** By how much the last recentring lowered the total around the centres. */
  get gained(): number {
    return this.gain / distanceUnit(this.shape.grid);
  }

  /** The distances between all centres in grid units, [k][k]. */
  spacing(): Float64Array {
    const { k, dims, grid } = this.shape;
    const { centres } = this;
    const manhattan = grid.distance === "manhattan";
    const spacing = new Float64Array(k * k);
    for (let a = 0; a < k; a++) {
      for (let b = 0; b < a; b++) {
        let total = 0;
        for (let j = 0; j < dims; j++) {
          const apart = centres[a * dims + j] - centres[b * dims + j];
          total += manhattan ? Math.abs(apart) : apart * apart;
        }
        spacing[a * k + b] = spacing[b * k + a] = total;
      }
    }
    return spacing;
  }

  save(): ClusterState {
    return { centres: this.centres.slice(), gain: this.gain };
  }

  /** Sums, counts and sizes follow from the labels. */
  restore({ centres, gain }: ClusterState): void {
    this.centres.set(centres);
    this.gain = gain;
  }
}

/** The middle is the mean: exact sums say all that is needed. */
export class MeanClusters extends ColumnClusters {
  constructor(
    shape: ClustersShape,
    /** The sum of squares of each column. */
    private readonly squares: Float64Array,
  ) {
    super(shape);
  }

  moved(): void {}

  async recentre(): Promise<void> {
    this.gain = 0;
    const { k, dims, sizes, centresStay } = this.shape;
    if (centresStay) return;
    for (let m = 0; m < k; m++) {
      const size = sizes[m];
      if (size === 0) continue;
      for (let at = m * dims; at < (m + 1) * dims; at++) {
        const mean = Math.round(this.sums[at] / size);
        this.gain += size * (mean - this.centres[at]) ** 2;
        this.centres[at] = mean;
      }
    }
  }

  /** The SSE: rounded for each column, so that its sum over parties is exact. */
  async total(): Promise<number> {
    if (this.shape.centresStay) return this.totalAroundCentres();
    return this.squaresAround((at, size) => this.sums[at] ** 2 / size);
  }

  async totalAroundCentres(): Promise<number> {
    return this.squaresAround((at, size) => this.centres[at] * (2 * this.sums[at] - size * this.centres[at]));
  }

  /** The squares of all people less what each cluster takes away of them in each column. */
  private squaresAround(lessened: (at: number, size: number) => number): number {
    const { k, dims, sizes, grid } = this.shape;
    const { bits, quantum } = grid;
    let total = 0;
    for (let j = 0; j < dims; j++) {
      let between = 0;
      for (let m = 0; m < k; m++) {
        if (sizes[m] > 0) between += lessened(m * dims + j, sizes[m]);
      }
      total += Math.round(((this.squares[j] - between) * 2 ** (-2 * bits)) / quantum) * quantum;
    }
    return total;
  }
}

/** The middle is the lower median of each column: people are counted again once somebody has moved. */
export class MedianClusters extends ColumnClusters {
  /** Of the clusters as they are, once they are known. */
  private medians: Promise<Float64Array> | undefined;
  private totalKnown: Promise<number> | undefined;

  constructor(
    shape: ClustersShape,
    private readonly people: Rows,
  ) {
    super(shape);
  }

  moved(): void {
    this.medians = undefined;
    this.totalKnown = undefined;
  }

  async recentre(): Promise<void> {
    this.gain = 0;
    if (this.shape.centresStay) return;
    const medians = await this.findMedians();
    if (medians.every((median, at) => median === this.centres[at])) return;
    const before = await this.people.sumAround(this.centres);
    this.centres.set(medians);
    this.gain = before - (await this.total()) * distanceUnit(this.shape.grid);
  }

  total(): Promise<number> {
    if (this.shape.centresStay) return this.totalAroundCentres();
    this.totalKnown ??= this.findMedians().then((medians) => this.sumAround(medians));
    return this.totalKnown;
  }

  totalAroundCentres(): Promise<number> {
    return this.sumAround(this.centres);
  }

  private async sumAround(centres: Float64Array): Promise<number> {
    return (await this.people.sumAround(centres)) / distanceUnit(this.shape.grid);
  }

  /** An empty cluster has its centre. */
  private async findMedians(): Promise<Float64Array> {
    this.medians ??= this.people.medians(this.shape.sizes);
    return (await this.medians).map((median, at) => (Number.isNaN(median) ? this.centres[at] : median));
  }
}
