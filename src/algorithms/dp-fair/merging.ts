import type { Bridge } from "./bridging.js";

/** Noisy counts of the people in cells. */
export interface CellCensus {
  readonly cells: number;
  /** [cells] */
  readonly sizes: Float64Array;
  /** One for each attribute: how many groups, [cells][groups], and the deviation of the noise on a count. */
  readonly attributes: readonly {
    readonly groups: number;
    readonly counts: Float64Array;
    readonly deviation: number;
  }[];
}

export interface MergeOptions {
  /** Fairness against density: 10 is fairness first, 0 density only. */
  readonly lambda: number;
  /** Clusters of fewer than this share of everybody are merged first. */
  readonly smallest: number;
}

/** A set of cells, with the people in it. */
interface Cluster {
  size: number;
  /** All attributes' groups in a row. */
  readonly counts: Float64Array;
  /** Whether it has become part of another cluster. */
  merged: boolean;
}

/**
 * The balance of any set of cells: the smallest, over the groups of all attributes, of min(ratio, 1/ratio), ratio being the
 * group's share in the set over its share among everybody (F3KM section 5.1). For two equal groups it is 1 exactly when
 * equation 1's is, and falls with it. Where there is noise, one deviation of its effect on the ratio is subtracted: of two
 * sets that look equally balanced, the one with the smaller relative noise wins.
 */
export class CellBalance {
  private readonly shares: Float64Array;
  /** Of each cell: all attributes' groups in a row, and a 1 that counts cells. Rows of a set are added up. */
  readonly rows: readonly Float64Array[];

  constructor(readonly census: CellCensus) {
    const width = census.attributes.reduce((sum, { groups }) => sum + groups, 0);
    this.rows = Array.from({ length: census.cells }, (_, cell) => {
      const row = new Float64Array(width + 1);
      let at = 0;
      for (const { groups, counts } of census.attributes) {
        for (let l = 0; l < groups; l++) row[at++] = counts[cell * groups + l];
      }
      row[width] = 1;
      return row;
    });
    const totals = new Float64Array(width + 1);
    for (const row of this.rows) for (let l = 0; l <= width; l++) totals[l] += row[l];
    this.shares = new Float64Array(width);
    let at = 0;
    for (const { groups } of census.attributes) {
      const people = total(totals, at, groups);
      for (let l = 0; l < groups; l++, at++) this.shares[at] = people > 0 ? totals[at] / people : 0;
    }
  }

  /** Local search calls this about a hundred thousand times. */
  of(counts: Float64Array): number {
    const cells = Math.sqrt(counts[counts.length - 1]);
    let worst = 1;
    let at = 0;
    for (const { groups, deviation } of this.census.attributes) {
      const people = total(counts, at, groups);
      if (people <= 0) return Math.min(worst, 0);
      for (const end = at + groups; at < end; at++) {
        const expected = people * this.shares[at];
        // A group whose noisy counts are all 0 cannot be balanced.
        if (expected <= 0) continue;
        const ratio = counts[at] / expected;
        const even = ratio > 1 ? 1 / ratio : ratio;
        worst = Math.min(worst, even - (deviation * cells) / expected);
      }
    }
    return worst;
  }
}

function total(counts: Float64Array, from: number, groups: number): number {
  let people = 0;
  for (let l = from; l < from + groups; l++) people += counts[l];
  return people;
}

/**
 * Greedy merging (algorithm 1, lines 5 and 6): again and again the two neighbouring clusters with the smallest
 * f(b) - lambda (Bal(union) - min(Bal, Bal)), until k are left. Returns the cluster of each cell, clusters numbered by their
 * lowest cell.
 */
