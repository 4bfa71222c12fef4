import type { KernelName } from "./instance.js";
import type { Lane } from "./lanes.js";
import { fieldAt, type ShardField, type ShardReal, shardBytes } from "./shard.js";

/** Rows [from, to) among all people. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export const tile = 16;

/** Rows are dealt round the lanes in chunks: of 2048 where they are many and copying is to be fast, else of 256. */
const many = 32_768;
const chunkBitsFor = (n: number) => (n > many ? 11 : 8);

/** How many of the rows [0, row) lie in a lane. */
function localCount(row: number, lane: number, lanes: number, chunk: number): number {
  const round = chunk * lanes;
  const full = Math.floor(row / round);
  return full * chunk + Math.min(chunk, Math.max(0, row - full * round - lane * chunk));
}

/** Rows dealt over lanes: where each lies, the memory of each lane's share, and calls to all lanes at once. */
export abstract class Sharded {
  protected readonly shards: number[];
  protected readonly chunk: number;
  private readonly scratch = new Map<string, { at: number; bytes: number }>();

  constructor(
    protected readonly lanes: readonly Lane[],
    readonly n: number,
    readonly dims: number,
  ) {
    const chunkBits = chunkBitsFor(n);
    this.chunk = 2 ** chunkBits;
    this.shards = lanes.map((lane) => {
      const at = lane.arena.allocate(shardBytes);
      new Uint8Array(lane.arena.memory.buffer, at, shardBytes).fill(0);
      return at;
    });
    this.each((lane, index) => {
      const rows = localCount(n, index, lanes.length, this.chunk);
      const tiles = Math.ceil(rows / tile);
      this.set(index, "rows", rows);
      this.set(index, "dims", dims);
      this.set(index, "lane", index);
      this.set(index, "lanes", lanes.length);
      this.set(index, "chunkBits", chunkBits);
      // Kernels that take four dimensions at a time may read three beyond the last.
      this.set(index, "x", this.buffer(lane, index, "x", (tiles * dims + 3) * tile * 4));
      this.set(index, "pattern", this.buffer(lane, index, "pattern", tiles * tile * 2));
      this.set(index, "label", this.buffer(lane, index, "label", tiles * tile * 2));
      this.set(index, "norm", this.buffer(lane, index, "norm", tiles * tile * 4));
      this.set(index, "margin", this.buffer(lane, index, "margin", tiles * tile * 4));
      this.set(index, "epoch", this.buffer(lane, index, "epoch", tiles * tile * 2));
    });
  }

  /** Gives all memory back but for these pieces of it. */
  close(but: readonly string[] = []): void {
    for (const [key, { at }] of this.scratch) {
      const [index, name] = key.split(":");
      if (!but.includes(name)) this.lanes[Number(index)].arena.release(at);
    }
    this.each((lane, index) => lane.arena.release(this.shards[index]));
  }

  /** The lane that holds a row, and its number there. */
  protected place(row: number): [number, number] {
    const { chunk, lanes } = this;
    const number = Math.floor(row / chunk);
    return [number % lanes.length, Math.floor(number / lanes.length) * chunk + (row % chunk)];
  }

  protected globalRow(index: number, local: number): number {
    const { chunk, lanes } = this;
    return (Math.floor(local / chunk) * lanes.length + index) * chunk + (local % chunk);
  }

  protected local(range: Range, index: number): [number, number] {
    const { chunk, lanes } = this;
    return [localCount(range.from, index, lanes.length, chunk), localCount(range.to, index, lanes.length, chunk)];
  }

  protected each(action: (lane: Lane, index: number) => void): void {
    this.lanes.forEach(action);
  }

  protected async all(kernel: KernelName, args: (index: number) => number[]): Promise<number[]> {
    const calls = this.lanes.map((lane, index) => lane.call(kernel, this.shards[index], ...args(index)));
    // A lone inline lane answers at once: no need to go through the event loop for each of a million tiny blocks.
    if (calls.length === 1 && typeof calls[0] === "number") return calls as number[];
    return Promise.all(calls);
  }

  /** A named piece of a lane's memory, made larger when needed, kept until `close`. */
  protected buffer(lane: Lane, index: number, name: string, bytes: number): number {
    const key = `${index}:${name}`;
    const known = this.scratch.get(key);
    if (known && known.bytes >= bytes) return known.at;
    if (known) lane.arena.release(known.at);
    const at = lane.arena.allocate(bytes);
    this.scratch.set(key, { at, bytes });
    return at;
  }

  protected outputs(range: Range, bytesPerRow: number): number[] {
    return this.lanes.map((lane, index) => {
      const [from, to] = this.local(range, index);
      return this.buffer(lane, index, "out", (to - from) * bytesPerRow);
    });
  }

  /** A lane's share of what the range was given, chunk by chunk: the other way round than `gather`. */
  protected deal<T extends Uint16Array | Float64Array>(source: T, range: Range, index: number, target: T): void {
    const [from, to] = this.local(range, index);
    for (let local = from; local < to; ) {
      const end = Math.min(to, (Math.floor(local / this.chunk) + 1) * this.chunk);
      const at = this.globalRow(index, local) - range.from;
      target.set(source.subarray(at, at + end - local), local - from);
      local = end;
    }
  }

  protected gather<T extends Float64Array | Uint16Array>(
    range: Range,
    target: T,
    width: number,
    part: (index: number, length: number) => Float64Array | Uint16Array,
  ): T {
    this.each((_, index) => {
      const [from, to] = this.local(range, index);
      const source = part(index, (to - from) * width);
      for (let local = from; local < to; ) {
        const end = Math.min(to, (Math.floor(local / this.chunk) + 1) * this.chunk);
        const piece = source.subarray((local - from) * width, (end - from) * width);
        (target as Float64Array).set(piece as Float64Array, (this.globalRow(index, local) - range.from) * width);
        local = end;
      }
    });
    return target;
  }

  protected get(index: number, field: ShardField): number {
    return new Uint32Array(this.lanes[index].arena.memory.buffer)[(this.shards[index] + fieldAt[field]) >>> 2];
  }

  protected set(index: number, field: ShardField, value: number): void {
    new Uint32Array(this.lanes[index].arena.memory.buffer)[(this.shards[index] + fieldAt[field]) >>> 2] = value;
  }

  protected setReal(index: number, field: ShardReal, value: number): void {
    new Float64Array(this.lanes[index].arena.memory.buffer)[(this.shards[index] + fieldAt[field]) >>> 3] = value;
  }

  protected f32(index: number, field: ShardField, length: number): Float32Array {
    return new Float32Array(this.lanes[index].arena.memory.buffer, this.get(index, field), length);
  }

  protected f64(index: number, field: ShardField, length: number): Float64Array {
    return new Float64Array(this.lanes[index].arena.memory.buffer, this.get(index, field), length);
  }

  protected u32(index: number, field: ShardField, length: number): Uint32Array {
    return new Uint32Array(this.lanes[index].arena.memory.buffer, this.get(index, field), length);
  }

  protected u16(index: number, field: ShardField, length: number): Uint16Array {
    return new Uint16Array(this.lanes[index].arena.memory.buffer, this.get(index, field), length);
  }
}
