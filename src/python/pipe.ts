import { readSync, writeSync } from "node:fs";

/** How numbers are written. Little endian, as every machine that runs WebAssembly has them. */
const arrays = { float64: Float64Array, float32: Float32Array, int32: Int32Array } as const;
type NumberType = keyof typeof arrays;
export type Numbers = Float64Array | Float32Array | Int32Array;

/** An array that comes after a message: a table of numbers, by rows or by columns. */
export interface ArrayShape {
  readonly type: NumberType;
  readonly rows: number;
  readonly columns: number;
  readonly order: "rows" | "columns";
}

/** A message: what JSON can say, and arrays of numbers, each as its columns. */
export interface PythonCall {
  readonly header: Readonly<Record<string, unknown>>;
  readonly arrays: readonly (readonly Numbers[])[];
}

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
  read(): PythonCall | undefined {
    const length = new Uint32Array(1);
    if (!this.fill(new Uint8Array(length.buffer))) return undefined;
    const text = new Uint8Array(length[0]);
    this.fill(text);
    const header = JSON.parse(new TextDecoder().decode(text)) as { arrays?: readonly ArrayShape[] };
    return { header: { ...header }, arrays: (header.arrays ?? []).map((shape) => this.readArray(shape)) };
  }

  write(header: Readonly<Record<string, unknown>>, sent: readonly Numbers[] = []): void {
    const shapes = sent.map((array) => ({ type: nameOf(array), length: array.length }));
    const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: shapes }));
    this.send(new Uint8Array(Uint32Array.of(text.length).buffer));
    this.send(text);
    for (const array of sent) this.send(bytesOf(array));
  }

  private readArray({ type, rows, columns, order }: ArrayShape): Numbers[] {
    const made = Array.from({ length: columns }, () => new arrays[type](rows));
    if (order === "columns" || columns === 1) for (const column of made) this.fill(bytesOf(column));
    else this.readRows(type, rows, made);
    return made;
  }

  private readRows(type: NumberType, rows: number, into: readonly Numbers[]): void {
    const width = into.length;
    const atOnce = Math.max(1, Math.floor(chunkBytes / (width * arrays[type].BYTES_PER_ELEMENT)));
    const chunk = new arrays[type](Math.min(rows, atOnce) * width);
    for (let from = 0; from < rows; from += atOnce) {
      const count = Math.min(atOnce, rows - from);
      this.fill(bytesOf(chunk.subarray(0, count * width)));
      for (let c = 0; c < width; c++) {
        const column = into[c];
        for (let r = 0, at = c; r < count; r++, at += width) column[from + r] = chunk[at];
      }
    }
  }

  /** False where the other side closed the pipe before the first byte. */
  private fill(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      const count = patiently(() => readSync(this.input, bytes, at, bytes.length - at, null));
      if (count === 0 && at === 0) return false;
      if (count === 0) throw new Error("the pipe was closed within a message");
      at += count;
    }
    return true;
  }

  private send(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      at += patiently(() => writeSync(this.output, bytes, at, bytes.length - at));
    }
  }
}

/** Something to wait for that never comes. */
const never = new Int32Array(new SharedArrayBuffer(4));
/** In milliseconds: far less than the other side takes for the bytes that fill a pipe. */
const pause = 1;

/** Once threads have started, Node.js may have made the pipe one that does not wait: a full or empty one is tried again. */
function patiently(transfer: () => number): number {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(never, 0, 0, pause);
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function nameOf(array: Numbers): NumberType {
  return array instanceof Float64Array ? "float64" : array instanceof Float32Array ? "float32" : "int32";
}
