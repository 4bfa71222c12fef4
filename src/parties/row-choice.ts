/** [patterns][k] people, and [1]: everybody's squared distances to the centre of their cluster, jitter included. */
export interface AssignmentCounts {
  readonly counts: Float64Array;
  readonly cost: Float64Array;
}

/**
 * Everybody's cheapest cluster under offsets that change from question to question. Whoever's best is ahead of the second
 * best by more than the offsets can have changed since that was found stays where they are, unlooked at: the answers are
 * the same, since costs and offsets are whole numbers.
 */
export class Choices {
  private readonly chosen: Uint16Array;
  /** Where each person is counted, pattern * k + cluster. */
  private readonly cells: Uint32Array;
  /** How far the offsets of a cell may have drifted until the person must be looked at again. */
  private readonly enough: Float64Array;
  /** By how much the clusters of a cell's people have become dearer than others, at most, added up over all questions. */
  private readonly drift: Float64Array;
  private readonly counts: Float64Array;
  private cost = 0;
  private costs: Float64Array = new Float64Array(0);
  private last: Float64Array | undefined;

  constructor(
    private readonly patterns: Uint16Array,
    patternCount: number,
    private readonly k: number,
  ) {
    const n = patterns.length;
    this.chosen = new Uint16Array(n);
    this.cells = new Uint32Array(n);
    this.enough = new Float64Array(n);
    this.drift = new Float64Array(patternCount * k);
    this.counts = new Float64Array(patternCount * k);
  }

  /** From here on these are everybody's costs, [n][k]. */
  restart(costs: Float64Array): void {
    this.costs = costs;
    this.last = undefined;
  }

  /** Everybody to the cluster of least cost and offset, lowest number first. */
  choose(offsets: Float64Array): { readonly chosen: Uint16Array; readonly census: AssignmentCounts } {
    if (this.last) this.lookAgain(offsets);
    else this.lookAtAll(offsets);
    this.last = offsets;
    return { chosen: this.chosen, census: { counts: this.counts.slice(), cost: Float64Array.of(this.cost) } };
  }

  private lookAtAll(offsets: Float64Array): void {
    const { patterns, k } = this;
    this.drift.fill(0);
    this.counts.fill(0);
    this.cost = 0;
    for (let i = 0; i < patterns.length; i++) this.settle(i, patterns[i] * k, offsets);
  }

  private lookAgain(offsets: Float64Array): void {
    const { patterns, cells, enough, drift, counts, costs, chosen, k } = this;
    this.addDrift(offsets);
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i];
      if (enough[i] > drift[cell]) continue;
      counts[cell]--;
      this.cost -= costs[i * k + chosen[i]];
      this.settle(i, patterns[i] * k, offsets);
    }
  }

  private addDrift(offsets: Float64Array): void {
    const { drift, last, k } = this;
    for (let line = 0; line < drift.length; line += k) {
      // The least and the second least change: others cannot have become cheaper by more.
      let [least, second, at] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, -1];
      for (let m = 0; m < k; m++) {
        const change = offsets[line + m] - last![line + m];
        if (change < least) [least, second, at] = [change, least, m];
        else if (change < second) second = change;
      }
      for (let m = 0; m < k; m++) {
        const dearer = offsets[line + m] - last![line + m] - (m === at ? second : least);
        if (dearer > 0 && dearer < Number.POSITIVE_INFINITY) drift[line + m] += dearer;
      }
    }
  }

  private settle(i: number, line: number, offsets: Float64Array): void {
    const { costs, k } = this;
    const from = i * k;
    let best = 0;
    let least = costs[from] + offsets[line];
    let second = Number.POSITIVE_INFINITY;
    for (let m = 1; m < k; m++) {
      const score = costs[from + m] + offsets[line + m];
      if (score < least) {
        second = least;
        least = score;
        best = m;
      } else if (score < second) second = score;
    }
    this.chosen[i] = best;
    this.cells[i] = line + best;
    this.enough[i] = this.drift[line + best] + second - least;
    this.counts[line + best]++;
    this.cost += costs[from + best];
  }
}
