import {
  type AtomKinds,
  type ClusterTally,
  type Limits,
  leftSide,
  totalExcess,
  weightOf,
  withinScores,
} from "./limits.js";
import { ResilientSteps, type StepState } from "./resilient-steps.js";

/** Prices and the search for them, as they are kept for another process. */
export interface PriceState {
  readonly values: Float64Array;
  readonly steps: StepState;
  readonly room: number;
}

/**
 * The dual prices of some limits, one for each limit and cluster, all >= 0. At fixed centres the best fair assignment
 * is a linear program; a person's score is the distance plus price * (what joining adds to the limit's left side), and at
 * the right prices the plain argmin of the scores is that program's optimum, but for a handful of people.
 *
 * The right prices are searched one by one: a price rises while its limit is broken and falls while there is room. This
 * needs nothing but the counts that follow from argmins, no scale, and no word from the holders of other attributes.
 */
export class Prices {
  readonly values: Float64Array;
  private readonly steps: ResilientSteps;
  private room = 0;

  constructor(
    readonly limits: Limits,
    readonly k: number,
  ) {
    this.values = new Float64Array(limits.list.length * k);
    this.steps = new ResilientSteps(this.values.length);
  }

  save(): PriceState {
    return { values: this.values.slice(), steps: this.steps.save(), room: this.room };
  }

  restore({ values, steps, room }: PriceState): void {
    this.values.set(values);
    this.steps.restore(steps);
    this.room = room;
  }

  /** Begins a new search from the present prices. `room` is the part of the tolerance that is kept for later moves. */
  restart(step: number, room: number): void {
    this.room = room;
    this.steps.restart(step);
  }

  adjust(tally: ClusterTally): void {
    this.limits.list.forEach((limit, index) => {
      for (let m = 0; m < this.k; m++) {
        const at = index * this.k + m;
        const price = this.values[at];
        const left = leftSide(limit, tally, m) + limit.tolerance * this.room;
        const step = this.steps.next(at, price, left, left < 0 && price === 0);
        // Whole, so that what several limits charge adds up to the same in any order.
        this.values[at] = withinScores(Math.max(0, Math.round(price + step)));
      }
    });
  }

  misplaced(tally: ClusterTally): number {
    return totalExcess(this.limits, tally);
  }

  /** What a person of each group pays in each cluster, rounded to whole score units: [groups][k]. Of atoms: a unit of weight of each kind. */
  offsets(): Float64Array {
    return this.offsetsOf(this.limits.atoms);
  }

  /** The same by group, where there are atoms too. */
  groupOffsets(): Float64Array {
    return this.offsetsOf(undefined);
  }

  private offsetsOf(atoms: AtomKinds | undefined): Float64Array {
    const kinds = atoms?.typical.length ?? this.limits.groups;
    const table = new Float64Array(kinds * this.k);
    this.limits.list.forEach((limit, index) => {
      for (let m = 0; m < this.k; m++) {
        const price = this.values[index * this.k + m];
        if (price === 0) continue;
        for (let kind = 0; kind < kinds; kind++) table[kind * this.k + m] += price * weightOf(limit, kind, atoms);
      }
    });
    return table.map(Math.round);
  }

  /** Prices times the left sides of their limits: what the Lagrangian adds to the cost of these clusters. */
  lagrangian(tally: ClusterTally): number {
    return this.limits.list.reduce((total, limit, index) => {
      for (let m = 0; m < this.k; m++) total += this.values[index * this.k + m] * leftSide(limit, tally, m);
      return total;
    }, 0);
  }

  /** The largest of the prices. */
  maxPrice(): number {
    return this.values.reduce((a, b) => Math.max(a, b), 0);
  }
}
