/** One person's move to another cluster. */
export interface Move {
  readonly row: number;
  readonly from: number;
  readonly cluster: number;
}

/** A move and the change of the score that it brings. */
export interface WeighedMove extends Move {
  readonly gap: number;
}

/** Cheapest first; among equals the lowest row, then the lowest cluster. */
export function byGap(a: WeighedMove, b: WeighedMove): number {
  return a.gap - b.gap || a.row - b.row || a.cluster - b.cluster;
}

/** The cheapest gaining move from each cluster to each other one, among those that are offered; ties go to the lowest row. */
export class BestMoves {
  private readonly gaps: Float64Array;
  private readonly rows: Int32Array;

  constructor(private readonly k: number) {
    this.gaps = new Float64Array(k * k);
    this.rows = new Int32Array(k * k).fill(-1);
  }

  offer(row: number, from: number, cluster: number, gap: number): void {
    const cell = from * this.k + cluster;
    const best = this.gaps[cell];
    if (gap > best || gap >= 0 || (gap === best && this.rows[cell] < row)) return;
    this.gaps[cell] = gap;
    this.rows[cell] = row;
  }

  /** Returns the moves found so far, in no order, and starts again. */
  taken(): WeighedMove[] {
    const found: WeighedMove[] = [];
    this.rows.forEach((row, cell) => {
      if (row < 0) return;
      found.push({ gap: this.gaps[cell], row, from: Math.floor(cell / this.k), cluster: cell % this.k });
      this.gaps[cell] = 0;
      this.rows[cell] = -1;
    });
    return found;
  }
}
