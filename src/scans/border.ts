import type { AssignmentCounts } from "../parties/cheapest-clusters.js";
import { RowClusters, type Thresholds } from "../parties/row-clusters.js";
import type { PricedPeople } from "../solver/priced-assignment.js";
import type { ScanMovers, ScannedScores, ScanWidths } from "./scanner.js";

/** People whose scores are known one by one (from here on less the least of each person), beside others of whom only counts are, and who stay where they are. */
export class KnownScores implements PricedPeople {
  readonly farthest: number;
  readonly isFarthest = true;
  private readonly rows: RowClusters;

  constructor(
    readonly people: ScannedScores,
    readonly k: number,
    /** [patterns][k]: the others. */
    private readonly others: Float64Array,
  ) {
    const { hashes, patterns, scores, weights } = people;
    this.farthest = fromLeast(scores, k) + 1;
    this.rows = new RowClusters({ persons: hashes, patterns, patternCount: others.length / k, weights }, k);
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
    const { patterns, weights } = this.people;
    this.rows.labels.forEach((cluster, i) => {
      counts[patterns[i] * this.k + cluster] += weights ? weights[i] : 1;
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

/**
 * Where people have weights, in the order of their hashes: what they cost together is then no whole number that every order of
 * additions leads to.
 */
export function inOneOrder(people: ScannedScores, k: number): ScannedScores {
  const { hashes, patterns, weights, scores } = people;
  if (!weights) return people;
  const order = Uint32Array.from(hashes.keys()).sort(
    (a, b) => hashes[a] - hashes[b] || patterns[a] - patterns[b] || weights[a] - weights[b],
  );
  return pickPeople(people, order, k, scores);
}

/** Some of the people, with their scores. */
export function pickPeople(
  { hashes, patterns, weights }: Omit<ScannedScores, "scores">,
  rows: ArrayLike<number>,
  k: number,
  scores: Float64Array,
): ScannedScores {
  const own = new Float64Array(rows.length * k);
  for (let to = 0; to < rows.length; to++) own.set(scores.subarray(rows[to] * k, (rows[to] + 1) * k), to * k);
  return {
    hashes: Float64Array.from(rows, (i) => hashes[i]),
    patterns: Uint16Array.from(rows, (i) => patterns[i]),
    ...(weights ? { weights: Float64Array.from(rows, (i) => weights[i]) } : {}),
    scores: own,
  };
}

/** What people count for together. */
export function weightOf({ hashes, weights }: Pick<ScannedScores, "hashes" | "weights">): number {
  return weights ? weights.reduce((sum, weight) => sum + weight, 0) : hashes.length;
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

/** How each person stands to all clusters under offsets: their best one, and how far the others are behind it. */
export interface BorderPlace {
  readonly k: number;
  readonly patterns: Uint16Array;
  readonly best: Uint16Array;
  /** [people][k]; 0 for the best. */
  readonly behind: Float64Array;
}

export function standingAt({ patterns, scores }: ScannedScores, k: number, offsets: Float64Array): BorderPlace {
  const best = new Uint16Array(patterns.length);
  const behind = new Float64Array(scores.length);
  patterns.forEach((pattern, i) => {
    for (let m = 0; m < k; m++) {
      behind[i * k + m] = scores[i * k + m] + offsets[pattern * k + m];
      if (behind[i * k + m] < behind[i * k + best[i]]) best[i] = m;
    }
    const least = behind[i * k + best[i]];
    for (let m = 0; m < k; m++) behind[i * k + m] -= least;
  });
  return { k, patterns, best, behind };
}

/** How many of the people a border of these widths has. */
export function peopleWithin({ k, patterns, best, behind }: BorderPlace, { reach, whole }: ScanWidths): number {
  let people = 0;
  for (let i = 0; i < patterns.length; i++) {
    const line = patterns[i] * k;
    let near = whole[line + best[i]] === 1;
    for (let m = 0; m < k && !near; m++) near = m !== best[i] && behind[i * k + m] <= reach[line + m];
    if (near) people++;
  }
  return people;
}

/**
 * By how much each cluster has become cheaper for a pattern, between two sets of offsets, than another one that has people who are not known.
 * Whoever is further from it than that does not join it.
 */
export function driftTo(from: Float64Array, to: Float64Array, k: number, whole: Uint8Array): Float64Array {
  const drift = new Float64Array(from.length);
  for (let line = 0; line < from.length; line += k) {
    for (let m = line; m < line + k; m++) {
      for (let other = line; other < line + k; other++) {
        if (other === m || whole[other] === 1) continue;
        drift[m] = Math.max(drift[m], to[other] - from[other] - (to[m] - from[m]));
      }
    }
  }
  return drift;
}
