import type { Census, Thresholds } from "./row-types.js";

export interface Placed {
  readonly persons: Float64Array;
  readonly patterns: Uint16Array;
  readonly patternCount: number;
}

/** Silhouettes are added up as multiples of this, so that the sum does not depend on how the rows are split. */
export const silhouetteUnit = 2 ** -20;

/** The clusters of one party's people, and what each person would cost elsewhere. */
export class FairRows {
  readonly labels: Uint16Array;
  private costs: Float64Array = new Float64Array(0);

  constructor(
    private readonly people: Placed,
    private readonly k: number,
  ) {
    this.labels = new Uint16Array(people.persons.length);
  }

  /** Takes the squared distances [n][k] over. */
  measure(distances: Float64Array, jitter: number): void {
    const { k } = this;
    this.costs = distances;
    if (jitter === 0) return;
    const { persons } = this.people;
    for (let i = 0; i < persons.length; i++) {
      for (let m = 0; m < k; m++) distances[i * k + m] += jitterOf(persons[i], m, jitter);
    }
  }

  assign(offsets: Float64Array): Census {
    const { k, costs, labels } = this;
    const { patterns, patternCount } = this.people;
    const counts = new Float64Array(patternCount * k);
    let cost = 0;
    for (let i = 0; i < labels.length; i++) {
      const line = patterns[i] * k;
      let best = 0;
      let least = costs[i * k] + offsets[line];
      for (let m = 1; m < k; m++) {
        const score = costs[i * k + m] + offsets[line + m];
        if (score < least) {
          least = score;
          best = m;
        }
      }
      labels[i] = best;
      counts[line + best]++;
      cost += costs[i * k + best];
    }
    return { counts, cost: Float64Array.of(cost) };
  }

  below(thresholds: Thresholds): Float64Array {
    const { width, counts } = emptyCounts(thresholds);
    this.eachMove(thresholds.moves, (i, at, gap) => {
      // The first threshold that the person is below; they are then below all later ones.
      let low = at * width;
      let high = low + width;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.isBelow(thresholds, i, gap, middle)) high = middle;
        else low = middle + 1;
      }
      if (low < (at + 1) * width) counts[low]++;
    });
    for (let at = 0; at < counts.length; at++) if (at % width !== 0) counts[at] += counts[at - 1];
    return counts;
  }

  transfer(thresholds: Thresholds): void {
    const { k } = this;
    const leaving: [number, number][] = [];
    this.eachMove(thresholds.moves, (i, at, gap) => {
      if (this.isBelow(thresholds, i, gap, at)) leaving.push([i, thresholds.moves[at] % k]);
    });
    for (const [i, to] of leaving) this.labels[i] = to;
  }

  /** The sum over people of (b - a) / max(a, b): the distance to the own centre, and to the nearest other one. */
  silhouette(sizes: Float64Array): number {
    const { k, costs, labels } = this;
    let total = 0;
    for (let i = 0; i < labels.length; i++) {
      if (sizes[labels[i]] <= 1) continue;
      let nearest = Number.POSITIVE_INFINITY;
      for (let m = 0; m < k; m++) {
        if (m !== labels[i] && sizes[m] > 0 && costs[i * k + m] < nearest) nearest = costs[i * k + m];
      }
      const a = Math.sqrt(costs[i * k + labels[i]]);
      const b = Math.sqrt(nearest);
      if (Number.isFinite(b) && Math.max(a, b) > 0) total += Math.round((b - a) / Math.max(a, b) / silhouetteUnit);
    }
    return total;
  }

  /** Everybody who could make one of the moves, with its place in the list and the gap. */
  private eachMove(moves: Uint32Array, visit: (person: number, at: number, gap: number) => void): void {
    const { k, costs, labels } = this;
    const { patterns, patternCount } = this.people;
    const place = new Int32Array(patternCount * k * k).fill(-1);
    moves.forEach((move, at) => {
      place[move] = at;
    });
    for (let i = 0; i < labels.length; i++) {
      const cells = (patterns[i] * k + labels[i]) * k;
      for (let m = 0; m < k; m++) {
        if (place[cells + m] >= 0) visit(i, place[cells + m], costs[i * k + m] - costs[i * k + labels[i]]);
      }
    }
  }

  private isBelow({ gaps, persons }: Thresholds, person: number, gap: number, at: number): boolean {
    return gap < gaps[at] || (gap === gaps[at] && this.people.persons[person] <= persons[at]);
  }
}

function emptyCounts({ moves, gaps }: Thresholds): { width: number; counts: Float64Array } {
  return { width: moves.length === 0 ? 1 : gaps.length / moves.length, counts: new Float64Array(gaps.length) };
}

/** The kernels' jitter (assembly/shard.ts): a fixed pseudo-random whole number below `amplitude`. */
function jitterOf(person: number, cluster: number, amplitude: number): number {
  let h = Math.imul(person + 1, 0x9e3779b1) ^ Math.imul(cluster + 1, 0x85ebca77);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  h ^= h >>> 15;
  return Math.floor((h >>> 0) * amplitude * 2 ** -32);
}
