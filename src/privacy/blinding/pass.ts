import { MoietyError } from "../../errors.js";
import { RowMemory } from "../../kernels/blinding.js";
import { expandKey } from "../derive.js";
import { type Integers, integersOf } from "../integers.js";
import { UsedLabels } from "../masks/labels.js";
import { KeyStream } from "../stream.js";
import { factorEdges } from "./factor-edges.js";

/** In a tie people stay where they are (by label; 0xffff is nowhere), or the lowest cluster wins: the public order of ties. */
export type TieOrder = Uint16Array | "index";

/** How far scores may reach, and what stands for those beyond all numbers (`never` and `always`), if they may come. */
export interface Scale {
  readonly bound: number;
  readonly wall?: number;
  /** All scores are whole multiples of this; default 1. Numbers that hide ties then reach so far too. */
  readonly step?: number;
}

const chunkBytes = 65536;
const mostBuckets = 256;
/** Scores in a bucket that fits the processor's cache. */
const bucketScores = 8192;

/** A power of two, so that a byte draws it. */
function bucketsFor(scores: number): number {
  let buckets = 1;
  while (buckets < mostBuckets && buckets * bucketScores < scores) buckets *= 2;
  return buckets;
}

/** A party's blinding of a job: the key is the one that the parties share and the coordinator lacks. */
export class Blinding {
  private readonly memory = new RowMemory();
  private readonly used = new UsedLabels();

  constructor(private readonly groupKey: Uint8Array) {}

  /**
   * Begins a pass, and ends the one before. No round is ever begun twice: factors must be fresh. They are below 2^bits,
   * the bits that the scores leave free.
   */
  pass(round: number, rows: number, k: number, bits: number): BlindPass {
    const edges = factorEdges(k, bits);
    this.used.use({ round, block: 0 });
    return new BlindPass(expandKey(this.groupKey, ["blind", round, rows, k]), this.memory, rows, k, edges);
  }
}

/**
 * One pass of blinded rows, the same for all parties of a job: everything is drawn from the key that they share.
 *
 * Every row of k scores is multiplied by its own secret factor s >= k^2, the leading party adds to each score a number in
 * [rank floor(t s/k), (rank+1) floor(t s/k)), rank being the order of ties and t what all scores are multiples of (with less than that,
 * whoever tries all factors finds the one that leaves small remainders), the clusters of each row are permuted, the rows are
 * shuffled, and of each row the k-1 differences to its first score are sent, masked. (Whatever was added to a whole row
 * would cancel in them, so nothing is.)
 *
 * Promise: the smallest of each row stays the smallest, by value and then by the order of ties, exactly. The coordinator,
 * which lacks the key, sees differences of anonymous rows: level, scale, ties and labels are hidden, and the greatest common
 * divisor of a row is no longer its factor. Ratios of differences within a row leak. It is void if a party colludes with
 * the coordinator. Factor times range of the scores must stay below 2^63 (`proveHeadroom`).
 */
export class BlindPass {
  /** u8 [rows]: the bucket that was drawn for each row, and u32 [buckets]: where each goes on. */
  private readonly buckets: number;
  private readonly starts: number;
  private readonly mask: number;
  /** i64 [rows][k] and u32 [rows]: the scores and the numbers of the rows, bucket by bucket. */
  private readonly moved: number;
  private readonly order: number;
  /** u32 [rows]: at each position, where in the buckets its row is. */
  private readonly places: number;
  /** u8 [rows][k]: at each position, the clusters of its row in their secret order. */
  private readonly clusters: number;
  /** u32 [rows]: at each position, its row's factor. */
  private readonly factors: number;
  private readonly words: number;
  /** Rows whose scores were loaded. */
  private loaded = 0;
  private step = 1;

  constructor(
    private readonly key: Uint8Array,
    private readonly memory: RowMemory,
    readonly rows: number,
    readonly k: number,
    edges: Float64Array,
  ) {
    this.mask = bucketsFor(rows * k) - 1;
    this.buckets = memory.buffer("buckets", rows);
    this.starts = memory.buffer("starts", mostBuckets * 4);
    this.moved = memory.buffer("scores", rows * k * 8);
    this.order = memory.buffer("order", rows * 4);
    this.places = memory.buffer("places", rows * 4);
    this.clusters = memory.buffer("clusters", rows * k);
    this.factors = memory.buffer("factors", rows * 4);
    this.words = memory.buffer("words", chunkBytes);
    this.shuffle();
    this.draw(edges);
  }

  /** Takes this party's scores of the next rows, [rows][k]. */
  load(scores: Float64Array, { bound, wall = 0, step = 1 }: Scale): this {
    const { k, memory } = this;
    this.step = step;
    const rows = scores.length / k;
    if (!Number.isInteger(rows) || rows > this.rows - this.loaded) {
      throw new MoietyError(
        "failed",
        `${scores.length} scores came for ${this.rows - this.loaded} rows of ${k} clusters`,
      );
    }
    const { mask, starts, order, moved, loaded } = this;
    const at = memory.put("given", scores);
    const buckets = this.buckets + loaded;
    const whole = memory.kernels.scatterRows(at, loaded, rows, k, buckets, mask, starts, order, moved, bound, wall);
    if (!whole) throw new MoietyError("failed", `a score is not a whole number within the promised bound of ${bound}`);
    this.loaded += rows;
    return this;
  }

