import { exportsOf } from "./instance.js";

/** What assembly/rows/index.ts exports. */
interface RowKernels {
  sums(rows: number, count: number, columns: number, sums: number, extremes: number): void;
  squares(rows: number, count: number, columns: number, means: number, sums: number): void;
  coordinates(rows: number, count: number, columns: number, shifts: number, scales: number, into: number): void;
}

type Floats = Float64Array | Float32Array;

interface BlockScaling {
  /** Of each column. */
  readonly shifts: Float64Array;
  readonly scales: Float64Array;
  /** Of a column of the coordinates. */
  readonly rows: number;
}

/** How much the kernels see at once, in bytes: few enough to stay in the processor's cache. */
const pieceBytes = 1 << 19;
/** Where what the kernels see begins: the first page is their own. */
const firstByte = 65536;

/** Turns rows of numbers, none of them missing, into coordinates: by kernels, which see some rows at a time. */
export class RowScaler {
  /** Rows that the kernels see at once. */
  private readonly atOnce: number;
  private readonly kernels: RowKernels;
  private readonly doubles: Float64Array;
  private readonly singles: Float32Array;
  /** Where numbers of each column are kept, in bytes, and the rows, and their coordinates. */
  private readonly at: {
    readonly sums: number;
    readonly first: number;
    readonly second: number;
    readonly rows: number;
  };
  private readonly into: number;

  constructor(
    module: WebAssembly.Module,
    private readonly columns: number,
  ) {
    const width = 8 * columns;
    this.atOnce = Math.max(1, Math.floor(pieceBytes / width));
    const place = (at: number) => firstByte + at * width;
    this.at = { sums: place(0), first: place(1), second: place(2), rows: place(3) };
    // On a multiple of 16, which single precision needs.
    this.into = Math.ceil((this.at.rows + this.atOnce * width) / 16) * 16;
    const pages = Math.ceil((this.into + this.atOnce * columns * 4) / 65536);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: 65536, shared: true });
    this.kernels = exportsOf(module, memory) as unknown as RowKernels;
    this.doubles = new Float64Array(memory.buffer);
    this.singles = new Float32Array(memory.buffer);
  }

  /** The sum of each column, and what is the least and the largest of `extremes`, which has those of all columns, and of these rows. */
  sums(values: Floats, extremes: Float64Array): Float64Array {
    const { at, kernels, columns } = this;
    this.place(at.first, extremes);
    this.place(at.sums, new Float64Array(columns));
    this.each(values, (count) => kernels.sums(at.rows, count, columns, at.sums, at.first));
    extremes.set(this.numbers(at.first, 2 * columns));
    return this.numbers(at.sums, columns).slice();
  }

  /** The sum of each column's squared distances from its mean. */
  squares(values: Floats, means: Float64Array): Float64Array {
    const { at, kernels, columns } = this;
    this.place(at.first, means);
    this.place(at.sums, new Float64Array(columns));
    this.each(values, (count) => kernels.squares(at.rows, count, columns, at.first, at.sums));
    return this.numbers(at.sums, columns).slice();
  }

  /** x becomes (x - shift) / scale: column after column, each of so many rows. */
  coordinates(values: Floats, { shifts, scales, rows }: BlockScaling, into: Float32Array): void {
    const { at, kernels, columns, singles } = this;
    this.place(at.first, shifts);
    this.place(at.second, scales);
    this.each(values, (count, from) => {
      kernels.coordinates(at.rows, count, columns, at.first, at.second, this.into);
      for (let j = 0, start = this.into / 4; j < columns; j++, start += count) {
        into.set(singles.subarray(start, start + count), j * rows + from);
      }
    });
  }

  private each(values: Floats, see: (count: number, from: number) => void): void {
    const { columns, atOnce } = this;
    for (let from = 0, rows = values.length / columns; from < rows; from += atOnce) {
      const count = Math.min(atOnce, rows - from);
      this.doubles.set(values.subarray(from * columns, (from + count) * columns), this.at.rows / 8);
      see(count, from);
    }
  }

  private place(at: number, numbers: Float64Array): void {
    this.doubles.set(numbers, at / 8);
  }

  private numbers(at: number, length: number): Float64Array {
    return this.doubles.subarray(at / 8, at / 8 + length);
  }
}
