import { openSearchers, type Searchers } from "../kernels/searchers.js";
import { Structure } from "../kernels/structure.js";
import { type JobField, jobFields, scratchBytes, singles } from "./job.js";

/** Rows of numbers in the kernels' memory. */
export interface VectorRows {
  readonly at: number;
  readonly count: number;
}

/** Centres to choose from, in groups that are looked into together. */
export interface CentreGroups {
  /** The first centre of each group, and one number more. */
  readonly starts: Uint32Array;
}

/** The nearest of something for each query: `k` numbers and scores, best first. */
export interface NearestRows {
  readonly k: number;
  readonly found: Uint32Array;
  readonly scores: Float32Array;
  /** Of each query, what its scores lack to be squared distances. */
  readonly squares: Float32Array;
}

/** So many queries are answered by one call of a kernel: what it writes stays small. */
const chunk = 32_768;

/** The memory and the threads that build an index, or search one. */
export class Workspace {
  readonly searchers: Searchers;
  readonly job: Structure<JobField>;

  /** Whether squared distances are summed by differences, since products would cancel out. */
  private summed = false;

  constructor(
    /** Numbers of a row: dimensions, and zeros up to a multiple of four. */
    readonly stride: number,
    readonly threads: number,
  ) {
    this.searchers = openSearchers(threads > 1 ? threads : "inline");
    this.job = new Structure(this.searchers.arena, jobFields, singles);
    this.job.set({ stride });
  }

  get differences(): boolean {
    return this.summed;
  }

  set differences(summed: boolean) {
    this.summed = summed;
    this.job.set({ differences: summed ? 1 : 0 });
  }

  /** What the scores of these rows, or of queries, add to products: their squares, or nothing where differences are summed. */
  termsOf(numbers: Float32Array): Float32Array {
    return this.summed ? new Float32Array(numbers.length / this.stride) : squaresOf(numbers, this.stride);
  }

  get arena() {
    return this.searchers.arena;
  }

  allocateRows(count: number): VectorRows {
    return { at: this.arena.allocate(count * this.stride * 4), count };
  }

  floats(at: number, length: number): Float32Array {
    return new Float32Array(this.arena.memory.buffer, at, length);
  }

  words(at: number, length: number): Uint32Array {
    return new Uint32Array(this.arena.memory.buffer, at, length);
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.arena.memory.buffer, at, length);
  }

  /** All numbers of the rows [from, to). */
  numbers({ at }: VectorRows, from: number, to: number): Float32Array {
    return this.floats(at + from * this.stride * 4, (to - from) * this.stride);
  }

  copy(values: Float32Array | Uint32Array | Uint8Array): number {
    const at = this.arena.allocate(values.byteLength);
    this.bytes(at, values.byteLength).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return at;
  }

  /** Frees what was allocated for `use` when it is done. */
  async during<T>(addresses: readonly number[], use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } finally {
      for (const at of addresses) this.arena.release(at);
    }
  }

  /** Scratch for all threads, where there are so many lists. */
  useScratch(lists: number): number {
    const bytes = scratchBytes(lists);
    const scratch = this.arena.allocate(bytes * this.threads);
    this.job.set({ scratch, scratchBytes: bytes });
    return scratch;
  }

  /**
   * The k rows of least squared distance to each query: among all rows, or among those of the groups that `order` names for each query.
   * Scores and the query's `squares` together are squared distances.
   */
  async nearest(
    queries: VectorRows,
    rows: VectorRows,
    k: number,
    within?: CentreGroups & { readonly order: Uint32Array; readonly probes: number },
  ): Promise<NearestRows> {
    const { stride, job } = this;
    const found = new Uint32Array(queries.count * k);
    const scores = new Float32Array(queries.count * k);
    const terms = this.copy(this.termsOf(this.numbers(rows, 0, rows.count)));
    const starts = this.copy(within?.starts ?? Uint32Array.of(0, rows.count));
    const probes = within?.probes ?? 1;
    const most = Math.min(chunk, queries.count);
    const order = within ? this.arena.allocate(most * probes * 4) : 0;
    const foundAt = this.arena.allocate(most * k * 4);
    const scoresAt = this.arena.allocate(most * k * 4);
    const scratch = this.useScratch(0);
    return this.during([terms, starts, order, foundAt, scoresAt, scratch], async () => {
      job.set({ rows: rows.at, bytes: 0, terms, ids: 0, k, found: foundAt, scores: scoresAt, starts, probes, order });
      for (let from = 0; from < queries.count; from += chunk) {
        const count = Math.min(chunk, queries.count - from);
        job.set({ queries: queries.at + from * stride * 4 });
        if (within) {
          this.words(order, count * probes).set(within.order.subarray(from * probes, (from + count) * probes));
        }
        await this.searchers.call("nearest", job.at, 0, count);
        found.set(this.words(foundAt, count * k), from * k);
        scores.set(this.floats(scoresAt, count * k), from * k);
      }
      return { k, found, scores, squares: this.termsOf(this.numbers(queries, 0, queries.count)) };
    });
  }

  close(): Promise<void> {
    return this.searchers.close();
  }
}

/** The squared length of each row, by four sums: one alone would wait for each of its additions. */
export function squaresOf(numbers: Float32Array, stride: number): Float32Array {
  const squares = new Float32Array(numbers.length / stride);
  for (let i = 0, at = 0; i < squares.length; i++) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (const end = at + stride; at < end; at += 4) {
      a += numbers[at] * numbers[at];
      b += numbers[at + 1] * numbers[at + 1];
      c += numbers[at + 2] * numbers[at + 2];
      d += numbers[at + 3] * numbers[at + 3];
    }
    squares[i] = a + b + (c + d);
  }
  return squares;
}
