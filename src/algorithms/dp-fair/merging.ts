import type { Bridge } from "./bridging.js";

/** What is known of the cells' people: noisy counts, clamped at 0. */
export interface Census {
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
}

/**
 * The balance of any set of cells: the smallest, over the groups of all attributes, of min(ratio, 1/ratio), ratio being the
 * group's share in the set over its share among everybody (F3KM section 5.1). For two equal groups it is 1 exactly when
 * equation 1's is, and falls with it. Where there is noise, one deviation of what it does to the ratio is taken off: of two
 * sets that look equally balanced, the one that is known better counts for more.
 */
export class Balance {
  private readonly shares: Float64Array;
  /** Of each cell: all attributes' groups in a row, and a 1 that counts cells. Rows of a set are added up. */
  readonly rows: readonly Float64Array[];

  constructor(readonly census: Census) {
    const width = census.attributes.reduce((sum, { groups }) => sum + groups, 0);
    this.rows = Array.from({ length: census.cells }, (_, cell) => {
      const row = new Float64Array(width + 1);
      let at = 0;
      for (const { groups, counts } of census.attributes) {
        for (let l = 0; l < groups; l++) row[at++] = counts[cell * groups + l]!;
      }
      row[width] = 1;
      return row;
    });
    const totals = new Float64Array(width + 1);
    for (const row of this.rows) for (let l = 0; l <= width; l++) totals[l]! += row[l]!;
    this.shares = new Float64Array(width);
    this.forEachAttribute(totals, (at, groups, people) => {
      for (let l = at; l < at + groups; l++) this.shares[l] = people > 0 ? totals[l]! / people : 0;
    });
  }

  of(counts: Float64Array): number {
    let worst = 1;
    const cells = Math.sqrt(counts[counts.length - 1]!);
    this.forEachAttribute(counts, (at, groups, people, deviation) => {
      if (people <= 0) worst = Math.min(worst, 0);
      else
        for (let l = at; l < at + groups; l++) {
          const overall = this.shares[l]!;
          // A group that the noise has hidden altogether cannot be balanced.
          if (overall <= 0) continue;
          const ratio = counts[l]! / (people * overall);
          const doubt = (deviation * cells) / (people * overall);
          worst = Math.min(worst, Math.min(ratio, ratio > 0 ? 1 / ratio : 0) - doubt);
        }
    });
    return worst;
  }

  private forEachAttribute(
    counts: Float64Array,
    action: (at: number, groups: number, people: number, deviation: number) => void,
  ): void {
    let at = 0;
    for (const { groups, deviation } of this.census.attributes) {
      let people = 0;
      for (let l = 0; l < groups; l++) people += counts[at + l]!;
      action(at, groups, people, deviation);
      at += groups;
    }
  }
}

/**
 * Greedy merging (algorithm 1, lines 5 and 6): again and again the two neighbouring clusters with the smallest
 * f(b) - lambda (Bal(union) - min(Bal, Bal)), until k are left. Returns the cluster of each cell, clusters numbered by their
 * lowest cell.
 */
export function mergeCells(
  balance: Balance,
  bridges: readonly Bridge[],
  k: number,
  { lambda, smallest }: MergeOptions,
): Uint16Array {
  const { cells, sizes } = balance.census;
  const clusters: (Cluster | null)[] = balance.rows.map((row, cell) => ({
    size: sizes[cell]!,
    counts: Float64Array.from(row),
  }));
  const owner = Uint16Array.from({ length: cells }, (_, cell) => cell);
  const f = new Float64Array(cells * cells).fill(Number.POSITIVE_INFINITY);
  for (const { a, b, f: value } of bridges) {
    f[a * cells + b] = value;
    f[b * cells + a] = value;
  }
  const least = smallest * sizes.reduce((sum, size) => sum + size, 0);
  for (let left = cells; left > k; left--) {
    const [a, b] = nextPair(clusters, f, balance, lambda, tooSmall(clusters, least));
    unite(clusters[a]!, clusters[b]!);
    clusters[b] = null;
    for (let cell = 0; cell < cells; cell++) {
      if (owner[cell] === b) owner[cell] = a;
      const nearer = Math.min(f[a * cells + cell]!, f[b * cells + cell]!);
      f[a * cells + cell] = nearer;
      f[cell * cells + a] = nearer;
    }
  }
  return numbered(owner);
}

/** The smallest cluster below the limit, or -1. */
function tooSmall(clusters: readonly (Cluster | null)[], least: number): number {
  let worst = -1;
  clusters.forEach((cluster, at) => {
    if (cluster && cluster.size < least && (worst < 0 || cluster.size < clusters[worst]!.size)) worst = at;
  });
  return worst;
}

/** The cheapest merger; of one given cluster, if that is 0 or more. Clusters that do not touch come last. */
function nextPair(
  clusters: readonly (Cluster | null)[],
  f: Float64Array,
  balance: Balance,
  lambda: number,
  only: number,
): [number, number] {
  const alone = clusters.map((cluster) => (cluster ? balance.of(cluster.counts) : 0));
  const together = new Float64Array(balance.rows[0]?.length ?? 0);
  let best: [number, number] = [-1, -1];
  let least = Number.POSITIVE_INFINITY;
  for (let a = 0; a < clusters.length; a++) {
    if (!clusters[a]) continue;
    for (let b = a + 1; b < clusters.length; b++) {
      if (!clusters[b] || (only >= 0 && a !== only && b !== only)) continue;
      const [one, other] = [clusters[a]!.counts, clusters[b]!.counts];
      for (let l = 0; l < together.length; l++) together[l] = one[l]! + other[l]!;
      const gain = balance.of(together) - Math.min(alone[a]!, alone[b]!);
      const touching = f[a * clusters.length + b]!;
      // Twice what any pair that touches can cost.
      const density = Number.isFinite(touching) ? touching : 2 + 2 * lambda;
      const distance = density - lambda * gain;
      if (distance < least) {
        least = distance;
        best = [a, b];
      }
    }
  }
  return best;
}

function unite(into: Cluster, other: Cluster): void {
  into.size += other.size;
  for (let l = 0; l < into.counts.length; l++) into.counts[l]! += other.counts[l]!;
}

/** Clusters numbered 0, 1, 2, … in the order of their lowest cell. */
function numbered(owner: Uint16Array): Uint16Array {
  const numbers = new Map<number, number>();
  return owner.map((cluster) => {
    if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
    return numbers.get(cluster)!;
  });
}
