import { rows as rowKernels } from "../../dist/embedded/rows-kernels.js";
import { ThreadPool } from "../host/pool.js";
import { compiledModule } from "../kernels/module.js";
import type { ScaledFeature } from "../table/coordinates.js";
import { blockBytes, dimensionsIn } from "../table/dimension.js";
import { chunkLength, scalingOf } from "../table/scale.js";
import type { Moments, Scaling } from "../table/types.js";
import type { ArrayShape } from "./numbers.js";
import type { PipeColumn, PipeColumnTask, RowSums, RowsTask, ScalingTask } from "./scaling-tasks.js";

/** A table of numbers, none of them missing, that is about to come. */
export interface ComingTable extends ArrayShape {
  readonly type: "float64" | "float32";
}

/** Kept from table to table: to start a thread takes longer than a small part of a table. */
const started: ThreadPool[] = [];

/**
 * Reads a table in so many threads, and makes coordinates of its columns: the same ones as if the columns had come one by one. While
 * one thread reads, the others make room for what they read next, or add up what they have read.
 */
export function scaledFrom(
  input: number,
  table: ComingTable,
  scale: Scaling,
  threads: number,
): Promise<ScaledFeature[]> {
  while (started.length < threads) started.push(new ThreadPool("scaling", 1));
  const crew = started.slice(0, threads);
  return table.order === "rows" ? fromRows(crew, input, table, scale) : fromColumns(crew, input, table, scale);
}

function fromColumns(
  crew: readonly ThreadPool[],
  input: number,
  { type, rows, columns }: ComingTable,
  scale: Scaling,
): Promise<ScaledFeature[]> {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const scaled = async (column: number): Promise<ScaledFeature> => {
    const task: PipeColumnTask = { step: "column", input, turn, type, rows, column, scale };
    const { found, coordinates } = (await crew[column % crew.length].run(task)) as PipeColumn;
    const [dimension] = dimensionsIn([coordinates], rows, rows, 1);
    return { found, dimension };
  };
  return Promise.all(Array.from({ length: columns }, (_, column) => scaled(column)));
}

async function fromRows(
  crew: readonly ThreadPool[],
  input: number,
  { type, rows, columns }: ComingTable,
  scale: Scaling,
): Promise<ScaledFeature[]> {
  const perStretch = rowsOfStretch(rows, columns, crew.length);
  const stretches = Array.from({ length: Math.ceil(rows / perStretch) }, (_, stretch) => stretch);
  const shares = crew.map((_, index) => stretches.filter((stretch) => stretch % crew.length === index));
  /** What the threads answer, by stretch. */
  const ask = (task: ScalingTask) => Promise.all(crew.map((thread) => thread.run(task)));
  const inOrder = <T>(answers: readonly (readonly T[])[]) =>
    stretches.map((stretch) => answers[stretch % crew.length][Math.floor(stretch / crew.length)]);

  const turn = new Int32Array(new SharedArrayBuffer(4));
  const module = compiledModule(rowKernels, "plain", true);
  const reading = { step: "rows", input, turn, type, rows, columns, perStretch, module } as const;
  const read = crew.map((thread, index) => thread.run({ ...reading, stretches: shares[index] } satisfies RowsTask));
  const answers = (await Promise.all(read)) as RowSums[];
  const means = totals(inOrder(answers.map(({ sums }) => sums)), columns).map((sum) => sum / rows);
  const squares = totals(inOrder((await ask({ step: "squares", means })) as Float64Array[][]), columns);
  const found = Array.from(means, (mean, j): Moments => {
    const min = Math.min(...answers.map(({ extremes }) => extremes[j]));
    const max = Math.max(...answers.map(({ extremes }) => extremes[columns + j]));
    return { mean, deviation: Math.sqrt(squares[j] / rows), min, max };
  });
  const scalings = found.map((each) => scalingOf(each, scale));
  const [shifts, scales] = [
    Float64Array.from(scalings, ({ shift }) => shift),
    Float64Array.from(scalings, (each) => each.scale),
  ];
  const blocks = inOrder((await ask({ step: "scale", shifts, scales })) as Float32Array[][]);
  const dimensions = dimensionsIn(blocks, rows, perStretch, columns);
  return found.map((each, j) => ({ found: each, dimension: dimensions[j] }));
}

/** As many for each thread, and of whole chunks, so that sums are added up in the same order for any number of threads. */
function rowsOfStretch(rows: number, columns: number, threads: number): number {
  const rounds = Math.max(1, Math.floor((rows * columns * 8) / (blockBytes * threads)));
  return Math.ceil(rows / (rounds * threads) / chunkLength) * chunkLength;
}

function totals(stretches: readonly Float64Array[], columns: number): Float64Array {
  const sums = new Float64Array(columns);
  for (const chunks of stretches) {
    for (let at = 0; at < chunks.length; at += columns) for (let j = 0; j < columns; j++) sums[j] += chunks[at + j];
  }
  return sums;
}
