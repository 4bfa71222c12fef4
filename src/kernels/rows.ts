import type { WeighedMove } from "./best-moves.js";
import type { Lane } from "./lanes.js";
import { type Range, tile } from "./sharded.js";
import { fours, ScoredRows } from "./weighing.js";
import { type WideSum, wideStep } from "./wide-sums.js";

export type { Range } from "./sharded.js";
export type { Scoring } from "./weighing.js";

/** What was seen of a column. */
export interface ColumnSurvey {
  /** The largest magnitude. */
  readonly top: number;
  readonly sum: number;
  readonly squares: number;
}

/** Something that has stretches of a column copied in single precision to `into` from `at`. */
interface ColumnReader {
  read(from: number, to: number, into: Float32Array, at: number): void;
}

/** A column: an array, or its reader. One that can be taken over is not kept twice. */
export type RowSource =
  | ArrayLike<number>
  | (ColumnReader & {
      readonly length: number;
      /** As `read`, for the last time: the rows are let go of. */
      take?(from: number, to: number, into: Float32Array, at: number): void;
      /** All rows were taken, and this reads them from here on. */
      takenBy?(reader: ColumnReader): void;
    });

/** Values of a digit of eight bits, and for how many columns and clusters digits are counted at once. */
const digits = 256;
const mostCells = 4096;

/** The number of single precision at a place in the order of all of them, see `orderOf` in assembly/manhattan.ts. */
function numberAt(order: number): number {
  const bits = order & 0x80000000 ? order ^ 0x80000000 : ~order;
  // Not -0.
  return new Float32Array(Int32Array.of(bits).buffer)[0] + 0;
}

type Four = [number, number, number, number];

/**
 * A table of whole-number coordinates, dealt over lanes, with a label and a pattern for each row. Which lane holds a row
 * never shows in a result: all sums are of whole numbers and exact.
 */
export class Rows extends ScoredRows {
  /** The most rows whose coordinates single precision can add up exactly. */
  private reach = 0;
  /** What a coordinate of 1 stands for. */
  private step = 1;
  /** Whether others read their columns here, also when all else is closed. */
  private hasTaken = false;

  /**
   * Brings in everybody's values, which are kept in single precision. Says of each column what was seen on the way. While
   * a lane sorts some rows into its tiles, the next are copied.
   */
  async load(columns: readonly RowSource[]): Promise<ColumnSurvey[]> {
    const surveys = await Promise.all(this.lanes.map((lane, index) => this.bring(lane, index, columns)));
    const places = this.lanes.map((_, index) => this.get(index, "x"));
    columns.forEach((column, j) => {
      if (!("takenBy" in column)) return;
      column.takenBy?.(this.reader(j, places));
      this.hasTaken = true;
    });
    return columns.map((_, j) => ({
      top: Math.max(...surveys.map((survey) => survey[j].top)),
      sum: surveys.reduce((total, survey) => total + survey[j].sum, 0),
      squares: surveys.reduce((total, survey) => total + survey[j].squares, 0),
    }));
  }

  private async bring(lane: Lane, index: number, columns: readonly RowSource[]): Promise<ColumnSurvey[]> {
    const { chunk } = this;
    const rows = this.get(index, "rows");
    const most = Math.min(chunk, Math.ceil(rows / tile) * tile);
    const stages = ["stage", "other stage"].map((name) => this.buffer(lane, index, name, most * this.dims * 4));
    const survey = this.buffer(lane, index, "survey", this.dims * 48);
    new Uint8Array(lane.arena.memory.buffer, survey, this.dims * 48).fill(0);
    const calls: (number | Promise<number>)[] = [];
    for (let from = 0; from < rows; from += chunk) {
      const at = stages[calls.length % 2];
      await calls[calls.length - 2];
      const count = Math.min(chunk, rows - from);
      this.stage(lane, index, columns, { from, to: from + count }, at);
      calls.push(lane.call("fill", this.shards[index], from, count, at, survey));
    }
    await calls.at(-1);
    const { buffer } = lane.arena.memory;
    return columns.map((_, j) => {
      const [sum, sum2, squares, squares2] = new Float64Array(buffer, survey + j * 48 + 16, 4) as unknown as Four;
      return {
        top: Math.max(...new Float32Array(buffer, survey + j * 48, 4)),
        sum: sum + sum2,
        squares: squares + squares2,
      };
    });
  }

