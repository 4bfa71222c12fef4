import type { Lane } from "../kernels/lanes.js";
import { Rows } from "../kernels/rows.js";
import { bigintOf, joined, type WideSum, wideOf } from "../kernels/wide-sums.js";

/** Everybody at the nearest of some centres, in grid units. The arrays belong to the caller. */
export interface NearestCentres {
  readonly labels: Uint16Array;
  /** [k][columns] and [k]: as often as everybody counts. */
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  /** [k]: how many points are there, whatever they count for. */
  readonly people: Float64Array;
  /** The sum of the squared distances, and the same exactly. */
  readonly cost: number;
  readonly wideCost: WideSum;
}

/** Points with whole coordinates in one process, which may count several times: nearest centres and distances. */
export class GridPoints {
  private k = 0;
  private kept: Float64Array = new Float64Array(0);
  private sums = new Float64Array(0);
  private counts = new Float64Array(0);

  private constructor(
    private readonly rows: Rows,
    /** The sum of all squared coordinates. */
    readonly squares: WideSum,
    readonly weights: Float64Array | undefined,
  ) {}

  /** Coordinates are multiplied by `scale` and rounded. Weights are whole: how often each point counts; default once. */
  static async load(
    lanes: readonly Lane[],
    n: number,
    columns: readonly ArrayLike<number>[],
    scale: number,
    weights?: Float64Array,
  ): Promise<GridPoints> {
    const rows = new Rows(lanes, n, columns.length);
    await rows.load(columns);
    const plain = await rows.snap(scale);
    const squares = weights ? rows.weightedSquares(weights) : Array.from(plain, (square): WideSum => [0, square]);
    const total = squares.reduce(([high, low], part): WideSum => [high + part[0], low + part[1]], [0, 0]);
    return new GridPoints(rows, total, weights);
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
    const labels = this.rows.labels();
    const wideCost = this.costAround(centres, sums, counts);
    return { labels, sums, counts, people: this.peopleIn(labels, counts), cost: joined(wideCost), wideCost };
  }

  /** The sum of |x - c|^2 = |x|^2 - 2 x c + |c|^2, in whole numbers. */
  private costAround(centres: Float64Array, sums: Float64Array, counts: Float64Array): WideSum {
    const { columns, squares, weights } = this;
    if (weights) {
      let cost = bigintOf(squares);
      for (let cell = 0; cell < centres.length; cell++) {
        const [centre, count] = [BigInt(centres[cell]), BigInt(counts[Math.floor(cell / columns)])];
        cost += centre * (count * centre - 2n * BigInt(sums[cell]));
      }
      return wideOf(cost);
    }
    let cost = joined(squares);
    for (let cell = 0; cell < centres.length; cell++) {
      const centre = centres[cell];
      cost += centre * (counts[Math.floor(cell / columns)] * centre - 2 * sums[cell]);
    }
    return [0, cost];
  }

  private peopleIn(labels: Uint16Array, counts: Float64Array): Float64Array {
    if (!this.weights) return counts;
    const people = new Float64Array(counts.length);
    for (let i = 0; i < labels.length; i++) people[labels[i]]++;
    return people;
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
    this.rows.begin(k, 1, undefined, false, this.weights);
    const [weight, offset] = [new Float64Array(k).fill(1), new Float64Array(k)];
    this.rows.setScoring({ weight, ownWeight: weight, offset, ownOffset: offset, jitter: 0 });
  }
}
