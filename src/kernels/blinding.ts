import { Arena } from "./arena.js";
import { instantiate } from "./instance.js";
import { kernelModule, newMemory } from "./module.js";

/** What assembly/blinding.ts exports; see there for what each does. */
interface BlindingKernels {
  count(order: number, rows: number, first: number): void;
  countBuckets(buckets: number, rows: number, mask: number, counts: number): void;
  scatterRows(
    scores: number,
    first: number,
    rows: number,
    k: number,
    buckets: number,
    mask: number,
    starts: number,
    order: number,
    moved: number,
    bound: number,
    wall: number,
  ): number;
  shuffleRows(order: number, left: number, words: number, count: number): number;
  drawRows(
    clusters: number,
    factors: number,
    rows: number,
    k: number,
    words: number,
    edges: number,
    steps: number,
  ): void;
  blindRows(
    scores: number,
    order: number,
    places: number,
    clusters: number,
    factors: number,
    rows: number,
    k: number,
    words: number,
    labels: number,
    step: number,
    out: number,
  ): void;
  subtractRows(
    scores: number,
    rows: number,
    k: number,
    labels: number,
    bound: number,
    wall: number,
    out: number,
  ): number;
  applyMasks(numbers: number, masks: number, count: number, adds: boolean): void;
  packNumbers(numbers: number, count: number, width: number, out: number): void;
  readPositions(positions: number, rows: number, k: number, labels: number, out: number): number;
  readRows(
    positions: number,
    order: number,
    places: number,
    clusters: number,
    rows: number,
    k: number,
    labels: number,
  ): number;
}

/** A memory for kernels on the calling thread. Named buffers are reused from pass to pass. */
export class NamedBuffers {
  protected readonly arena = new Arena(newMemory());
  private readonly buffers = new Map<string, { readonly at: number; readonly bytes: number }>();

  /** The address of a buffer of at least so many bytes. Its content is lost when it has to grow. */
  buffer(name: string, bytes: number): number {
    const present = this.buffers.get(name);
    if (present && present.bytes >= bytes) return present.at;
    if (present) this.arena.release(present.at);
    const at = this.arena.allocate(bytes);
    this.buffers.set(name, { at, bytes });
    return at;
  }

  /** Copies numbers into the buffer of a name; its address. */
  put(name: string, values: ArrayBufferView): number {
    const at = this.buffer(name, values.byteLength);
    this.bytes(at, values.byteLength).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return at;
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.arena.memory.buffer, at, length);
  }
}

/** The blinding kernels and their memory. */
export class RowMemory extends NamedBuffers {
  readonly kernels = instantiate(kernelModule(), this.arena.memory) as unknown as BlindingKernels;
}
