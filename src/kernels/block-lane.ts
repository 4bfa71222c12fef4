import type { Lane } from "./lanes.js";

/** How a block of people lies in memory and in a file: coordinates column after column, then patterns, then hashes, then weights. */
export interface BlockShape {
  readonly dims: number;
  /** Of a coordinate: 2 or 4. */
  readonly bytes: 2 | 4;
  /** Room for so many people, a multiple of 16. */
  readonly rows: number;
  /** Whether people have weights. */
  readonly weighed?: boolean;
}

/** A full block is so many bytes. */
export function blockBytes({ dims, bytes, rows, weighed }: BlockShape): number {
  return rows * (dims * bytes + 2 + 8 + (weighed ? 8 : 0));
}

/** Where a block's weights begin. */
function weightsFrom({ dims, bytes, rows }: BlockShape): number {
  return rows * (dims * bytes + 2 + 8);
}

/** The parts of a block that lies in some memory. */
export function blockViews(shape: BlockShape, buffer: ArrayBufferLike, at: number): BlockViews {
  const { dims, bytes, rows } = shape;
  const points = rows * dims * bytes;
  return {
    points: bytes === 2 ? new Int16Array(buffer, at, rows * dims) : new Int32Array(buffer, at, rows * dims),
    patterns: new Uint16Array(buffer, at + points, rows),
    hashes: new Uint32Array(buffer, at + points + 2 * rows, 2 * rows),
    ...(shape.weighed ? { weights: new Float64Array(buffer, at + weightsFrom(shape), rows) } : {}),
  };
}

export interface BlockViews {
  /** [dims][rows] */
  readonly points: Int16Array | Int32Array;
  readonly patterns: Uint16Array;
  /** [rows][2]: the low 32 bits, and the others. */
  readonly hashes: Uint32Array;
  /** [rows], where people have weights. */
  readonly weights?: Float64Array;
}

/** What people are decided by, see `scanDecide` in assembly/scan.ts. */
export interface BlockDecision {
  readonly k: number;
  /** [k][dims] */
  readonly centres: Float64Array;
  /** [patterns][k] */
  readonly offsets: Float64Array;
}

/** A lane into which blocks of a file are read, one after another, and decided about. */
export class BlockLane {
  private readonly at: number;
  private readonly block: number;
  private readonly pieces: number[];
  private readonly places: {
    centres: number;
    squares: number;
    offset: number;
    label: number;
    gap: number;
    sums: number;
  };

  constructor(
    private readonly lane: Lane,
    readonly shape: BlockShape,
    private readonly decision: BlockDecision,
  ) {
    const { dims, rows } = shape;
    const { k, centres, offsets } = decision;
    const { arena } = lane;
    this.at = arena.allocate(blockBytes(shape));
    const centreAt = arena.allocate(8 * k * dims);
    const squares = arena.allocate(8 * k);
    const offset = arena.allocate(8 * offsets.length);
    const label = arena.allocate(2 * rows);
    const gap = arena.allocate(8 * rows);
    const scratch = arena.allocate(128 * (dims + k));
    const sums = arena.allocate(8 * k * dims);
    this.block = arena.allocate(64);
    this.pieces = [this.at, centreAt, squares, offset, label, gap, scratch, sums, this.block];
    this.places = { centres: centreAt, squares, offset, label, gap, sums };
    const floats = (from: number, count: number) => new Float64Array(arena.memory.buffer, from, count);
    floats(centreAt, k * dims).set(centres.map((c) => -2 * c));
    const norms = floats(squares, k);
    for (let m = 0; m < k; m++) {
      norms[m] = centres.subarray(m * dims, (m + 1) * dims).reduce((sum, c) => sum + c * c, 0);
    }
    floats(offset, offsets.length).set(offsets);
    floats(sums, k * dims).fill(0);
    const pattern = this.at + rows * dims * shape.bytes;
    const fields = [
      this.at,
      shape.bytes,
      0,
      rows,
      dims,
      k,
      pattern,
      centreAt,
      squares,
      offset,
      label,
      gap,
      scratch,
      sums,
      shape.weighed ? this.at + weightsFrom(shape) : 0,
    ];
    new Uint32Array(arena.memory.buffer, this.block, fields.length).set(fields);
  }

  /** Where a block is to be read to. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.lane.arena.memory.buffer, this.at, blockBytes(this.shape));
  }

  get views(): BlockViews {
    return blockViews(this.shape, this.lane.arena.memory.buffer, this.at);
  }

  /** [rows]: best clusters; the caller may change them before they are summed up. */
  get labels(): Uint16Array {
    return new Uint16Array(this.lane.arena.memory.buffer, this.places.label, this.shape.rows);
  }

  /** [rows]: how far the second best cluster is behind the best. */
  get gaps(): Float64Array {
    return new Float64Array(this.lane.arena.memory.buffer, this.places.gap, this.shape.rows);
  }

  /** [k][dims]: of all blocks that were summed up. */
  get sums(): Float64Array {
    const { k } = this.decision;
    return new Float64Array(this.lane.arena.memory.buffer, this.places.sums, k * this.shape.dims);
  }

  async decide(people: number): Promise<void> {
    // The third field: people of this block.
    new Uint32Array(this.lane.arena.memory.buffer, this.block, 3)[2] = people;
    await this.lane.call("scanDecide", this.block);
  }

  /** The same centres at other offsets, from here on. */
  setOffsets(offsets: Float64Array): void {
    new Float64Array(this.lane.arena.memory.buffer, this.places.offset, offsets.length).set(offsets);
  }

  async addUp(): Promise<void> {
    await this.lane.call("scanSums", this.block);
  }

  close(): void {
    for (const piece of this.pieces) this.lane.arena.release(piece);
  }
}