export function mergeCells(
  balance: CellBalance,
  bridges: readonly Bridge[],
  k: number,
  { lambda, smallest }: MergeOptions,
): Uint16Array {
  const { cells, sizes } = balance.census;
  const clusters = balance.rows.map(
    (row, cell): Cluster => ({ size: sizes[cell], counts: Float64Array.from(row), merged: false }),
  );
  const owner = Uint16Array.from({ length: cells }, (_, cell) => cell);
  const f = new Float64Array(cells * cells).fill(Number.POSITIVE_INFINITY);
  for (const { a, b, f: value } of bridges) {
    f[a * cells + b] = value;
    f[b * cells + a] = value;
  }
  const least = smallest * sizes.reduce((sum, size) => sum + size, 0);
  const pairs = new Pairs(clusters, f, balance, lambda);
  for (let left = cells; left > k; left--) {
    const [a, b] = pairs.cheapest(tooSmall(clusters, least));
    unite(clusters[a], clusters[b]);
    for (let cell = 0; cell < cells; cell++) {
      if (owner[cell] === b) owner[cell] = a;
      const nearer = Math.min(f[a * cells + cell], f[b * cells + cell]);
      f[a * cells + cell] = nearer;
      f[cell * cells + a] = nearer;
    }
    pairs.refresh(a);
  }
  return numbered(owner);
}

/** The smallest cluster below the limit, or -1. */
function tooSmall(clusters: readonly Cluster[], least: number): number {
  let worst = -1;
  clusters.forEach((cluster, at) => {
    if (!cluster.merged && cluster.size < least && (worst < 0 || cluster.size < clusters[worst].size)) worst = at;
  });
  return worst;
}

/** What each merger would cost. Only those of a cluster that has changed are computed again. */
class Pairs {
  private readonly alone: Float64Array;
  /** [clusters][clusters], the lower number first. */
  private readonly distances: Float64Array;
  private readonly union: Float64Array;

  constructor(
    private readonly clusters: readonly Cluster[],
    private readonly f: Float64Array,
    private readonly balance: CellBalance,
    private readonly lambda: number,
  ) {
    this.alone = Float64Array.from(clusters, ({ counts }) => balance.of(counts));
    this.distances = new Float64Array(clusters.length ** 2);
    this.union = new Float64Array(clusters[0].counts.length);
    for (let a = 0; a < clusters.length; a++) this.measure(a, a + 1);
  }

  refresh(a: number): void {
    this.alone[a] = this.balance.of(this.clusters[a].counts);
    this.measure(a, 0);
  }

  /** The cheapest merger; of one given cluster, if that is 0 or more. */
  cheapest(only: number): [number, number] {
    const count = this.clusters.length;
    let best: [number, number] = [-1, -1];
    let least = Number.POSITIVE_INFINITY;
    for (let a = 0; a < count; a++) {
      if (this.clusters[a].merged) continue;
      for (let b = a + 1; b < count; b++) {
        if (this.clusters[b].merged || (only >= 0 && a !== only && b !== only)) continue;
        if (this.distances[a * count + b] >= least) continue;
        least = this.distances[a * count + b];
        best = [a, b];
      }
    }
    return best;
  }

  private measure(a: number, from: number): void {
    const { clusters, union, alone, lambda } = this;
    const one = clusters[a].counts;
    for (let b = from; b < clusters.length; b++) {
      const { counts: other, merged } = clusters[b];
      if (merged || a === b) continue;
      for (let l = 0; l < union.length; l++) union[l] = one[l] + other[l];
      const gain = this.balance.of(union) - Math.min(alone[a], alone[b]);
      const touching = this.f[a * clusters.length + b];
      // Clusters that do not touch come last: twice what any pair that touches can cost.
      const density = Number.isFinite(touching) ? touching : 2 + 2 * lambda;
      this.distances[Math.min(a, b) * clusters.length + Math.max(a, b)] = density - lambda * gain;
    }
  }
}

function unite(into: Cluster, other: Cluster): void {
  other.merged = true;
  into.size += other.size;
  for (let l = 0; l < into.counts.length; l++) into.counts[l] += other.counts[l];
}

/** Clusters numbered 0, 1, 2, … in the order of their lowest cell. */
export function numbered(owner: Uint16Array): Uint16Array {
  const numbers = new Map<number, number>();
  return owner.map((cluster) => {
    if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
    return numbers.get(cluster)!;
  });
}