  /** Copies at most a chunk of local rows, in all columns, to where a lane can reach them. */
  private stage(lane: Lane, index: number, columns: readonly RowSource[], { from, to }: Range, at: number) {
    const stride = Math.ceil((to - from) / tile) * tile;
    const stage = new Float32Array(lane.arena.memory.buffer, at, stride * this.dims);
    // The padding of the last tile must be 0.
    if (stride > to - from) stage.fill(0);
    const first = this.globalRow(index, from);
    const end = first + to - from;
    for (let j = 0, place = 0; j < columns.length; j++, place += stride) {
      const column = columns[j];
      if ("take" in column && column.take) column.take(first, end, stage, place);
      else if ("read" in column) column.read(first, end, stage, place);
      else if (ArrayBuffer.isView(column)) stage.set((column as Float64Array).subarray(first, end), place);
      else for (let row = first; row < end; row++) stage[place + row - first] = column[row];
    }
  }

  override close(): void {
    super.close(this.hasTaken ? ["x"] : []);
  }

  /** A column as it is here: once it was snapped, on the grid. */
  private reader(j: number, places: readonly number[]): ColumnReader {
    const read: ColumnReader["read"] = (from, to, into, at) => {
      for (let row = from; row < to; ) {
        const [index, local] = this.place(row);
        const end = Math.min(to, row - (row % this.chunk) + this.chunk);
        const x = new Float32Array(this.lanes[index].arena.memory.buffer, places[index]);
        for (let i = local; row < end; i++, row++) {
          into[at + row - from] = x[((i >> 4) * this.dims + j) * tile + (i & 15)] * this.step;
        }
      }
    };
    return { read };
  }

  /** The coordinates of some rows on the grid, column after column. */
  pick(rows: Uint32Array): Float32Array[] {
    const { dims, step } = this;
    const picked = Array.from({ length: dims }, () => new Float32Array(rows.length));
    const tiles = this.lanes.map((lane, index) => new Float32Array(lane.arena.memory.buffer, this.get(index, "x")));
    for (let i = 0; i < rows.length; i++) {
      const [index, local] = this.place(rows[i]);
      const first = (local >> 4) * dims * tile + (local & 15);
      for (let j = 0; j < dims; j++) picked[j][i] = tiles[index][first + j * tile] * step;
    }
    return picked;
  }

  /** Turns all coordinates into whole multiples of the grid's step. Returns each column's sum of squares, exact from here on. */
  async snap(scale: number): Promise<Float64Array> {
    const out = this.lanes.map((lane, index) => this.buffer(lane, index, "squares", this.dims * 16));
    this.each((lane, index) => new Uint8Array(lane.arena.memory.buffer, out[index], this.dims * 16).fill(0));
    let top = 1;
    // In stretches: a kernel's first call runs before it is optimised, however long it is.
    const stretch = 64 * this.chunk;
    for (let from = 0; from < this.n; from += stretch) {
      const range = { from, to: Math.min(this.n, from + stretch) };
      const tops = await this.all("snap", (index) => [...this.local(range, index), scale, out[index]]);
      top = Math.max(top, ...tops);
    }
    this.reach = Math.min(65_536, Math.floor(2 ** 24 / top));
    this.step /= scale;
    return Float64Array.from({ length: this.dims }, (_, j) => {
      const parts = this.lanes.map((lane, index) => new Float64Array(lane.arena.memory.buffer, out[index] + j * 16, 2));
      return parts.reduce((total, [low, high]) => total + low! + high!, 0);
    });
  }

  /** Each column's sum of squares, of rows that count for so many people each. */
  weightedSquares(people: Float64Array): WideSum[] {
    const { dims } = this;
    const [high, low] = [new Float64Array(dims), new Float64Array(dims)];
    this.each((lane, index) => {
      const x = new Float32Array(lane.arena.memory.buffer, this.get(index, "x"));
      for (let row = 0; row < this.get(index, "rows"); row++) {
        const weight = people[this.globalRow(index, row)];
        const at = (row >> 4) * dims * tile + (row & 15);
        for (let j = 0; j < dims; j++) {
          const square = x[at + j * tile] ** 2;
          const above = Math.floor(square / wideStep);
          high[j] += weight * above;
          low[j] += weight * (square - above * wideStep);
        }
      }
    });
    return Array.from(high, (sum, j) => [sum, low[j]]);
  }

