import { LinearProgram } from "../../kernels/programs.js";
import { lowerIn, sizesIn } from "../bounds.js";
import { isFree, presentIn, type Requirements } from "./request.js";

/** What it costs to move one person of a pattern from one cluster to another: 0 or more. */
export type MoveCost = (pattern: number, from: number, to: number) => number;

/** How many people of a pattern the column adds to, or takes from, its clusters. */
interface PatternMove {
  readonly pattern: number;
  /** -1 where people come from, or go to, no cluster in particular. */
  readonly from: number;
  readonly to: number;
}

/**
 * The integer program over moves of people away from `current`. Without move costs a cell has one column for people
 * who come and one for those who go (2 patterns k columns); with them there is one for each pair of clusters.
 */
export class CountsProgram {
  readonly program = new LinearProgram();
  private readonly moves: PatternMove[] = [];
  /** The columns that change the count of each cell, and by how much. */
  private readonly changes: [column: number, sign: number][][];

  constructor(
    private readonly current: Int32Array,
    private readonly request: Requirements,
    moveCost: MoveCost | undefined,
    /** Clusters in ascending size: without it each solution has k! copies, which only a search for any one may cut. */
    ascending: boolean,
  ) {
    this.changes = Array.from(current, () => []);
    if (moveCost) this.addPairs(moveCost);
    else this.addComingAndGoing();
    this.addClusters(ascending);
  }

  /** The counts after the moves, rounded to whole people. */
  countsAfter(values: Float64Array): Int32Array {
    return Int32Array.from(this.fractionsAfter(values.map(Math.round)));
  }

  /** The counts after the moves of a fractional solution. */
  fractionsAfter(values: Float64Array): Float64Array {
    const { k } = this.request;
    const counts = Float64Array.from(this.current);
    this.moves.forEach(({ pattern, from, to }, column) => {
      if (from >= 0) counts[pattern * k + from] -= values[column];
      if (to >= 0) counts[pattern * k + to] += values[column];
    });
    return counts;
  }

  /** Holds every move close to a fractional solution. */
  narrowTo(values: Float64Array, margin: number): void {
    const { columnLower, columnUpper } = this.program;
    for (let column = 0; column < this.moves.length; column++) {
      const upper = columnUpper[column];
      columnLower[column] = Math.max(0, Math.floor(values[column] + 1e-7) - margin);
      columnUpper[column] = Math.min(upper, Math.ceil(values[column] - 1e-7) + margin);
    }
  }

  private addComingAndGoing(): void {
    const { k, patterns } = this.request;
    for (let p = 0; p < patterns.counts.length; p++) {
      for (let m = 0; m < k; m++) {
        const here = this.current[p * k + m];
        if (patterns.counts[p] > here) this.addMove({ pattern: p, from: -1, to: m }, 1, patterns.counts[p] - here);
        if (here > 0) this.addMove({ pattern: p, from: m, to: -1 }, 0, here);
      }
      for (let m = 0; m < k; m++) {
        for (const [column, sign] of this.changes[p * k + m]) this.program.addEntry(column, sign);
      }
      this.program.closeRow(0, 0);
    }
  }

  private addPairs(moveCost: MoveCost): void {
    const { k, patterns } = this.request;
    for (let p = 0; p < patterns.counts.length; p++) {
      for (let from = 0; from < k; from++) {
        const here = this.current[p * k + from];
        if (here === 0) continue;
        for (let to = 0; to < k; to++) {
          if (to === from) continue;
          this.program.addEntry(this.addMove({ pattern: p, from, to }, moveCost(p, from, to), here), 1);
        }
        if (k > 1) this.program.closeRow(0, here);
      }
    }
  }

  private addMove(move: PatternMove, cost: number, most: number): number {
    const column = this.program.addColumn(cost, 0, most, true);
    this.moves.push(move);
    const row = move.pattern * this.request.k;
    if (move.from >= 0) this.changes[row + move.from].push([column, -1]);
    if (move.to >= 0) this.changes[row + move.to].push([column, 1]);
    return column;
  }

  private addClusters(ascending: boolean): void {
    const { k, sizes, bounds, tolerance, patterns, n } = this.request;
    const { program } = this;
    const everyone = Array.from({ length: patterns.counts.length }, (_, p) => p);
    const slack = tolerance + 1e-9;
    let before = -1;
    for (let m = 0; m < k; m++) {
      const { min, max } = sizesIn(sizes, m);
      const size = this.addTotal(everyone, m, Math.max(0, min), Math.min(n, max));
      if (ascending && before >= 0) {
        program.addEntry(size, 1);
        program.addEntry(before, -1);
        program.closeRow(0, n);
      }
      before = size;
      for (let a = 0; a < bounds.length; a++) {
        const { groups, counts, upper } = bounds[a];
        for (let l = 0; l < groups.length; l++) {
          if (isFree(bounds[a], l)) continue;
          const inGroup = everyone.filter((p) => patterns.codes[a][p] === l);
          const members = this.addTotal(inGroup, m, 0, counts[l]);
          const before = presentIn(bounds[a], l, m);
          const already = (share: number) => before.members - share * before.everyone;
          const lower = lowerIn(bounds[a], l, m);
          if (lower > 0) this.addShare(members, size, lower, -slack - already(lower), n);
          if (upper[l] < 1) this.addShare(members, size, upper[l], -n, slack - already(upper[l]));
        }
      }
    }
  }

  /** A column that equals the people of these patterns in cluster m. */
  private addTotal(patterns: readonly number[], m: number, lower: number, upper: number): number {
    const total = this.program.addColumn(0, lower, upper, true);
    let now = 0;
    for (const p of patterns) {
      const cell = p * this.request.k + m;
      now += this.current[cell];
      for (const [column, sign] of this.changes[cell]) this.program.addEntry(column, sign);
    }
    this.program.addEntry(total, -1);
    this.program.closeRow(-now, -now);
    return total;
  }

  private addShare(members: number, size: number, share: number, lower: number, upper: number): void {
    this.program.addEntry(members, 1);
    if (share !== 0) this.program.addEntry(size, -share);
    this.program.closeRow(lower, upper);
  }
}
