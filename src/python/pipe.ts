import type { ScaledFeature } from "../table/coordinates.js";
import { type ArrayShape, bytesOf, type Numbers, type NumberType, numberArrays, typeOf } from "./numbers.js";
import { fillFrom, sendTo } from "./transfer.js";

/** A message: what JSON can say, and arrays of numbers, each as its columns. */
export interface PythonCall {
  readonly header: Readonly<Record<string, unknown>>;
  readonly arrays: readonly (readonly Numbers[])[];
  /** Of the first array, where somebody else has read it: its columns then have no numbers. */
  readonly scaled?: readonly ScaledFeature[] | undefined;
}

/** Reads the first array of a message itself, if it wants to. */
export type FirstReader = (
  header: PythonCall["header"],
  shape: ArrayShape,
  input: number,
) => Promise<readonly ScaledFeature[]> | undefined;

/** Of a column that somebody else has read. */
const nothing = new Float64Array(0);

/** How much is read at once where rows become columns: few enough bytes to stay in the processor's cache. */
const chunkBytes = 1 << 20;

/**
 * Messages over two file descriptors: the length of the header in four bytes, the header as JSON, and then the numbers of the
 * arrays that the header names, as they lie in memory. Reading waits: whoever reads has nothing else to do.
 */
export class PythonPipe {
  constructor(
    private readonly input: number,
    private readonly output: number,
  ) {}

  /** The next message; undefined where the other side has closed the pipe. */
  async read(readFirst: FirstReader): Promise<PythonCall | undefined> {
    const length = new Uint32Array(1);
    if (!fillFrom(this.input, new Uint8Array(length.buffer))) return undefined;
    const text = new Uint8Array(length[0]);
    fillFrom(this.input, text);
    const { arrays = [], ...header } = JSON.parse(new TextDecoder().decode(text)) as { arrays?: readonly ArrayShape[] };
    const [first, ...others] = arrays;
    const scaled = first && (await readFirst(header, first, this.input));
    const numbers = first === undefined ? [] : [scaled ? scaled.map(() => nothing) : this.readArray(first)];
    return { header, arrays: [...numbers, ...others.map((shape) => this.readArray(shape))], scaled };
  }

  write(header: Readonly<Record<string, unknown>>, sent: readonly Numbers[] = []): void {
    const shapes = sent.map((array) => ({ type: typeOf(array), length: array.length }));
    const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: shapes }));
    sendTo(this.output, new Uint8Array(Uint32Array.of(text.length).buffer));
    sendTo(this.output, text);
    for (const array of sent) sendTo(this.output, bytesOf(array));
  }

  private readArray({ type, rows, columns, order }: ArrayShape): Numbers[] {
    const made = Array.from({ length: columns }, () => new numberArrays[type](rows));
    if (order === "columns" || columns === 1) for (const column of made) fillFrom(this.input, bytesOf(column));
    else this.readRows(type, rows, made);
    return made;
  }

  private readRows(type: NumberType, rows: number, into: readonly Numbers[]): void {
    const width = into.length;
    const atOnce = Math.max(1, Math.floor(chunkBytes / (width * numberArrays[type].BYTES_PER_ELEMENT)));
    const chunk = new numberArrays[type](Math.min(rows, atOnce) * width);
    for (let from = 0; from < rows; from += atOnce) {
      const count = Math.min(atOnce, rows - from);
      fillFrom(this.input, bytesOf(chunk.subarray(0, count * width)));
      for (let c = 0; c < width; c++) {
        const column = into[c];
        for (let r = 0, at = c; r < count; r++, at += width) column[from + r] = chunk[at];
      }
    }
  }
}
