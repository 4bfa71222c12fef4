import { wideStep } from "../kernels/wide-sums.js";

/** [patterns][k] people (what they count for, where they have weights), and everybody's squared distances to the centre of their cluster, jitter included, as a wide sum. */
export interface AssignmentCounts {
  readonly counts: Float64Array;
  readonly cost: Float64Array;
}

/**
 * Everybody's cheapest cluster under offsets that change from question to question. A person whose best cluster leads the second best
 * by more than the offsets have changed since is not scored again. Results are exact, since costs and offsets are whole numbers.
 */
export class CheapestClusters {
  private readonly chosen: Uint16Array;
  /** Where each person is counted, pattern * k + cluster. */
  private readonly cells: Uint32Array;
  /** The drift of the person's cell at which the person must be scored again. */
  private readonly driftLimit: Float64Array;
  /** By how much at most a cell's cluster has become dearer than others for its pattern, added up over all questions. */
  private readonly drift: Float64Array;
  private readonly counts: Float64Array;
  private readonly cost = { high: 0, low: 0 };
  private costs: Float64Array = new Float64Array(0);
  private last: Float64Array | undefined;

  constructor(
    private readonly patterns: Uint16Array,
    patternCount: number,
    private readonly k: number,
    /** How often each person counts. */
    private readonly weights?: Float64Array,
  ) {
    const n = patterns.length;
    this.chosen = new Uint16Array(n);
    this.cells = new Uint32Array(n);
    this.driftLimit = new Float64Array(n);
    this.drift = new Float64Array(patternCount * k);
    this.counts = new Float64Array(patternCount * k);
  }

  /** New costs of everybody, [n][k]. */
  restart(costs: Float64Array): void {
    this.costs = costs;
    this.last = undefined;
  }

  /** Everybody to the cluster of least cost and offset, lowest number first. */
  choose(offsets: Float64Array): { readonly chosen: Uint16Array; readonly census: AssignmentCounts } {
    if (this.last) this.scoreDrifted(offsets);
    else this.scoreAll(offsets);
    this.last = offsets;
    return {
      chosen: this.chosen,
      census: { counts: this.counts.slice(), cost: Float64Array.of(this.cost.high, this.cost.low) },
    };
  }

  private scoreAll(offsets: Float64Array): void {
    const { patterns, k } = this;
    this.drift.fill(0);
    this.counts.fill(0);
    Object.assign(this.cost, { high: 0, low: 0 });
    for (let i = 0; i < patterns.length; i++) this.settle(i, patterns[i] * k, offsets);
  }

  private scoreDrifted(offsets: Float64Array): void {
    const { patterns, cells, driftLimit, drift, counts, costs, chosen, k, weights } = this;
    this.addDrift(offsets);
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i];
      if (driftLimit[i] > drift[cell]) continue;
      counts[cell] -= weights ? weights[i] : 1;
      this.pay(i, -costs[i * k + chosen[i]]);
      this.settle(i, patterns[i] * k, offsets);
    }
  }

  private addDrift(offsets: Float64Array): void {
    const { drift, last, k } = this;
    for (let line = 0; line < drift.length; line += k) {
      // The least and the second least change: no other cluster became cheaper by more.
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
    this.driftLimit[i] = this.drift[line + best] + second - least;
    this.counts[line + best] += this.weights ? this.weights[i] : 1;
    this.pay(i, costs[from + best]);
  }

  /** Adds what a person's cluster costs, as often as the person counts. */
  private pay(i: number, cost: number): void {
    const { weights } = this;
    if (!weights) {
      this.cost.low += cost;
      return;
    }
    const high = Math.trunc(cost / wideStep);
    this.cost.high += weights[i] * high;
    this.cost.low += weights[i] * (cost - high * wideStep);
  }
}
