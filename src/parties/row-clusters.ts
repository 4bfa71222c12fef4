import { jitter } from "../kernels/jitter.js";
import { type AssignmentCounts, CheapestClusters } from "./cheapest-clusters.js";

/** See `below` in row-questions.ts. */
export interface Thresholds {
  readonly moves: Uint32Array;
  /** [moves][width], ascending for each move. */
  readonly gaps: Float64Array;
  readonly persons: Float64Array;
}

export interface EnrolledPeople {
  readonly persons: Float64Array;
  readonly patterns: Uint16Array;
  readonly patternCount: number;
  /** How often each person counts; default: once. */
  readonly weights?: Float64Array | undefined;
}

/** Silhouettes are added up as multiples of this, so that the sum does not depend on how the rows are split. */
export const silhouetteUnit = 2 ** -20;

/** The clusters of one party's people, and each person's cost in every cluster. */
export class RowClusters {
  readonly labels: Uint16Array;
  private readonly choices: CheapestClusters;
  private costs: Float64Array = new Float64Array(0);

  constructor(
    private readonly people: EnrolledPeople,
    private readonly k: number,
  ) {
    this.labels = new Uint16Array(people.persons.length);
    this.choices = new CheapestClusters(people.patterns, people.patternCount, k, people.weights);
  }

  /** Costs are these squared distances, [n][k], which are changed in place: a jitter below `amplitude` is added. */
  measure(distances: Float64Array, amplitude: number): void {
    const { k } = this;
    this.costs = distances;
    this.choices.restart(distances);
    if (amplitude === 0) return;
    const { persons } = this.people;
    for (let i = 0; i < persons.length; i++) {
      for (let m = 0; m < k; m++) distances[i * k + m] += jitter(persons[i], m, amplitude);
    }
  }

  assign(offsets: Float64Array): AssignmentCounts {
    const { chosen, census } = this.choices.choose(offsets);
    this.adopt(chosen);
    return census;
  }

  adopt(labels: Uint16Array): void {
    this.labels.set(labels);
  }

  below(thresholds: Thresholds): Float64Array {
    const { k, costs, labels } = this;
    const { patterns, persons, weights } = this.people;
    const counting = new ThresholdCounts(thresholds);
    const { steps, ignoresNumbers, size } = counting;
    const { offered, place } = this.offers(thresholds.moves);
    // Person by person, not move by move: the costs do not fit the cache, and are so read once.
    for (let i = 0; i < labels.length; i++) {
      const cell = patterns[i] * k + labels[i];
      if (offered[cell] === 0) continue;
      const own = costs[i * k + labels[i]];
      for (let m = 0; m < k; m++) {
        const at = place[cell * k + m];
        if (at < 0) continue;
        const gap = costs[i * k + m] - own;
        const counted = ignoresNumbers
          ? firstNotBelow(counting.gaps, steps, at * size, gap)
          : counting.firstNotBelow(at, gap, persons[i]);
        counting.counts[counted] += weights ? weights[i] : 1;
      }
    }
    return counting.below();
  }

  transfer({ moves, gaps, persons }: Thresholds): void {
    const { k, costs, labels } = this;
    const { patterns } = this.people;
    const { offered, place } = this.offers(moves);
    for (let i = 0; i < labels.length; i++) {
      const [from, cell] = [labels[i], patterns[i] * k + labels[i]];
      if (offered[cell] === 0) continue;
      for (let m = 0; m < k; m++) {
        const at = place[cell * k + m];
        if (at < 0) continue;
        const gap = costs[i * k + m] - costs[i * k + from];
        // Of several moves the last one counts.
        if (gap < gaps[at] || (gap === gaps[at] && this.people.persons[i] <= persons[at])) labels[i] = m;
      }
    }
  }

  /** The sum over people, as often as they count, of (b - a) / max(a, b): the distance to the own centre, and to the nearest other one. */
  silhouette(sizes: Float64Array): number {
    const { k, costs, labels } = this;
    const { weights } = this.people;
    let total = 0;
    for (let i = 0; i < labels.length; i++) {
      if (sizes[labels[i]] <= 1) continue;
      let nearest = Number.POSITIVE_INFINITY;
      for (let m = 0; m < k; m++) {
        if (m !== labels[i] && sizes[m] > 0 && costs[i * k + m] < nearest) nearest = costs[i * k + m];
      }
      const a = Math.sqrt(costs[i * k + labels[i]]);
      const b = Math.sqrt(nearest);
      if (!Number.isFinite(b) || Math.max(a, b) === 0) continue;
      const own = Math.round((b - a) / Math.max(a, b) / silhouetteUnit);
      total += weights ? weights[i] * own : own;
    }
    return total;
  }

  /** For each cell, pattern * k + cluster: whether any move leaves it; and the place of each move in the list, or -1. */
  private offers(moves: Uint32Array): { readonly offered: Uint8Array; readonly place: Int32Array } {
    const { k } = this;
    const offered = new Uint8Array(this.people.patternCount * k);
    const place = new Int32Array(offered.length * k).fill(-1);
    moves.forEach((move, at) => {
      offered[Math.floor(move / k)] = 1;
      place[move] = at;
    });
    return { offered, place };
  }
}

/** The thresholds of all moves, each list padded for a binary search; and for how many people each is the first not below their gap. */
class ThresholdCounts {
  readonly width: number;
  readonly size: number;
  /** Steps of the binary search, less one. */
  readonly steps: number;
  readonly gaps: Float64Array;
  readonly counts: Float64Array;
  /** Whether every threshold includes all people with its very gap, so that people's numbers do not matter. */
  readonly ignoresNumbers: boolean;
  private readonly persons: Float64Array;

  constructor({ moves, gaps, persons }: Thresholds) {
    this.width = moves.length === 0 ? 1 : gaps.length / moves.length;
    this.steps = Math.ceil(Math.log2(this.width + 1)) - 1;
    this.size = 2 << this.steps;
    this.gaps = new Float64Array(moves.length * this.size).fill(Number.POSITIVE_INFINITY);
    this.persons = new Float64Array(this.gaps.length);
    this.counts = new Float64Array(this.gaps.length);
    for (let at = 0; at < moves.length; at++) {
      const [from, to] = [at * this.width, (at + 1) * this.width];
      this.gaps.set(gaps.subarray(from, to), at * this.size);
      this.persons.set(persons.subarray(from, to), at * this.size);
    }
    this.ignoresNumbers = persons.every((person) => person === Number.MAX_SAFE_INTEGER);
  }

  /** As the function below, where ties between a gap and a threshold are decided by the person's number. */
  firstNotBelow(at: number, gap: number, person: number): number {
    let low = at * this.size;
    for (let bit = this.steps; bit >= 0; bit--) {
      const step = low + (1 << bit) - 1;
      if (gap > this.gaps[step] || (gap === this.gaps[step] && person > this.persons[step])) low += 1 << bit;
    }
    return low;
  }

  /** [moves][width]: how many people are below each threshold. */
  below(): Float64Array {
    const { width, size, counts } = this;
    const below = new Float64Array((counts.length / size) * width);
    for (let at = 0; at < below.length; at++) {
      const step = at % width;
      const own = counts[((at - step) / width) * size + step];
      below[at] = step === 0 ? own : below[at - 1] + own;
    }
    return below;
  }
}

/** Binary search for the first threshold from `low` on that is not below a gap, without branches that depend on the gap. */
function firstNotBelow(gaps: Float64Array, steps: number, low: number, gap: number): number {
  let at = low;
  for (let bit = steps; bit >= 0; bit--) at += +(gap > gaps[at + (1 << bit) - 1]) << bit;
  return at;
}
