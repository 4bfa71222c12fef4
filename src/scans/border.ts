import type { AssignmentCounts } from "../parties/cheapest-clusters.js";
import { RowClusters, type Thresholds } from "../parties/row-clusters.js";
import type { PricedPeople } from "../solver/priced-assignment.js";
import type { ScanMovers, ScannedScores } from "./scanner.js";

/** People whose scores are known one by one (from here on less the least of each person), beside others of whom only counts are, and who stay where they are. */
export class KnownScores implements PricedPeople {
  readonly farthest: number;
  private readonly rows: RowClusters;

  constructor(
    readonly people: ScannedScores,
    readonly k: number,
    /** [patterns][k]: the others. */
    private readonly others: Float64Array,
  ) {
    const { hashes, patterns, scores } = people;
    this.farthest = fromLeast(scores, k) + 1;
    this.rows = new RowClusters({ persons: hashes, patterns, patternCount: others.length / k }, k);
    this.rows.measure(scores, 0);
  }

  get count(): number {
    return this.people.hashes.length;
  }

  async assign(offsets: Float64Array): Promise<AssignmentCounts> {
    const { counts, cost } = this.rows.assign(offsets);
    return { counts: counts.map((count, cell) => count + this.others[cell]), cost };
  }

  async settle(offsets: Float64Array): Promise<void> {
    this.rows.assign(offsets);
  }

  async below(thresholds: Thresholds): Promise<Float64Array> {
    return this.rows.below(thresholds);
  }

  async transfer(thresholds: Thresholds): Promise<void> {
    this.rows.transfer(thresholds);
  }

  movable(): Float64Array {
    const counts = new Float64Array(this.others.length);
    this.rows.labels.forEach((cluster, i) => {
      counts[this.people.patterns[i] * this.k + cluster]++;
    });
    return counts;
  }

  /** Those who are not where these offsets alone would have them. */
  movers(offsets: Float64Array): ScanMovers {
    const placed = this.rows.labels.slice();
    this.rows.assign(offsets);
    const { hashes } = this.people;
    const moved = Array.from(placed.keys()).filter((i) => placed[i] !== this.rows.labels[i]);
    moved.sort((a, b) => hashes[a] - hashes[b]);
    return {
      hashes: Float64Array.from(moved, (i) => hashes[i]),
      clusters: Uint16Array.from(moved, (i) => placed[i]),
    };
  }
}

/** In place: each person's scores less the least of them, so that sums are exact in any order. Returns the largest. */
function fromLeast(scores: Float64Array, k: number): number {
  let largest = 0;
  for (let from = 0; from < scores.length; from += k) {
    let least = scores[from];
    for (let m = 1; m < k; m++) if (scores[from + m] < least) least = scores[from + m];
    for (let m = 0; m < k; m++) {
      scores[from + m] -= least;
      if (scores[from + m] > largest) largest = scores[from + m];
    }
  }
  return largest;
}

/** How far apart the two best clusters of each person are under offsets: whoever is wanted by one only is at infinity. */
export function gapsAt({ patterns, scores }: ScannedScores, k: number, offsets: Float64Array): Float64Array {
  return Float64Array.from(patterns, (pattern, i) => {
    let [least, second] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let m = 0; m < k; m++) {
      const score = scores[i * k + m] + offsets[pattern * k + m];
      if (score < least) [least, second] = [score, least];
      else if (score < second) second = score;
    }
    return second - least;
  });
}

/**
 * By how much, for each pattern, a cluster may have become dearer against another one between two sets of offsets. Whoever's best
 * cluster was ahead by more keeps it.
 */
export function driftOf(from: Float64Array, to: Float64Array, k: number): Float64Array {
  return Float64Array.from({ length: from.length / k }, (_, pattern) => {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let cell = pattern * k; cell < (pattern + 1) * k; cell++) {
      least = Math.min(least, to[cell] - from[cell]);
      most = Math.max(most, to[cell] - from[cell]);
    }
    return most - least;
  });
}
