// A thread that reads parts of a table of numbers from a pipe, in turn with others, and makes coordinates of them.
import { answer, serve } from "../host/worker.js";
import { RowScaler } from "../kernels/row-scaler.js";
import { free } from "../table/garbage.js";
import { chunkLength, type FloatArray, moments, rescale, scalingOf } from "../table/scale.js";
import { bytesOf, numberArrays } from "./numbers.js";
import type { PipeColumn, PipeColumnTask, RowSums, RowsTask, ScalingTask } from "./scaling-tasks.js";
import { fillFrom } from "./transfer.js";

let held: HeldRows | undefined;

serve((asked) => {
  const task = asked as ScalingTask;
  if (task.step === "column") {
    const made = scaledColumn(task);
    answer(made, [made.coordinates.buffer as ArrayBuffer]);
  } else if (task.step === "rows") {
    held = new HeldRows(task);
    answer(held.read(task));
  } else if (task.step === "squares") answer(held?.squares(task.means));
  else {
    const blocks = held?.scaled(task.shifts, task.scales) ?? [];
    held = undefined;
    const memory = blocks.map(({ buffer }) => buffer as ArrayBuffer);
    answer(blocks, memory);
  }
});

/** Used again for each column. */
let room: FloatArray = new Float64Array(0);

function scaledColumn({ input, turn, type, rows, column, scale }: PipeColumnTask): PipeColumn {
  if (room.length !== rows || !(room instanceof numberArrays[type])) room = new numberArrays[type](rows);
  readInTurn(input, turn, column, room);
  const found = moments(room);
  const coordinates = new Float32Array(rows);
  rescale(room, { ...scalingOf(found, scale), mean: found.mean }, coordinates);
  return { found, coordinates };
}

/** Stretches of rows, from when they are read until they have become coordinates. */
class HeldRows {
  private readonly scaler: RowScaler;
  private readonly columns: number;
  private readonly perStretch: number;
  private readonly stretches: FloatArray[] = [];

  constructor({ module, columns, perStretch }: RowsTask) {
    this.scaler = new RowScaler(module, columns);
    this.columns = columns;
    this.perStretch = perStretch;
  }

  read({ input, turn, type, rows, stretches }: RowsTask): RowSums {
    const { columns, perStretch, scaler } = this;
    const extremes = new Float64Array(2 * columns);
    extremes.fill(Number.POSITIVE_INFINITY, 0, columns).fill(Number.NEGATIVE_INFINITY, columns);
    const sums = stretches.map((stretch) => {
      const values = new numberArrays[type](Math.min(perStretch, rows - stretch * perStretch) * columns);
      readInTurn(input, turn, stretch, values);
      this.stretches.push(values);
      return this.sumsOf(values, (chunk) => scaler.sums(chunk, extremes));
    });
    return { sums, extremes };
  }

  squares(means: Float64Array): Float64Array[] {
    return this.stretches.map((values) => this.sumsOf(values, (chunk) => this.scaler.squares(chunk, means)));
  }

  /** Each block but the first is made where the stretch before was: memory that was written to costs less than new memory. */
  scaled(shifts: Float64Array, scales: Float64Array): Float32Array[] {
    const length = this.perStretch * this.columns;
    let spare = new ArrayBuffer(4 * length);
    const blocks = this.stretches.map((values) => {
      const block = new Float32Array(spare, 0, length);
      this.scaler.coordinates(values, { shifts, scales, rows: this.perStretch }, block);
      spare = values.buffer as ArrayBuffer;
      return block;
    });
    free(spare);
    return blocks;
  }

  private sumsOf(values: FloatArray, sum: (chunk: FloatArray) => Float64Array): Float64Array {
    const length = chunkLength * this.columns;
    const sums = new Float64Array(Math.ceil(values.length / length) * this.columns);
    for (let from = 0, at = 0; from < values.length; from += length, at += this.columns) {
      sums.set(sum(values.subarray(from, from + length)), at);
    }
    return sums;
  }
}

/** In bytes; larger ones only mean that fewer are touched. */
const page = 4096;

function readInTurn(input: number, turn: Int32Array, own: number, into: FloatArray): void {
  // The system hands out memory when it is first written to. It does that here, while another thread reads.
  for (let at = 0, step = page / into.BYTES_PER_ELEMENT; at < into.length; at += step) into[at] = 0;
  for (let now = Atomics.load(turn, 0); now !== own; now = Atomics.load(turn, 0)) Atomics.wait(turn, 0, now);
  if (!fillFrom(input, bytesOf(into))) throw new Error("the pipe was closed within a message");
  Atomics.store(turn, 0, own + 1);
  Atomics.notify(turn, 0);
}
