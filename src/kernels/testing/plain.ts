import { byGap, type WeighedMove } from "../best-moves.js";
import { jitter } from "../jitter.js";
import type { Range, Scoring } from "../rows.js";

/** The label of a person who is in no cluster yet. */
export const nowhere = 0xffff;

/** A table as the kernels see it: whole numbers, patterns, labels. */
export interface PlainTable {
  readonly n: number;
  readonly dims: number;
  readonly k: number;
  readonly patterns: number;
  /** [dims][n] */
  readonly columns: readonly (readonly number[])[];
  readonly codes: readonly number[];
  /** [k][dims] */
  readonly centres: readonly (readonly number[])[];
  readonly manhattan?: boolean;
  scoring: Scoring;
}

/** The kernels in plain loops: what they must agree with, to the last bit. */
export class Plain {
  readonly labels: number[];

  constructor(readonly table: PlainTable) {
    this.labels = new Array<number>(table.n).fill(nowhere);
  }

  distance(row: number, point: ArrayLike<number>): number {
    const size = this.table.manhattan ? Math.abs : (gap: number) => gap ** 2;
    return this.table.columns.reduce((sum, column, j) => sum + size(column[row] - point[j]), 0);
  }

  score(row: number, m: number): number {
    const { centres, codes, k, scoring } = this.table;
    const own = this.labels[row] === m;
    const weight = (own ? scoring.ownWeight : scoring.weight)[m];
    const offset = (own ? scoring.ownOffset : scoring.offset)[codes[row] * k + m];
    return weight * this.distance(row, centres[m]) + offset + jitter(row, m, scoring.jitter);
  }

  scores({ from, to }: Range): number[] {
    const { k } = this.table;
    return Array.from({ length: (to - from) * k }, (_, at) => this.score(from + Math.floor(at / k), at % k));
  }

  choose({ from, to }: Range, ownFirst: boolean): number[] {
    return Array.from({ length: to - from }, (_, index) => {
      const row = from + index;
      const scores = Array.from({ length: this.table.k }, (_, m) => this.score(row, m));
      const least = Math.min(...scores);
      const own = this.labels[row];
      return ownFirst && scores[own] === least ? own : scores.indexOf(least);
    });
  }

  adopt({ from }: Range, labels: readonly number[]): number {
    let moved = 0;
    labels.forEach((label, index) => {
      if (this.labels[from + index] !== label) moved++;
      this.labels[from + index] = label;
    });
    return moved;
  }

  /** The lower median of each cluster in each column, [k][dims]; NaN where nobody is. */
  medians(): number[] {
    const { k, columns } = this.table;
    return Array.from({ length: k }, (_, m) =>
      columns.map((column) => {
        const values = column.filter((_, row) => this.labels[row] === m).sort((a, b) => a - b);
        return values.length === 0 ? Number.NaN : values[Math.ceil(values.length / 2) - 1];
      }),
    ).flat();
  }

  bestMoves(range: Range): WeighedMove[] {
    const { k } = this.table;
    const best: WeighedMove[] = [];
    for (let from = 0; from < k; from++) {
      for (let cluster = 0; cluster < k; cluster++) {
        if (cluster === from) continue;
        let move: WeighedMove | undefined;
        for (let row = range.from; row < range.to; row++) {
          if (this.labels[row] !== from) continue;
          const gap = this.score(row, cluster) - this.score(row, from);
          if (gap < (move?.gap ?? 0)) move = { gap, row, from, cluster };
        }
        if (move) best.push(move);
      }
    }
    return best.sort(byGap);
  }

  /** Sums [k][dims] and counts [patterns][k] of those who are in a cluster. */
  statistics(): { sums: number[]; counts: number[] } {
    const { k, dims, patterns, columns, codes } = this.table;
    const sums = new Array<number>(k * dims).fill(0);
    const counts = new Array<number>(patterns * k).fill(0);
    this.labels.forEach((label, row) => {
      if (label === nowhere) return;
      counts[codes[row] * k + label]++;
      columns.forEach((column, j) => {
        sums[label * dims + j] += column[row];
      });
    });
    return { sums, counts };
  }
}