  /**
   * Makes room for k clusters and so many patterns, with nobody in any cluster. Distances are squared, or Manhattan ones. `people` says how
   * many each row counts for, where that is not one.
   */
  begin(k: number, patterns: number, codes?: Uint16Array, manhattan = false, people?: Float64Array): void {
    this.manhattan = manhattan;
    this.room(k, patterns);
    this.each((lane, index) => {
      this.f64(index, "sums", k * this.dims).fill(0);
      this.f64(index, "counts", patterns * k).fill(0);
      const rows = this.get(index, "rows");
      // Those who fill up the last tile are weighed with the others, and nobody looks at what comes of it.
      this.u16(index, "pattern", Math.ceil(rows / tile) * tile).fill(0);
      const pattern = this.u16(index, "pattern", rows);
      if (codes) this.deal(codes, { from: 0, to: this.n }, index, pattern);
      this.u16(index, "label", Math.ceil(rows / tile) * tile).fill(0xffff);
      this.f32(index, "margin", rows).fill(Number.NEGATIVE_INFINITY);
      this.f32(index, "tallies", k * fours(this.dims)).fill(0);
      this.set(index, "tallied", 0);
      // Single precision holds no sums of weights.
      this.set(index, "reach", people ? 0 : this.reach);
      this.set(index, "people", people ? this.buffer(lane, index, "people", rows * 8) : 0);
      if (people) this.deal(people, { from: 0, to: this.n }, index, this.f64(index, "people", rows));
      this.set(index, "manhattan", manhattan ? 1 : 0);
    });
  }

  /** Everybody in the range takes the best cluster. Returns how many moved. */
  async decide(range: Range, ownFirst: boolean): Promise<number> {
    this.refresh(range);
    const moved = await this.all("decide", (index) => [...this.local(range, index), ownFirst ? 1 : 0, 0]);
    return moved.reduce((total, part) => total + part, 0);
  }

  /** As `decide`, but only says what everybody would choose. */
  async choose(range: Range, ownFirst: boolean): Promise<Uint16Array> {
    this.refresh(range);
    const out = this.outputs(range, 2);
    await this.all("decide", (index) => [...this.local(range, index), ownFirst ? 1 : 0, out[index]]);
    return this.gather(
      range,
      new Uint16Array(range.to - range.from),
      1,
      (index, length) => new Uint16Array(this.lanes[index].arena.memory.buffer, out[index], length),
    );
  }

  /** The scores of the range, row after row. */
  async scores(range: Range): Promise<Float64Array> {
    const out = this.outputs(range, this.k * 8);
    await this.all("scores", (index) => [...this.local(range, index), out[index]]);
    return this.gather(
      range,
      new Float64Array((range.to - range.from) * this.k),
      this.k,
      (index, length) => new Float64Array(this.lanes[index].arena.memory.buffer, out[index], length),
    );
  }

  /** Takes over labels that were decided elsewhere. */
  async adopt(range: Range, labels: Uint16Array): Promise<number> {
    const input = this.outputs(range, 2);
    this.each((lane, index) => {
      const [from, to] = this.local(range, index);
      this.deal(labels, range, index, new Uint16Array(lane.arena.memory.buffer, input[index], to - from));
    });
    const moved = await this.all("adopt", (index) => [...this.local(range, index), input[index]]);
    return moved.reduce((total, part) => total + part, 0);
  }

  /** Takes over the labels of some rows. */
  async relabel(rows: Uint32Array, labels: Uint16Array): Promise<number> {
    const shares = this.lanes.map(() => ({ rows: [] as number[], labels: [] as number[] }));
    for (let i = 0; i < rows.length; i++) {
      const [index, local] = this.place(rows[i]);
      shares[index].rows.push(local);
      shares[index].labels.push(labels[i]);
    }
    const input = this.lanes.map((lane, index) => {
      const share = shares[index];
      const at = this.buffer(lane, index, "relabel", share.rows.length * 6);
      new Uint32Array(lane.arena.memory.buffer, at, share.rows.length).set(share.rows);
      new Uint16Array(lane.arena.memory.buffer, at + share.rows.length * 4, share.rows.length).set(share.labels);
      return at;
    });
    const moved = await this.all("relabel", (index) => {
      const count = shares[index].rows.length;
      return [count, input[index], input[index] + count * 4];
    });
    return moved.reduce((total, part) => total + part, 0);
  }

