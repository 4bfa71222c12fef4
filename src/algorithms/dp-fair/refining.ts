import type { Bridge } from "./bridging.js";
import type { CellBalance, MergeOptions } from "./merging.js";

/** Changes that lower the cost by less are not made. */
const improvement = 1e-9;

/** A cell, and the cluster that it goes to. */
type Change = readonly [cell: number, to: number];

/**
 * Local search on the clusters of the cells, after merging: single cells change cluster, or two cells of neighbouring
 * clusters change places, while that lowers
 *   (sum over cells of the density at their best bridge within the cluster) / cells - lambda (least balance + mean balance).
 * A cell only joins a cluster that it touches, and never cuts its own in two. It uses the same noisy counts as merging, so it costs no
 * privacy; where noise is large against the cells it would only fit the noise.
 */
export class CellSearch {
  readonly owner: Uint16Array;
  private readonly cells: number;
  private readonly neighbours: readonly { readonly cell: number; readonly f: number }[][];
  private readonly counts: Float64Array[];
  private readonly sizes: Float64Array;
  private readonly least: number;
  private readonly balances: Float64Array;
  private readonly lambda: number;
  cost: number;

  constructor(
    private readonly balance: CellBalance,
    bridges: readonly Bridge[],
    merged: Uint16Array,
    private readonly k: number,
    { lambda, smallest }: MergeOptions,
  ) {
    this.lambda = lambda;
    const { cells, sizes } = balance.census;
    this.cells = cells;
    this.owner = Uint16Array.from(merged);
    const neighbours = Array.from({ length: cells }, (): { cell: number; f: number }[] => []);
    for (const { a, b, f } of bridges) {
      neighbours[a].push({ cell: b, f });
      neighbours[b].push({ cell: a, f });
    }
    // The best bridge first: the first neighbour of the own cluster is the one that counts.
    for (const list of neighbours) list.sort((one, other) => one.f - other.f || one.cell - other.cell);
    this.neighbours = neighbours;
    this.least = smallest * sizes.reduce((sum, size) => sum + size, 0);
    this.sizes = new Float64Array(k);
    this.counts = Array.from({ length: k }, () => new Float64Array(balance.rows[0]?.length ?? 0));
    this.owner.forEach((cluster, cell) => {
      this.sizes[cluster] += sizes[cell];
      add(this.counts[cluster], balance.rows[cell], 1);
    });
    this.balances = Float64Array.from(this.counts, (counts) => balance.of(counts));
    this.cost = this.links() + this.unfairness();
  }

  run(): this {
    while (this.bestMove() || this.bestSwap());
    return this;
  }

  /** Makes the best change of one cell; false when there is none. */
  private bestMove(): boolean {
    let best: Change | null = null;
    let least = this.cost - improvement;
    for (let cell = 0; cell < this.cells; cell++) {
      const from = this.owner[cell];
      for (const to of this.touched(cell)) {
        const cost = this.tryOut([[cell, to]], least);
        if (cost < least && this.staysConnected(from, [[cell, to]])) {
          least = cost;
          best = [cell, to];
        }
      }
    }
    if (best) this.keep([best]);
    return best !== null;
  }

  /** Makes the best exchange of two cells of different clusters. */
  private bestSwap(): boolean {
    let best: readonly Change[] | null = null;
    let least = this.cost - improvement;
    const touched = Array.from({ length: this.cells }, (_, cell) => this.touched(cell));
    for (let a = 0; a < this.cells; a++) {
      for (let b = a + 1; b < this.cells; b++) {
        const [one, other] = [this.owner[a], this.owner[b]];
        if (one === other || !touched[a].has(other) || !touched[b].has(one)) continue;
        const swap: readonly Change[] = [
          [a, other],
          [b, one],
        ];
        const cost = this.tryOut(swap, least);
        if (cost < least && this.staysConnected(one, swap) && this.staysConnected(other, swap)) {
          least = cost;
          best = swap;
        }
      }
    }
    if (best) this.keep(best);
    return best !== null;
  }

  /** The other clusters that a cell touches. */
  private touched(cell: number): Set<number> {
    const clusters = new Set(this.neighbours[cell].map((neighbour) => this.owner[neighbour.cell]));
    clusters.delete(this.owner[cell]);
    return clusters;
  }

  /** What the cost would be; infinite where a cluster would be too small, or where it cannot be below the limit. */
  private tryOut(changes: readonly Change[], limit: number): number {
    const undo = changes.map(([cell]): Change => [cell, this.owner[cell]]);
    const [one, other] = [undo[0][1], changes[0][1]];
    const before = [this.balances[one], this.balances[other]] as const;
    this.move(changes);
    let cost = Number.POSITIVE_INFINITY;
    if (!this.small(one) && !this.small(other)) {
      this.balances[one] = this.balance.of(this.counts[one]);
      this.balances[other] = this.balance.of(this.counts[other]);
      const unfair = this.unfairness();
      // Links are worth 1 at most.
      if (unfair - 1 < limit) cost = unfair + this.links();
    }
    this.move(undo);
    [this.balances[one], this.balances[other]] = before;
    return cost;
  }

  private small(cluster: number): boolean {
    return this.sizes[cluster] < this.least || this.sizes[cluster] <= 0;
  }

  private keep(changes: readonly Change[]): void {
    const touched = changes.flatMap(([cell, to]) => [this.owner[cell], to]);
    this.move(changes);
    for (const cluster of touched) this.balances[cluster] = this.balance.of(this.counts[cluster]);
    this.cost = this.links() + this.unfairness();
  }

  private move(changes: readonly Change[]): void {
    for (const [cell, to] of changes) {
      const from = this.owner[cell];
      const row = this.balance.rows[cell];
      const size = this.balance.census.sizes[cell];
      add(this.counts[from], row, -1);
      add(this.counts[to], row, 1);
      this.sizes[from] -= size;
      this.sizes[to] += size;
      this.owner[cell] = to;
    }
  }

  private links(): number {
    let links = 0;
    for (let cell = 0; cell < this.cells; cell++) {
      for (const neighbour of this.neighbours[cell]) {
        if (this.owner[neighbour.cell] !== this.owner[cell]) continue;
        links += neighbour.f;
        break;
      }
    }
    return links / this.cells;
  }

  private unfairness(): number {
    let [worst, sum] = [1, 0];
    for (let m = 0; m < this.k; m++) {
      worst = Math.min(worst, this.balances[m]);
      sum += this.balances[m];
    }
    return -this.lambda * (worst + sum / this.k);
  }

  /** Whether a cluster stays in one piece under these changes; one that is in pieces already may stay so. */
  private staysConnected(cluster: number, changes: readonly Change[]): boolean {
    const after = this.pieces(cluster, changes);
    return after === 1 || (after > 1 && after <= this.pieces(cluster, []));
  }

  private pieces(cluster: number, changes: readonly Change[]): number {
    const changed = new Map(changes);
    const left = new Set<number>();
    this.owner.forEach((owner, cell) => {
      if ((changed.get(cell) ?? owner) === cluster) left.add(cell);
    });
    let pieces = 0;
    for (const first of left) {
      pieces++;
      const reached = [first];
      left.delete(first);
      while (reached.length > 0) {
        for (const { cell } of this.neighbours[reached.pop()!]) if (left.delete(cell)) reached.push(cell);
      }
    }
    return pieces;
  }
}

function add(into: Float64Array, row: Float64Array, sign: number): void {
  for (let l = 0; l < into.length; l++) into[l] += sign * row[l];
}
