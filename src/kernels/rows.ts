import { BestMoves, type WeighedMove } from "./moves.js";
import { chunk, type Range, tile } from "./sharded.js";
import { Weighed } from "./weighing.js";

export type { Range } from "./sharded.js";
export type { Scoring } from "./weighing.js";

/**
 * A table of whole-number coordinates, dealt over lanes, with a label and a pattern for each row. Which lane holds a row
 * never shows in a result: all sums are of whole numbers and exact.
 */
export class Rows extends Weighed {
  /**
   * Brings in one dimension of everybody. Values are kept in single precision. The next but one may be brought in before
   * this one is done: copying here and sorting into tiles there take turns.
   */
  async load(dimension: number, column: ArrayLike<number>): Promise<void> {
    const staged = this.lanes.map((lane, index) => {
      const rows = this.get(index, "rows");
      const at = this.buffer(lane, index, `stage${dimension % 2}`, rows * 4);
      const stage = new Float32Array(lane.arena.memory.buffer, at, rows);
      for (let local = 0; local < rows; local += chunk) {
        const from = this.globalRow(index, local);
        const to = Math.min(from + chunk, this.n);
        if (ArrayBuffer.isView(column)) stage.set((column as Float64Array).subarray(from, to), local);
        else for (let row = from; row < to; row++) stage[local + row - from] = column[row]!;
      }
      return at;
    });
    await this.all("fill", (index) => [dimension, staged[index]!]);
  }

  /** The largest magnitude, sum and sum of squares of each dimension. */
  async survey(): Promise<{ top: number; sum: number; squares: number }[]> {
    const out = this.lanes.map((lane, index) => this.buffer(lane, index, "survey", this.dims * 48));
    await this.all("survey", (index) => [out[index]!]);
    return Array.from({ length: this.dims }, (_, dimension) => {
      const total = { top: 0, sum: 0, squares: 0 };
      this.each((lane, index) => {
        const place = new Float64Array(lane.arena.memory.buffer, out[index]! + dimension * 24, 3);
        total.top = Math.max(total.top, place[0]!);
        total.sum += place[1]!;
        total.squares += place[2]!;
      });
      return total;
    });
  }

  /** Turns all coordinates into whole multiples of the grid's step. Their sums are exact from here on. */
  async snap(scale: number): Promise<void> {
    await this.all("snap", () => [scale]);
  }

  /** Makes room for k clusters and so many patterns, with nobody in any cluster. */
  async begin(k: number, patterns: number, codes?: Uint16Array): Promise<void> {
    this.room(k, patterns);
    this.each((_, index) => {
      this.f64(index, "sums", k * this.dims).fill(0);
      this.f64(index, "counts", patterns * k).fill(0);
      const rows = this.get(index, "rows");
      const pattern = this.u16(index, "pattern", rows);
      if (codes) this.deal(codes, { from: 0, to: this.n }, index, pattern);
      else pattern.fill(0);
      this.u16(index, "label", rows).fill(0xffff);
      this.f32(index, "margin", rows).fill(Number.NEGATIVE_INFINITY);
    });
    await this.all("norms", () => []);
  }

  /** Everybody in the range takes the best cluster. Returns how many moved. */
  async decide(range: Range, ownFirst: boolean): Promise<number> {
    this.refresh();
    const moved = await this.all("decide", (index) => [...this.local(range, index), ownFirst ? 1 : 0, 0]);
    return moved.reduce((total, part) => total + part, 0);
  }

  /** As `decide`, but only says what everybody would choose. */
  async choose(range: Range, ownFirst: boolean): Promise<Uint16Array> {
    this.refresh();
    const out = this.outputs(range, 2);
    await this.all("decide", (index) => [...this.local(range, index), ownFirst ? 1 : 0, out[index]!]);
    return this.gather(
      range,
      new Uint16Array(range.to - range.from),
      1,
      (index, length) => new Uint16Array(this.lanes[index]!.arena.memory.buffer, out[index]!, length),
    );
  }

  /** The scores of the range, row after row. */
  async scores(range: Range): Promise<Float64Array> {
    const out = this.outputs(range, this.k * 8);
    await this.all("scores", (index) => [...this.local(range, index), out[index]!]);
    return this.gather(
      range,
      new Float64Array((range.to - range.from) * this.k),
      this.k,
      (index, length) => new Float64Array(this.lanes[index]!.arena.memory.buffer, out[index]!, length),
    );
  }

