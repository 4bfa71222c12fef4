import { MoietyError } from "../../errors.js";
import { BlockLane, type BlockShape, type BlockViews, blockBytes, blockViews } from "../../kernels/block-lane.js";
import type { Lane } from "../../kernels/lanes.js";
import {
  jitterOf,
  type LabelSink,
  type SampledPoints,
  type ScanBorder,
  type ScanDecision,
  type ScanMovers,
  type ScannedPeople,
  type ScannedScores,
  type ScanSums,
  type ScanWidths,
} from "../../scans/scanner.js";
import { Growing } from "./growing.js";

/** Everybody in blocks, which are read again for every scan. */
export interface BlockSource {
  readonly shape: BlockShape;
  readonly people: number;
  /** Into memory of the size of a block. */
  read(block: number, into: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What is known of everybody when the blocks have been written. */
export type BlockSummary = Pick<ScannedPeople, "counts" | "squares" | "least" | "most">;

/** Names people as the labels do, in the order of the blocks. */
export interface Names {
  /** The ids of the next people, whose hashes these are. */
  next(hashes: Float64Array): Promise<readonly string[] | Float64Array>;
  end(): Promise<void>;
}

export interface BlockPeopleOptions {
  readonly source: BlockSource;
  readonly summary: BlockSummary;
  readonly lanes: readonly Lane[];
  readonly names: () => Names;
  /** Told how many people of a scan were looked at. */
  readonly onPeople?: (people: number) => void;
}

/** Bits of a hash by which people are looked up among the movers before anything else is. */
const markedBits = 16;

/** Scans of people who lie in blocks of a file: each block is read into a lane, decided about there, and forgotten. */
export class BlockPeople implements ScannedPeople {
  readonly people: number;
  readonly counts: Float64Array;
  readonly squares: readonly [number, number];
  readonly least: Float64Array;
  readonly most: Float64Array;

  constructor(private readonly options: BlockPeopleOptions) {
    const { source, summary } = options;
    this.people = source.people;
    this.counts = summary.counts;
    this.squares = summary.squares;
    this.least = summary.least;
    this.most = summary.most;
  }

  private get shape(): BlockShape {
    return this.options.source.shape;
  }

  async sample(below: number): Promise<SampledPoints> {
    const { dims, rows } = this.shape;
    const chosen = new Growing();
    await this.look(below, chosen, dims, ({ points }, i, into, at) => {
      for (let j = 0; j < dims; j++) into[at + j] = points[j * rows + i];
    });
    return { ...this.told(chosen), points: Int32Array.from(chosen.numbers) };
  }

  async scores(below: number, { centres, jitter }: Pick<ScanDecision, "centres" | "jitter">): Promise<ScannedScores> {
    const chosen = new Growing();
    const scorer = new Scorer(this.shape, centres, jitter);
    await this.look(below, chosen, scorer.k, (views, i, into, at, hash) => scorer.score(views, i, hash, into, at));
    return { ...this.told(chosen), scores: chosen.numbers };
  }

  async border(decision: ScanDecision, { reach, whole }: ScanWidths): Promise<ScanBorder> {
    const { k, offsets, jitter } = decision;
    const counts = new Float64Array(offsets.length);
    const near = new Growing();
    const scorer = new Scorer(this.shape, decision.centres, jitter);
    const nearer = offsets.map((offset, cell) => offset - reach[cell]);
    await this.scan(decision, async (block, people) => {
      const best = block.labels.slice();
      // With every cluster nearer by its width: somebody's best one is another then, or has another within its own width.
      block.setOffsets(nearer);
      await block.decide(people);
      block.setOffsets(offsets);
      const { labels, gaps, views } = block;
      const { patterns, weights } = views;
      for (let i = 0; i < people; i++) {
        const line = patterns[i] * k;
        const weight = weights ? weights[i] : 1;
        // A scan without jitter tells nothing of those whom jitter could move to or from the border.
        if (labels[i] === best[i] && gaps[i] - reach[line + best[i]] > jitter && whole[line + best[i]] === 0) {
          counts[line + best[i]] += weight;
          continue;
        }
        const hash = hashOf(views, i);
        const at = near.push(hash, patterns[i], weight, k);
        scorer.score(views, i, hash, near.buffer, at);
        const own = bestOf(near.buffer, at, offsets, line, k);
        if (whole[line + own] === 1 || isReached(near.buffer, at, offsets, line, k, own, reach)) continue;
        near.pop(k);
        counts[line + own] += weight;
      }
    });
    return { ...this.told(near), scores: near.numbers, counts };
  }

  async sums(decision: ScanDecision, movers: ScanMovers): Promise<ScanSums> {
    const { k, offsets } = decision;
    const counts = new Float64Array(offsets.length);
    const sums = new Float64Array(k * this.shape.dims);
    const told = new Float64Array(k);
    const settle = this.settler(decision, movers);
    await this.scan(
      decision,
      async (block, people) => {
        settle(block, people);
        const { labels, views } = block;
        const { patterns, weights } = views;
        for (let i = 0; i < people; i++) {
          told[labels[i]]++;
          counts[patterns[i] * k + labels[i]] += weights ? weights[i] : 1;
        }
        await block.addUp();
      },
      (block) => {
        block.sums.forEach((sum, cell) => {
          sums[cell] += sum;
        });
      },
    );
    return { people: told, counts, sums };
  }

  async labels(decision: ScanDecision, movers: ScanMovers, sink: LabelSink): Promise<Float64Array> {
    const sizes = new Float64Array(decision.k);
    const settle = this.settler(decision, movers);
    const names = this.options.names();
    try {
      // One lane: people are named in the order of the blocks.
      await this.scan(
        decision,
        async (block, people) => {
          settle(block, people);
          const { views } = block;
          const clusters = block.labels.slice(0, people);
          for (const cluster of clusters) sizes[cluster]++;
          const hashes = Float64Array.from(clusters, (_, i) => hashOf(views, i));
          await sink.write({ ids: await names.next(hashes), clusters });
        },
        undefined,
        1,
      );
      return sizes;
    } finally {
      await names.end();
    }
  }

  async close(): Promise<void> {
    await this.options.source.close();
  }

  private told({ hashes, patterns, weights }: Growing): Pick<ScannedScores, "hashes" | "patterns" | "weights"> {
    return { hashes, patterns, ...(this.shape.weighed ? { weights } : {}) };
  }

  /** The people whose hash is below this, with some numbers of each. */
  private async look(
    below: number,
    chosen: Growing,
    width: number,
    tell: (views: BlockViews, i: number, into: Float64Array, at: number, hash: number) => void,
  ): Promise<void> {
    const { source, onPeople } = this.options;
    const bytes = new Uint8Array(blockBytes(this.shape));
    const views = blockViews(this.shape, bytes.buffer, 0);
    for (let block = 0, seen = 0; seen < this.people; block++) {
      await source.read(block, bytes);
      const people = Math.min(this.shape.rows, this.people - seen);
      for (let i = 0; i < people; i++) {
        const hash = hashOf(views, i);
        if (hash >= below) continue;
        const at = chosen.push(hash, views.patterns[i], views.weights ? views.weights[i] : 1, width);
        tell(views, i, chosen.buffer, at, hash);
      }
      seen += people;
      onPeople?.(seen);
    }
  }

  /** Every block through a lane: `each` is told when it has been decided about, and `end` when a lane has no more. */
  private async scan(
    decision: ScanDecision,
    each: (block: BlockLane, people: number) => Promise<void>,
    end?: (block: BlockLane) => void,
    most = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { source, lanes, onPeople } = this.options;
    const blocks = Math.ceil(this.people / this.shape.rows);
    let next = 0;
    let seen = 0;
    await Promise.all(
      lanes.slice(0, most).map(async (lane) => {
        const block = new BlockLane(lane, this.shape, decision);
        try {
          while (next < blocks) {
            const number = next++;
            await source.read(number, block.bytes);
            const people = Math.min(this.shape.rows, this.people - number * this.shape.rows);
            await block.decide(people);
            await each(block, people);
            seen += people;
            onPeople?.(seen);
          }
          end?.(block);
        } finally {
          block.close();
        }
      }),
    );
  }

  /** Corrects the labels of a block: by jitter where it could matter, and by the movers. */
  private settler({ k, centres, offsets, jitter }: ScanDecision, movers: ScanMovers) {
    const scorer = new Scorer(this.shape, centres, jitter);
    const scores = new Float64Array(k);
    const moved = new Map(Array.from(movers.hashes, (hash, at) => [hash, movers.clusters[at]]));
    const marked = new Uint8Array(2 ** markedBits);
    for (const hash of movers.hashes) marked[hash % 2 ** markedBits] = 1;
    return ({ views, labels, gaps }: BlockLane, people: number): void => {
      const { hashes, patterns } = views;
      for (let i = 0; i < people; i++) {
        if (gaps[i] < jitter) {
          scorer.score(views, i, hashOf(views, i), scores, 0);
          labels[i] = bestOf(scores, 0, offsets, patterns[i] * k, k);
        }
        if (marked[hashes[2 * i] & (2 ** markedBits - 1)] === 1) {
          labels[i] = moved.get(hashOf(views, i)) ?? labels[i];
        }
      }
    };
  }
}

function hashOf({ hashes }: BlockViews, i: number): number {
  return hashes[2 * i] + hashes[2 * i + 1] * 2 ** 32;
}

/** The scores of one person, as `ScanDecision` defines them. */
class Scorer {
  readonly k: number;
  private readonly squares: Float64Array;

  constructor(
    private readonly shape: BlockShape,
    private readonly centres: Float64Array,
    private readonly jitter: number,
  ) {
    this.k = centres.length / shape.dims;
    this.squares = Float64Array.from({ length: this.k }, (_, m) => {
      return centres.subarray(m * shape.dims, (m + 1) * shape.dims).reduce((sum, c) => sum + c * c, 0);
    });
  }

  score({ points }: BlockViews, i: number, hash: number, into: Float64Array, at: number): void {
    const { centres, jitter, k, squares } = this;
    const { dims, rows } = this.shape;
    for (let m = 0; m < k; m++) {
      let inner = 0;
      for (let j = 0; j < dims; j++) inner += points[j * rows + i] * centres[m * dims + j];
      into[at + m] = squares[m] - 2 * inner + jitterOf(hash, m, jitter);
    }
  }
}

function bestOf(scores: Float64Array, at: number, offsets: Float64Array, line: number, k: number): number {
  let best = 0;
  for (let m = 1; m < k; m++) {
    if (scores[at + m] + offsets[line + m] < scores[at + best] + offsets[line + best]) best = m;
  }
  return best;
}

/** Whether another cluster than the best one is as near as its width. */
function isReached(
  scores: Float64Array,
  at: number,
  offsets: Float64Array,
  line: number,
  k: number,
  best: number,
  reach: Float64Array,
): boolean {
  const least = scores[at + best] + offsets[line + best];
  for (let m = 0; m < k; m++) {
    if (m !== best && scores[at + m] + offsets[line + m] <= least + reach[line + m]) return true;
  }
  return false;
}

/** Where the rows end: a file that is shorter than it was has been changed. */
export function cutShort(name: string): MoietyError {
  return new MoietyError("failed", `${name} has been cut short while it was read: run again`);
}