  /** The cheapest gaining move from each cluster to each other one, of each range; in no order, ties go to the lowest row. */
  async bestMoves(ranges: readonly Range[]): Promise<WeighedMove[]> {
    this.refresh({ from: 0, to: this.n });
    const best: WeighedMove[] = [];
    for (const range of ranges) {
      const changed = await this.changedClusters(range.from === 0 && range.to === this.n);
      const out = this.lanes.map((lane, index) => this.buffer(lane, index, "moves", this.k * this.k * 4));
      const counts = await this.all("bestMoves", (index) => [...this.local(range, index), changed[index], out[index]]);
      for (const move of this.leastOfLanes(out, counts)) best.push(move);
    }
    return best;
  }

  /**
   * Which clusters have changed since the moves of everybody were last looked for, by lane: bit 0 for those who are in one, since somebody left or
   * joined or keeping it costs something else, bit 1 for those who may join it. All of them where that is not known, or where only some people are asked about.
   */
  private async changedClusters(everyone: boolean): Promise<number[]> {
    const { k, scoring, lookedUnder: before } = this;
    this.lookedUnder = everyone ? scoring : undefined;
    const now = scoring!;
    const flags = new Uint8Array(k).fill(3);
    if (everyone && before?.jitter === now.jitter) {
      flags.fill(0);
      for (let m = 0; m < k; m++) {
        if (now.ownWeight[m] !== before.ownWeight[m]) flags[m] |= 1;
        if (now.weight[m] !== before.weight[m]) flags[m] |= 2;
      }
    }
    const at = this.lanes.map((lane, index) => {
      const start = this.buffer(lane, index, "changed", k);
      new Uint8Array(lane.arena.memory.buffer, start, k).set(flags);
      return start;
    });
    if (!everyone) return at;
    await this.all("markChanged", (index) => {
      const rows = this.get(index, "rows");
      const people = this.buffer(this.lanes[index], index, "looked people", rows * 4);
      const offsets = this.buffer(this.lanes[index], index, "looked offsets", this.patterns * k * 16);
      return [people, people + rows * 2, offsets, at[index]];
    });
    return at;
  }

  /** Of the moves in each lane's cells, so many of which are listed, the best of each cell. */
  private leastOfLanes(lists: readonly number[], counts: readonly number[]): Iterable<WeighedMove> {
    const { k } = this;
    const best = new Map<number, WeighedMove>();
    this.each((lane, index) => {
      const cells = this.f64(index, "cells", k * k * 2);
      for (const cell of new Uint32Array(lane.arena.memory.buffer, lists[index], counts[index])) {
        const gap = cells[2 * cell];
        const row = this.globalRow(index, cells[2 * cell + 1]);
        const known = best.get(cell);
        if (known && (known.gap < gap || (known.gap === gap && known.row < row))) continue;
        best.set(cell, { gap, row, from: Math.floor(cell / k), cluster: cell % k });
      }
    });
    return best.values();
  }

  /** Distances of everybody to a point in grid units. */
  async distancesTo(point: Float64Array): Promise<Float64Array> {
    const out = this.outputs({ from: 0, to: this.n }, 8);
    const at = this.lanes.map((lane, index) => this.buffer(lane, index, "point", this.dims * 8));
    this.each((lane, index) => new Float64Array(lane.arena.memory.buffer, at[index], this.dims).set(point));
    return this.distancesBy("distancesTo", out, (index) => [at[index]]);
  }

  /** What a kernel says of everybody's distance. */
  private async distancesBy(
    kernel: "distancesTo" | "distancesToOwn",
    out: readonly number[],
    args: (index: number) => number[],
  ): Promise<Float64Array> {
    await this.all(kernel, (index) => [...args(index), out[index]]);
    return this.gather(
      { from: 0, to: this.n },
      new Float64Array(this.n),
      1,
      (index, length) => new Float64Array(this.lanes[index].arena.memory.buffer, out[index], length),
    );
  }

  /** The lower median of each cluster in each column, [k][dims], given how many people are in each; NaN where nobody is. */
  async medians(sizes: ArrayLike<number>): Promise<Float64Array> {
    const { k, dims } = this;
    const medians = new Float64Array(k * dims).fill(Number.NaN);
    const columns = Math.max(1, Math.min(dims, Math.floor(mostCells / k)));
    for (let from = 0; from < dims; from += columns) {
      const count = Math.min(columns, dims - from);
      const orders = await this.medianOrders(from, count, sizes);
      for (let j = 0; j < count; j++) {
        for (let m = 0; m < k; m++) if (sizes[m] > 0) medians[m * dims + from + j] = numberAt(orders[j * k + m]);
      }
    }
    return medians;
  }

