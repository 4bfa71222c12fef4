import type { FairnessRequest } from "../constraints/feasibility/index.js";
import {
  excessChanges,
  fairLimits,
  type Limits,
  sizeLimits,
  type Tally,
  totalExcess,
  worstViolation,
} from "../constraints/limits.js";
import { Prices } from "../constraints/prices.js";

interface Account {
  readonly limits: Limits;
  readonly prices: Prices;
  /** The group of each pattern. */
  readonly groups: ArrayLike<number>;
  readonly tally: Tally;
  readonly bounded: boolean;
}

/** The coordinator's books over split rows: all limits and their prices, from the summed counts of patterns in clusters. */
export class Ledger {
  private readonly accounts: readonly Account[];
  private readonly sizes: Float64Array;

  constructor(private readonly request: FairnessRequest) {
    const { k, patterns, bounds, tolerance } = request;
    this.sizes = new Float64Array(k);
    const account = (limits: Limits, groups: ArrayLike<number>, bounded: boolean): Account => ({
      limits,
      groups,
      bounded,
      prices: new Prices(limits, k),
      tally: { counts: new Float64Array(limits.groups * k), sizes: this.sizes },
    });
    this.accounts = [
      ...bounds.map((each, a) => account(fairLimits(each, tolerance), patterns.codes[a], true)),
      account(sizeLimits(request.sizes), new Uint16Array(patterns.counts.length), false),
    ];
  }

  /** Takes in the counts [patterns][k] of an assignment. */
  enter(counts: Float64Array): void {
    const { k } = this.request;
    this.sizes.fill(0);
    for (const { tally } of this.accounts) tally.counts.fill(0);
    counts.forEach((count, cell) => {
      this.sizes[cell % k] += count;
      for (const { tally, groups } of this.accounts) {
        tally.counts[groups[Math.floor(cell / k)] * k + (cell % k)] += count;
      }
    });
  }

  /** People beyond the limits, tolerance forgiven, all together. */
  get excess(): number {
    return this.accounts.reduce((total, { limits, tally }) => total + totalExcess(limits, tally), 0);
  }

  /** People beyond the bounds in the worst group and cluster, before tolerance. */
  get violation(): number {
    const bounded = this.accounts.filter((account) => account.bounded);
    return bounded.reduce((worst, { limits, tally }) => Math.max(worst, worstViolation(limits, tally)), 0);
  }

  /** How the excess changes when a person of each pattern joins or leaves each cluster: [patterns][k]. */
  changes(): { joining: Float64Array; leaving: Float64Array } {
    const { k, patterns } = this.request;
    const joining = new Float64Array(patterns.counts.length * k);
    const leaving = new Float64Array(joining.length);
    for (const { limits, tally, groups } of this.accounts) {
      const change = excessChanges(limits, tally);
      for (let cell = 0; cell < joining.length; cell++) {
        const at = groups[Math.floor(cell / k)] * k + (cell % k);
        joining[cell] += change.joining[at];
        leaving[cell] += change.leaving[at];
      }
    }
    return { joining, leaving };
  }

  /** What the people beyond the limits would cost at the present prices. */
  penalty(unit: number): number {
    return this.accounts.reduce((total, { prices, tally }) => total + prices.penalty(tally, unit), 0);
  }

  /** Nothing has needed a price. */
  get free(): boolean {
    return this.accounts.every(({ prices }) => prices.dearest() === 0);
  }

  restart(step: number, room: number): void {
    for (const { prices } of this.accounts) prices.restart(step, room);
  }

  adjust(): void {
    for (const { prices, tally } of this.accounts) prices.adjust(tally);
  }

  /** What a person of each pattern pays in each cluster, [patterns][k]. */
  offsets(): Float64Array {
    const { k, patterns } = this.request;
    const offsets = new Float64Array(patterns.counts.length * k);
    for (const { prices, groups } of this.accounts) {
      const table = prices.offsets();
      for (let cell = 0; cell < offsets.length; cell++)
        offsets[cell] += table[groups[Math.floor(cell / k)] * k + (cell % k)];
    }
    return offsets;
  }
}
