import type { Lane } from "../kernels/lanes.js";
import { Rows } from "../kernels/rows.js";

/** Everybody at the nearest of some centres, in grid units. The arrays belong to the caller. */
export interface NearestCentres {
  readonly labels: Uint16Array;
  /** [k][columns] and [k] */
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  /** The sum of the squared distances. */
  readonly cost: number;
}

/** Points with whole coordinates in one process: nearest centres and distances. */
export class GridPoints {
  private k = 0;
  private kept: Float64Array = new Float64Array(0);
  private sums = new Float64Array(0);
  private counts = new Float64Array(0);

  private constructor(
    private readonly rows: Rows,
    /** The sum of all squared coordinates. */
    readonly squares: number,
  ) {}

  /** Coordinates are multiplied by `scale` and rounded. */
  static async load(
    lanes: readonly Lane[],
    n: number,
    columns: readonly ArrayLike<number>[],
    scale: number,
  ): Promise<GridPoints> {
    const rows = new Rows(lanes, n, columns.length);
    await rows.load(columns);
    const squares = (await rows.snap(scale)).reduce((total, square) => total + square, 0);
    return new GridPoints(rows, squares);
  }

  get n(): number {
    return this.rows.n;
  }

  get columns(): number {
    return this.rows.dims;
  }

  point(row: number): Float64Array {
    return this.rows.row(row);
  }

  /** All coordinates, [n][columns], read once. */
  get values(): Float64Array {
    if (this.kept.length === 0) {
      this.kept = new Float64Array(this.n * this.columns);
      for (let i = 0; i < this.n; i++) this.kept.set(this.point(i), i * this.columns);
    }
    return this.kept;
  }

  /** Ties go to the lowest centre. */
  async nearest(centres: Float64Array, k: number): Promise<NearestCentres> {
    this.begin(k);
    this.rows.setCentres(centres);
    await this.rows.decide({ from: 0, to: this.n }, false);
    this.rows.collect(this.sums, this.counts);
    const sums = this.sums.slice();
    const counts = this.counts.slice();
    // The sum of |x - c|^2 = |x|^2 - 2 x c + |c|^2, in whole numbers.
    let cost = this.squares;
    for (let cell = 0; cell < centres.length; cell++) {
      const centre = centres[cell];
      cost += centre * (counts[Math.floor(cell / this.columns)] * centre - 2 * sums[cell]);
    }
    return { labels: this.rows.labels(), sums, counts, cost };
  }

  /** Everybody's squared distance to every centre, [n][k]. */
  async distances(centres: Float64Array, k: number): Promise<Float64Array> {
    this.begin(k);
    this.rows.setCentres(centres);
    return this.rows.scores({ from: 0, to: this.n });
  }

  /** The sums and counts of given clusters. */
  async totals(labels: Uint16Array, k: number): Promise<Pick<NearestCentres, "sums" | "counts">> {
    this.begin(k);
    await this.rows.adopt({ from: 0, to: this.n }, labels);
    this.rows.collect(this.sums, this.counts);
    return { sums: this.sums.slice(), counts: this.counts.slice() };
  }

  close(): void {
    this.rows.close();
  }

  private begin(k: number): void {
    if (this.k === k) return;
    this.k = k;
    this.sums = new Float64Array(k * this.columns);
    this.counts = new Float64Array(k);
    this.rows.begin(k, 1);
    const [weight, offset] = [new Float64Array(k).fill(1), new Float64Array(k)];
    this.rows.setScoring({ weight, ownWeight: weight, offset, ownOffset: offset, jitter: 0 });
  }
}
