import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { type FileHandle, mkdtemp, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BlockShape, type BlockViews, blockBytes, blockViews } from "../../kernels/block-lane.js";
import { noRoom } from "../../table/disk/spool.js";
import { type BlockSource, type BlockSummary, cutShort } from "./block-people.js";

/** The engine may give a file its last name while the folder is being removed: what turns up then goes at another attempt. */
const removing = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };

/** A folder of working files that goes when it is closed, or with the process. */
export class WorkingFolder {
  private constructor(readonly path: string) {
    process.once("exit", this.remove);
  }

  static async make(): Promise<WorkingFolder> {
    return new WorkingFolder(await mkdtemp(join(tmpdir(), "moiety-")));
  }

  /** Refuses work for which there is no room. */
  async checkRoom(bytes: number, what: string): Promise<void> {
    const { bavail, bsize } = await statfs(this.path);
    if (bavail * bsize >= bytes) return;
    const [needed, free] = [bytes, bavail * bsize].map((each) => `${(each / 1e9).toFixed(1)} GB`);
    throw noRoom(what, `${free} where ${needed} are needed`);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async close(): Promise<void> {
    process.off("exit", this.remove);
    await rm(this.path, removing);
  }

  private readonly remove = () => {
    rmSync(this.path, removing);
  };
}

/** Everybody's points, written once, block after block. */
export class GridWriter {
  people = 0;
  private readonly file: number;
  private readonly bytes: Uint8Array;
  private readonly views: BlockViews;
  private filled = 0;
  private readonly counts: Float64Array;
  private readonly least: Float64Array;
  private readonly most: Float64Array;
  private high = 0;
  private low = 0;

  constructor(
    private readonly path: string,
    private readonly shape: BlockShape,
    patterns: number,
  ) {
    this.file = openSync(path, "wx", 0o600);
    this.bytes = new Uint8Array(blockBytes(shape));
    this.views = blockViews(shape, this.bytes.buffer, 0);
    this.counts = new Float64Array(patterns);
    this.least = new Float64Array(shape.dims).fill(Number.POSITIVE_INFINITY);
    this.most = new Float64Array(shape.dims).fill(Number.NEGATIVE_INFINITY);
  }

  /** How many people fit before the block is full. */
  get room(): number {
    return this.shape.rows - this.filled;
  }

  /** The next people, no more than there is room for; `column` gives the coordinates of a dimension, from `from` on. */
  add(
    count: number,
    column: (dimension: number) => Int16Array | Int32Array,
    from: number,
    patternAt: (i: number) => number,
    hashAt: (i: number) => number,
    weightAt: (i: number) => number,
  ): void {
    const { shape, views, filled, counts } = this;
    for (let j = 0; j < shape.dims; j++) {
      views.points.set(column(j).subarray(from, from + count), j * shape.rows + filled);
    }
    for (let i = 0; i < count; i++) {
      const pattern = patternAt(from + i);
      const hash = hashAt(from + i);
      views.patterns[filled + i] = pattern;
      const weight = weightAt(from + i);
      counts[pattern] += weight;
      if (views.weights) views.weights[filled + i] = weight;
      views.hashes[2 * (filled + i)] = hash;
      views.hashes[2 * (filled + i) + 1] = hash / 2 ** 32;
    }
    this.filled += count;
    this.people += count;
    if (this.room === 0) this.flush();
  }

  /** The finished file, and what is known of everybody. */
  async finish(): Promise<{ source: BlockSource; summary: BlockSummary }> {
    if (this.filled > 0) this.flush();
    closeSync(this.file);
    const { counts, least, most, high, low } = this;
    const source = new GridFile(await open(this.path, "r"), this.shape, this.people, this.path);
    return { source, summary: { counts, least, most, squares: [high, low] } };
  }

  private flush(): void {
    this.summarise();
    for (let written = 0; written < this.bytes.length; ) {
      written += writeSync(this.file, this.bytes, written, this.bytes.length - written);
    }
    this.filled = 0;
  }

  /** Over the block at hand: reach of the coordinates, and sums of squared lengths in two parts. */
  private summarise(): void {
    const { dims, rows } = this.shape;
    const squares = new Float64Array(this.filled);
    for (let j = 0; j < dims; j++) {
      let [least, most] = [this.least[j], this.most[j]];
      for (let i = 0; i < this.filled; i++) {
        const x = this.views.points[j * rows + i];
        if (x < least) least = x;
        if (x > most) most = x;
        squares[i] += x * x;
      }
      this.least[j] = least;
      this.most[j] = most;
    }
    const { weights } = this.views;
    for (let i = 0; i < this.filled; i++) {
      const weight = weights ? weights[i] : 1;
      const high = Math.floor(squares[i] / 2 ** 20);
      this.high += weight * high;
      this.low += weight * (squares[i] - high * 2 ** 20);
    }
  }
}

class GridFile implements BlockSource {
  constructor(
    private readonly file: FileHandle,
    readonly shape: BlockShape,
    readonly people: number,
    private readonly path: string,
  ) {}

  async read(block: number, into: Uint8Array): Promise<void> {
    const size = blockBytes(this.shape);
    for (let read = 0; read < size; ) {
      const { bytesRead } = await this.file.read(into, read, size - read, block * size + read);
      if (bytesRead === 0) throw cutShort("the working file");
      read += bytesRead;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }
}