  /** Where the medians of some columns are in the order of all numbers, [columns][k]: found digit by digit from counts of people. */
  private async medianOrders(from: number, count: number, sizes: ArrayLike<number>): Promise<Uint32Array> {
    const { k } = this;
    const known = new Uint32Array(count * k);
    const before = Float64Array.from(known, (_, cell) => Math.floor((sizes[cell % k] - 1) / 2));
    const tables = this.lanes.map((lane, index) => this.buffer(lane, index, "digits", known.length * (digits + 1) * 4));
    for (let shift = 24; shift >= 0; shift -= 8) {
      this.each((lane, index) => {
        new Uint32Array(lane.arena.memory.buffer, tables[index] + known.length * digits * 4, known.length).set(known);
      });
      await this.all("countDigits", (index) => [from, count, shift, tables[index]]);
      const found = this.lanes.map((lane, index) => {
        return new Uint32Array(lane.arena.memory.buffer, tables[index], known.length * digits);
      });
      for (let cell = 0; cell < known.length; cell++) {
        let digit = 0;
        for (; digit < digits - 1; digit++) {
          const people = found.reduce((sum, counts) => sum + counts[cell * digits + digit], 0);
          if (before[cell] < people) break;
          before[cell] -= people;
        }
        known[cell] = ((known[cell] << 8) | digit) >>> 0;
      }
    }
    return known;
  }

  /** Everybody's Manhattan distance to these centres ([k][dims], in grid units) of their clusters, all together. */
  async sumAround(centres: Float64Array): Promise<number> {
    const { dims } = this;
    const at = this.lanes.map((lane, index) => this.buffer(lane, index, "around", (centres.length + dims) * 8));
    this.each((lane, index) => new Float64Array(lane.arena.memory.buffer, at[index], centres.length).set(centres));
    await this.all("sumAround", (index) => [at[index], at[index] + centres.length * 8]);
    return this.lanes.reduce((total, lane, index) => {
      const sums = new Float64Array(lane.arena.memory.buffer, at[index] + centres.length * 8, dims);
      return total + sums.reduce((sum, column) => sum + column, 0);
    }, 0);
  }

  /** Everybody's distance to the centre of their own cluster, in grid units. */
  async distancesToOwn(): Promise<Float64Array> {
    return this.distancesBy("distancesToOwn", this.outputs({ from: 0, to: this.n }, 8), () => []);
  }

  /** A row's coordinates in grid units. */
  row(row: number): Float64Array {
    const [index, local] = this.place(row);
    const x = new Float32Array(this.lanes[index].arena.memory.buffer, this.get(index, "x"));
    return Float64Array.from({ length: this.dims }, (_, j) => x[((local >> 4) * this.dims + j) * tile + (local & 15)]);
  }

  setPattern(row: number, code: number): void {
    const [index, local] = this.place(row);
    this.u16(index, "pattern", local + 1)[local] = code;
    this.f32(index, "margin", local + 1)[local] = Number.NEGATIVE_INFINITY;
  }

  /** The labels of some rows. */
  labelsOf(rows: Uint32Array): Uint16Array {
    const labels = this.lanes.map((_, index) =>
      this.u16(index, "label", this.local({ from: 0, to: this.n }, index)[1]),
    );
    return new Uint16Array(rows.length).map((_, at) => {
      const [index, local] = this.place(rows[at]);
      return labels[index][local];
    });
  }

  labels(range: Range = { from: 0, to: this.n }): Uint16Array {
    return this.gather(range, new Uint16Array(range.to - range.from), 1, (index, length) => {
      const [from] = this.local(range, index);
      return this.u16(index, "label", from + length).subarray(from);
    });
  }

  /** Adds what the last calls changed to the caller's sums ([k][dims]) and counts ([patterns][k]), and clears it here. */
  collect(sums: Float64Array, counts: Float64Array): void {
    this.each((_, index) => {
      const partSums = this.f64(index, "sums", this.k * this.dims);
      const partCounts = this.f64(index, "counts", this.patterns * this.k);
      for (let i = 0; i < partSums.length; i++) sums[i] += partSums[i];
      for (let i = 0; i < partCounts.length; i++) counts[i] += partCounts[i];
      partSums.fill(0);
      partCounts.fill(0);
    });
  }
}