  /** What is sent of the scores, once all have come; exactly one party leads, and gives the order of ties. */
  blinded(leads?: TieOrder): BlindedRows {
    const { rows, k, memory, moved, order } = this;
    if (this.loaded !== rows || (leads instanceof Uint16Array && leads.length !== rows)) {
      throw new MoietyError("failed", `scores of ${this.loaded} rows came, and not of ${rows}`);
    }
    const labels = leads instanceof Uint16Array ? memory.put("labels", leads) : 0;
    const ties = leads === undefined ? undefined : new KeyStream(expandKey(this.key, ["ties"]));
    let next = 0;
    return {
      take: (count) => {
        const to = Math.min(rows, next + count);
        const numbers = (to - next) * (k - 1);
        const out = memory.buffer("differences", numbers * 8);
        for (let from = next, target = out; from < to; from = next) {
          next = Math.min(to, from + this.rowsPerChunk);
          if (ties) this.fill(ties, (next - from) * k * 4);
          const [places, clusters, factors] = [
            this.places + from * 4,
            this.clusters + from * k,
            this.factors + from * 4,
          ];
          const words = ties ? this.words : 0;
          memory.kernels.blindRows(
            moved,
            order,
            places,
            clusters,
            factors,
            next - from,
            k,
            words,
            labels,
            this.step,
            target,
          );
          target += (next - from) * (k - 1) * 8;
        }
        return integersOf(memory.bytes(out, numbers * 8));
      },
    };
  }

  /** The row at each position: the parties' secret. */
  rowsInOrder(): Uint32Array {
    const words = (at: number) => new Uint32Array(this.memory.bytes(at, this.rows * 4).slice().buffer);
    const order = words(this.order);
    return words(this.places).map((place) => order[place]);
  }

  /** What the coordinator's answer means: the cluster of each row. */
  read(positions: Uint8Array): Uint16Array {
    const { rows, k, memory } = this;
    const { order, places, clusters } = this;
    const at = memory.put("positions", positions);
    const out = memory.buffer("read", rows * 2);
    if (positions.length !== rows || !memory.kernels.readRows(at, order, places, clusters, rows, k, out)) {
      throw new MoietyError("failed", `${positions.length} positions came for ${rows} rows of ${k}, or one is beyond`);
    }
    return new Uint16Array(memory.bytes(out, rows * 2).slice().buffer);
  }

  /** k + 1 words for each row fit a chunk of the key stream. */
  private get rowsPerChunk(): number {
    return Math.floor(chunkBytes / (4 * (this.k + 1)));
  }

  /**
   * Every row draws its bucket, and every bucket is shuffled: together that is as good as a shuffle of all rows (Rao 1961,
   * Sandelius 1962), and never looks far: a bucket fits the processor's cache.
   */
  private shuffle(): void {
    const { memory, rows, mask, starts, places } = this;
    const { kernels } = memory;
    const drawn = new KeyStream(expandKey(this.key, ["buckets"]));
    for (let from = 0; from < rows; from += chunkBytes) {
      const bytes = Math.min(chunkBytes, rows - from);
      memory.bytes(this.buckets + from, bytes).set(drawn.next(bytes));
    }
    const counts = new Uint32Array(memory.bytes(starts, mostBuckets * 4).buffer, starts, mask + 1).fill(0);
    kernels.countBuckets(this.buckets, rows, mask, starts);
    const sizes = counts.slice();
    const stream = new KeyStream(expandKey(this.key, ["rows"]));
    let first = 0;
    sizes.forEach((size, bucket) => {
      counts[bucket] = first;
      kernels.count(places + first * 4, size, first);
      for (let left = size; left > 1; ) {
        const count = Math.min(left - 1, chunkBytes / 8);
        this.fill(stream, count * 8);
        left = kernels.shuffleRows(places + first * 4, left, this.words, count);
      }
      first += size;
    });
  }

  private draw(edges: Float64Array): void {
    const { memory, rows, k } = this;
    const stream = new KeyStream(expandKey(this.key, ["clusters"]));
    const at = memory.put("edges", edges);
    for (let from = 0; from < rows; from += this.rowsPerChunk) {
      const count = Math.min(this.rowsPerChunk, rows - from);
      this.fill(stream, count * (k + 1) * 4);
      const [clusters, factors] = [this.clusters + from * k, this.factors + from * 4];
      memory.kernels.drawRows(clusters, factors, count, k, this.words, at, edges.length - 1);
    }
  }

  private fill(stream: KeyStream, bytes: number): void {
    this.memory.bytes(this.words, bytes).set(stream.next(bytes));
  }
}

/** The blinded rows of one party, handed out in their secret order, to be masked and sent while the next are made. */
export interface BlindedRows {
  /**
   * The differences of the next rows, [rows][k-1]: at most so many rows, none at the end. They are the taker's until the
   * next ones, or those of another pass, take their place.
   */
  take(rows: number): Integers;
}

/**
 * The coordinator's part: where the smallest of each row is, from the summed differences, [rows][k-1]. Position 0 is the
 * row's first score, whose difference to itself is 0.
 */
export function smallestPositions(differences: Integers, rows: number, k: number): Uint8Array {
  const positions = new Uint8Array(rows);
  // Two halves of 32 bits are faster to compare than whole numbers.
  const high = new Int32Array(differences.buffer, differences.byteOffset, 2 * differences.length);
  const low = new Uint32Array(differences.buffer, differences.byteOffset, 2 * differences.length);
  for (let j = 0, at = 0; j < rows; j++) {
    let leastHigh = 0;
    let leastLow = 0;
    for (let m = 1; m < k; m++, at += 2) {
      const upper = high[at + 1];
      if (upper > leastHigh || (upper === leastHigh && low[at] >= leastLow)) continue;
      leastHigh = upper;
      leastLow = low[at];
      positions[j] = m;
    }
  }
  return positions;
}
