import { type SizeLimits, sizesIn } from "./bounds.js";
import { solvePositive } from "./cholesky.js";
import { type EvennessCost, unevenCost } from "./evenness-cost.js";
import { type ClusterTally, withinScores } from "./limits.js";
import type { PriceState } from "./prices.js";
import { ResilientSteps } from "./resilient-steps.js";

/** With more clusters than this, a matrix of all pairs of them would take too much room and time. */
const mostClusters = 500;
/** The damping never falls below this part of what people at the borders weigh. */
const leastDamping = 0.01;

/** Prices of sizes and the search for them, as they are kept for another process. */
export interface SizePriceState extends PriceState {
  readonly borders?: BorderState;
}

export interface SizeGoal {
  readonly sizes: SizeLimits;
  readonly evenness?: EvennessCost;
  /** Nothing else has prices in this run: sizes answer to these alone. */
  readonly alone: boolean;
  /** The most that moves as a whole; default 1. */
  readonly atom?: number;
}

/**
 * One price for each cluster, charged to everybody who joins it, that bring the sizes where they are wanted. At fixed
 * centres the best assignment under any convex cost of the sizes has such prices: a price says which size is wanted,
 * argmins say which size it brings, and at the optimum both agree.
 *
 * Where nothing else moves people they are found by Newton's method with damping (Levenberg, Marquardt). How sizes answer
 * to prices is read off the people who moved: when the price of a rises against that of b by x and f people go from a
 * to b, then f / x people stand at their border for each unit of price. So nothing is needed but the clusters that
 * argmins lead to. Elsewhere each is searched by itself, as the prices of groups are.
 */
export class SizePrices {
  readonly values: Float64Array;
  private readonly newton: Borders | undefined;
  private readonly steps: ResilientSteps;

  /** `scoreUnit` is one unit of squared distance in score units. */
  constructor(
    readonly k: number,
    private readonly goal: SizeGoal,
    private readonly scoreUnit: number,
  ) {
    this.values = new Float64Array(k);
    this.steps = new ResilientSteps(k);
    this.newton = goal.alone && k <= mostClusters ? new Borders(k) : undefined;
  }

  /** Whether `adjust` needs to know who moved. */
  get needsFlows(): boolean {
    return this.newton !== undefined;
  }

  save(): SizePriceState {
    const { values, steps, newton } = this;
    return { values: values.slice(), steps: steps.save(), room: 0, ...(newton ? { borders: newton.save() } : {}) };
  }

  restore({ values, steps, borders }: SizePriceState): void {
    this.values.set(values);
    this.steps.restore(steps);
    if (borders) this.newton?.restore(borders);
  }

  /** A new search from the present prices; `step` is a small change of a price. */
  restart(step: number): void {
    this.steps.restart(step);
    this.newton?.restart(step);
  }

  /** Takes over what was learnt from a sample: `factor` times as many people stand at every border. */
  learn(other: SizePrices, factor: number): void {
    this.values.set(other.values);
    if (other.newton) this.newton?.learn(other.newton, factor);
  }

  /**
   * One step, from the sizes at the present prices. `flows` [k][k] counts who moved from which cluster to which since the
   * step before.
   */
  adjust(tally: ClusterTally, flows?: Float64Array): void {
    const { values } = this;
    const rest = this.restOf(tally);
    const before = values.slice();
    if (this.newton) this.newton.step(values, rest, flows, (m) => this.give(m, rest[m]));
    else
      rest.forEach((people, m) => {
        values[m] += this.steps.next(m, values[m], Math.abs(people) < this.atom ? 0 : people);
      });
    for (let m = 0; m < this.k; m++) {
      // A limit's price does not change sides in one step: at 0 it may turn out not to bind at all.
      const stopped = !this.signed(m) && before[m] * values[m] < 0;
      values[m] = stopped ? 0 : withinScores(values[m]);
    }
  }

  /** Half of those who are too many somewhere are too few elsewhere; with whole people less than one means nothing. */
  misplaced(tally: ClusterTally): number {
    const nothing = 0.999 * this.atom;
    return this.restOf(tally).reduce((sum, people) => sum + Math.max(0, Math.abs(people) - nothing), 0) / 2;
  }

  private get atom(): number {
    return this.goal.atom ?? 1;
  }

  private restOf({ sizes }: ClusterTally): Float64Array {
    return sizes.map((size, m) => size - this.wanted(m, size));
  }

  /** What a person pays in each cluster, in whole score units. */
  offsets(): Float64Array {
    return this.values.map(Math.round);
  }

  groupOffsets(): Float64Array {
    return this.offsets();
  }

  /** Prices times the people beyond the sizes that the prices want, with what these sizes cost: see `Prices.lagrangian`. */
  lagrangian({ sizes }: ClusterTally): number {
    const { evenness } = this.goal;
    const wanted = this.values.map((price, m) => {
      const { min, max } = sizesIn(this.goal.sizes, m);
      if (evenness) return Math.min(max, Math.max(min, this.free(m)));
      return price > 0 ? max : min;
    });
    const uneven = evenness ? unevenCost(evenness, wanted) * this.scoreUnit : 0;
    return this.values.reduce(
      (total, price, m) => total + (price === 0 && !evenness ? 0 : price * (sizes[m] - wanted[m])),
      uneven,
    );
  }

  /** The largest of the prices, whatever their signs. */
  maxPrice(): number {
    return largest(this.values);
  }