  /** Takes over labels that were decided elsewhere. */
  async adopt(range: Range, labels: Uint16Array): Promise<number> {
    const input = this.outputs(range, 2);
    this.each((lane, index) => {
      const [from, to] = this.local(range, index);
      this.deal(labels, range, index, new Uint16Array(lane.arena.memory.buffer, input[index]!, to - from));
    });
    const moved = await this.all("adopt", (index) => [...this.local(range, index), input[index]!]);
    return moved.reduce((total, part) => total + part, 0);
  }

  /** Takes over the labels of some rows. */
  async relabel(rows: Uint32Array, labels: Uint16Array): Promise<number> {
    const shares = this.lanes.map(() => ({ rows: [] as number[], labels: [] as number[] }));
    for (let i = 0; i < rows.length; i++) {
      const [index, local] = this.place(rows[i]!);
      shares[index]!.rows.push(local);
      shares[index]!.labels.push(labels[i]!);
    }
    const input = this.lanes.map((lane, index) => {
      const share = shares[index]!;
      const at = this.buffer(lane, index, "relabel", share.rows.length * 6);
      new Uint32Array(lane.arena.memory.buffer, at, share.rows.length).set(share.rows);
      new Uint16Array(lane.arena.memory.buffer, at + share.rows.length * 4, share.rows.length).set(share.labels);
      return at;
    });
    const moved = await this.all("relabel", (index) => {
      const count = shares[index]!.rows.length;
      return [count, input[index]!, input[index]! + count * 4];
    });
    return moved.reduce((total, part) => total + part, 0);
  }

  /** The cheapest gaining move of the range from each cluster to each other one, in no order; ties go to the lowest row. */
  async bestMoves(range: Range): Promise<WeighedMove[]> {
    this.refresh();
    const cells = this.k * this.k;
    const out = this.lanes.map((lane, index) => this.buffer(lane, index, "moves", cells * 16));
    await this.all("bestMoves", (index) => [...this.local(range, index), out[index]!]);
    const best = new BestMoves(this.k);
    this.each((lane, index) => {
      const found = new Float64Array(lane.arena.memory.buffer, out[index]!, cells * 2);
      for (let cell = 0; cell < cells; cell++) {
        const local = found[2 * cell + 1]!;
        if (local < 0) continue;
        best.offer(this.globalRow(index, local), Math.floor(cell / this.k), cell % this.k, found[2 * cell]!);
      }
    });
    return best.list();
  }

  /** Squared distances of everybody to a point in grid units. */
  async distancesTo(point: Float64Array): Promise<Float64Array> {
    const everyone = { from: 0, to: this.n };
    const out = this.outputs(everyone, 8);
    const at = this.lanes.map((lane, index) => this.buffer(lane, index, "point", this.dims * 8));
    this.each((lane, index) => new Float64Array(lane.arena.memory.buffer, at[index]!, this.dims).set(point));
    await this.all("distancesTo", (index) => [at[index]!, out[index]!]);
    return this.gather(
      everyone,
      new Float64Array(this.n),
      1,
      (index, length) => new Float64Array(this.lanes[index]!.arena.memory.buffer, out[index]!, length),
    );
  }

  /** A row's coordinates in grid units. */
  row(row: number): Float64Array {
    const [index, local] = this.place(row);
    const x = new Float32Array(this.lanes[index]!.arena.memory.buffer, this.get(index, "x"));
    return Float64Array.from({ length: this.dims }, (_, j) => x[((local >> 4) * this.dims + j) * tile + (local & 15)]!);
  }

  setPattern(row: number, code: number): void {
    const [index, local] = this.place(row);
    this.u16(index, "pattern", local + 1)[local] = code;
    this.f32(index, "margin", local + 1)[local] = Number.NEGATIVE_INFINITY;
  }

  label(row: number): number {
    const [index, local] = this.place(row);
    return this.u16(index, "label", local + 1)[local]!;
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
      for (let i = 0; i < partSums.length; i++) sums[i]! += partSums[i]!;
      for (let i = 0; i < partCounts.length; i++) counts[i]! += partCounts[i]!;
      partSums.fill(0);
      partCounts.fill(0);
    });
  }
}
