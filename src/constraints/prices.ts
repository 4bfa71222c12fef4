import { type BorderStepState, BorderSteps } from "./border-steps.js";
import { type ClusterTally, type Limits, leftSide, reachesOf, totalExcess, withinScores } from "./limits.js";
import { ResilientSteps, type StepState } from "./resilient-steps.js";

/** Prices and the search for them, as they are kept for another process. */
export interface PriceState {
  readonly values: Float64Array;
  readonly steps: StepState;
  readonly room: number;
  /** Where prices were ever searched together. */
  readonly together?: BorderStepState & { readonly inUse: boolean };
}

/** How a search finds the prices: each by itself, or all of a constraint together, which takes fewer looks at the people. */
export type PriceSteps = "each" | "together";

/** With more clusters than this, to solve for all prices together would take longer than a look at the people. */
const mostClusters = 64;

/**
 * The dual prices of some limits, one for each limit and cluster, all >= 0. At fixed centres the best fair assignment
 * is a linear program; a person's score is the distance plus price * (what joining adds to the limit's left side), and at
 * the right prices the plain argmin of the scores is that program's optimum, but for a handful of people.
 *
 * The right prices are searched one by one: a price rises while its limit is broken and falls while there is room. This
 * needs nothing but the counts that follow from argmins, no scale, and no word from the holders of other attributes. Where looks at the
 * people are dear they are searched together, see `BorderSteps`.
 */
export class Prices {
  readonly values: Float64Array;
  private readonly steps: ResilientSteps;
  private borders: BorderSteps | undefined;
  private together = false;
  private room = 0;
  private last: { readonly values: Float64Array; readonly table: Float64Array } | undefined;

  constructor(
    readonly limits: Limits,
    readonly k: number,
  ) {
    this.values = new Float64Array(limits.list.length * k);
    this.steps = new ResilientSteps(this.values.length);
  }

  save(): PriceState {
    const { values, steps, room, borders, together } = this;
    return {
      ...{ values: values.slice(), steps: steps.save(), room },
      ...(borders ? { together: { ...borders.save(), inUse: together } } : {}),
    };
  }

  /** Whether `adjust` needs to know who moved. */
  get needsFlows(): boolean {
    return this.together;
  }

  /** Takes over what was learnt from a sample: `factor` times as many people stand at every border. */
  learn(other: Prices, factor: number): void {
    if (!other.borders) return;
    this.borders ??= new BorderSteps(this.limits, this.k);
    this.borders.learn(other.borders, factor);
  }

  restore({ values, steps, room, together }: PriceState): void {
    this.together = together?.inUse ?? false;
    this.borders = together && new BorderSteps(this.limits, this.k);
    if (together) this.borders!.restore(together);
    this.values.set(values);
    this.steps.restore(steps);
    this.room = room;
  }

  /** Begins a new search from the present prices. `room` is the part of the tolerance that is kept for later moves. */
  restart(step: number, room: number, how: PriceSteps = "each"): void {
    this.room = room;
    this.steps.restart(step);
    this.together = how === "together" && this.canBeSolved;
    if (!this.together) return;
    this.borders ??= new BorderSteps(this.limits, this.k);
    this.borders.restart(step);
  }

  /** One step. `flows` [groups][k][k] counts who moved from which cluster to which since the step before. */
  adjust(tally: ClusterTally, flows?: Float64Array): void {
    if (this.together) this.borders!.take(this.values, tally, this.room, flows);
    else this.adjustEach(tally);
  }

  private adjustEach(tally: ClusterTally): void {
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

  /** Sizes have hardly any prices; households are of several groups: who crosses a border says little about one of them. */
  private get canBeSolved(): boolean {
    const { limits, k } = this;
    return limits.groups > 1 && !limits.atoms?.mix && k <= mostClusters;
  }

  misplaced(tally: ClusterTally): number {
    return totalExcess(this.limits, tally);
  }

  /**
   * What a person of each group pays in each cluster, rounded to whole score units: [groups][k]. Of atoms: a unit of weight of each kind. The same
   * table for the same prices: a repair asks for it before every move.
   */
  offsets(): Float64Array {
    if (!this.last?.values.every((price, at) => price === this.values[at])) {
      this.last = { values: this.values.slice(), table: this.offsetsOf(this.limits) };
    }
    return this.last!.table;
  }

  /** The same by group, where there are atoms too. */
  groupOffsets(): Float64Array {
    const { groups, list } = this.limits;
    return this.offsetsOf({ groups, list });
  }

  private offsetsOf(limits: Limits): Float64Array {
    const { k, values } = this;
    const { list, typicals } = reachesOf(limits);
    const table = new Float64Array(typicals.length * k);
    list.forEach(({ unit }, index) => {
      for (let m = 0; m < k; m++) {
        const price = values[index * k + m];
        if (price === 0) continue;
        for (let kind = 0, cell = m; kind < unit.length; kind++, cell += k) table[cell] += price * unit[kind];
      }
    });
    for (let cell = 0; cell < table.length; cell++) table[cell] = Math.round(table[cell]);
    return table;
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
    let most = 0;
    for (const price of this.values) if (price > most) most = price;
    return most;
  }
}