  /** The size that a cluster should have at its price, given the one that it has. */
  private wanted(m: number, size: number): number {
    const { min, max } = sizesIn(this.goal.sizes, m);
    if (this.goal.evenness) return Math.min(max, Math.max(min, this.free(m)));
    if (this.signed(m) || this.values[m] === 0) return Math.min(max, Math.max(min, size));
    return this.values[m] > 0 ? max : min;
  }

  /** Even sizes have prices of either sign, whereas a limit that does not bind has none. */
  private signed(m: number): boolean {
    const { min, max } = sizesIn(this.goal.sizes, m);
    return this.goal.evenness !== undefined || max - min <= this.atom;
  }

  /** The size at which one more person costs as much as the price says. */
  private free(m: number): number {
    const { rho, even } = this.goal.evenness!;
    return even + this.values[m] / (2 * rho * this.scoreUnit);
  }

  /** How many people more a unit of price makes wanted: any number where no limit binds. */
  private give(m: number, rest: number): number {
    if (!this.goal.evenness) return this.signed(m) || this.values[m] !== 0 || rest !== 0 ? 0 : Number.POSITIVE_INFINITY;
    const size = this.free(m);
    const { min, max } = sizesIn(this.goal.sizes, m);
    return size < min || size > max ? 0 : 1 / (2 * this.goal.evenness!.rho * this.scoreUnit);
  }
}

interface BorderState {
  readonly crossed: Float64Array;
  readonly changed: Float64Array;
  readonly damping: number;
  readonly first: number;
  readonly base: { readonly prices: Float64Array; readonly rest: Float64Array } | undefined;
  readonly seen: Float64Array | undefined;
}

/** Newton's method on the prices: what is known of the borders between clusters, and where the search stands. */
class Borders {
  /** People per unit of price at the border of each two clusters: people who crossed, over the change of price. */
  private readonly crossed: Float64Array;
  private readonly changed: Float64Array;
  private damping = 0;
  private first = 1;
  /** Where the last step began, and who was out of place there. */
  private base: { readonly prices: Float64Array; readonly rest: Float64Array } | undefined;
  /** The prices of the step before. */
  private seen: Float64Array | undefined;

  constructor(private readonly k: number) {
    this.crossed = new Float64Array(k * k);
    this.changed = new Float64Array(k * k);
  }

  save(): BorderState {
    const { crossed, changed, damping, first, base, seen } = this;
    return structuredClone({ crossed, changed, damping, first, base, seen });
  }

  restore(state: BorderState): void {
    const { crossed, changed, damping, first, base, seen } = structuredClone(state);
    this.crossed.set(crossed);
    this.changed.set(changed);
    Object.assign(this, { damping, first, base, seen });
  }

  restart(step: number): void {
    this.base = undefined;
    this.seen = undefined;
    this.damping = 0;
    this.first = step;
  }

  learn(other: Borders, factor: number): void {
    this.crossed.set(other.crossed.map((people) => people * factor));
    this.changed.set(other.changed);
  }

  step(
    prices: Float64Array,
    rest: Float64Array,
    flows: Float64Array | undefined,
    give: (cluster: number) => number,
  ): void {
    if (this.seen && flows) this.observe(prices, this.seen, flows);
    this.seen = prices.slice();
    // The first step of the worst placed cluster is a small one.
    if (this.damping === 0) this.damping = largest(rest) / this.first;
    if (this.base) {
      const ahead = prices.reduce((sum, price, m) => sum + rest[m] * (price - this.base!.prices[m]), 0) >= 0;
      if (!ahead && squares(rest) >= squares(this.base.rest)) {
        // Too far: again from where it began, more carefully.
        this.damping *= 4;
        this.solve(this.base.prices, this.base.rest, give, prices);
        return;
      }
      this.damping *= ahead ? 0.25 : 0.5;
    }
    this.base = { prices: prices.slice(), rest };
    this.solve(this.base.prices, rest, give, prices);
  }

  /** What people who moved say about the borders; older observations fade. */
  private observe(prices: Float64Array, before: Float64Array, flows: Float64Array): void {
    const { k, crossed, changed } = this;
    for (let a = 0; a < k; a++) {
      for (let b = 0; b < k; b++) {
        const change = prices[a] - before[a] - prices[b] + before[b];
        if (change <= 0) continue;
        crossed[a * k + b] = crossed[b * k + a] = crossed[a * k + b] / 2 + flows[a * k + b];
        changed[a * k + b] = changed[b * k + a] = changed[a * k + b] / 2 + change;
      }
    }
  }

  /** to = from + (borders + give + damping)^-1 rest. */
  private solve(from: Float64Array, rest: Float64Array, give: (cluster: number) => number, to: Float64Array): void {
    const { k, crossed, changed } = this;
    const matrix = new Float64Array(k * k);
    let total = 0;
    for (let a = 0; a < k; a++) {
      const most = give(a);
      if (most === Number.POSITIVE_INFINITY) {
        matrix[a * k + a] = 1;
        continue;
      }
      matrix[a * k + a] += most;
      for (let b = 0; b < k; b++) {
        if (a === b || changed[a * k + b] === 0) continue;
        const border = crossed[a * k + b] / changed[a * k + b];
        matrix[a * k + a] += border;
        if (give(b) < Number.POSITIVE_INFINITY) matrix[a * k + b] -= border;
      }
      total += matrix[a * k + a];
    }
    // Prices that all rise together move nobody, and what is known of the borders is never sure: some damping stays.
    this.damping = Math.max(this.damping, (leastDamping * total) / k);
    for (let a = 0; a < k; a++) matrix[a * k + a] += this.damping;
    const step = solvePositive(matrix, rest);
    for (let m = 0; m < k; m++) to[m] = from[m] + step[m];
  }
}

function squares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
