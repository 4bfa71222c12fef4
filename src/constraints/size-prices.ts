import type { SizeLimits } from "./bounds.js";
import type { Evenness } from "./evenness.js";
import { solvePositive } from "./linear.js";

/** Prices beyond this would leave the range in which scores are exact. */
const dearest = 2 ** 48;

/**
 * One price for each cluster, charged to everybody who joins it, that bring the sizes where they are wanted. At fixed
 * centres the best assignment under any convex cost of the sizes has such prices: a price says which size is wanted
 * (`wanted`), argmins say which size it brings, and both agree at the optimum.
 *
 * They are found by Newton's method with damping (Levenberg, Marquardt). How sizes answer to prices is read off the
 * people who moved: when the price of a rises against that of b by x and f people go from a to b, then f / x people
 * stand at their border for each unit of price. So nothing is needed but the clusters that argmins lead to.
 */
export class SizePrices {
  readonly values: Float64Array;
  /** People per unit of price at the border of each two clusters: people who crossed, over the change of price. */
  private readonly crossed: Float64Array;
  private readonly changed: Float64Array;
  private damping = 0;
  /** Where the last step began, and what was left to do there. */
  private base: { readonly prices: Float64Array; readonly rest: Float64Array } | undefined;

  /** `scoreUnit` is one unit of squared distance in score units. */
  constructor(
    readonly k: number,
    private readonly limits: SizeLimits,
    private readonly evenness: Evenness | undefined,
    private readonly scoreUnit: number,
  ) {
    this.values = new Float64Array(k);
    this.crossed = new Float64Array(k * k);
    this.changed = new Float64Array(k * k);
  }

  /** A new search from the present prices; `step` is a small change of a price. */
  restart(step: number, people: number): void {
    this.base = undefined;
    this.damping = people / this.k / (10 * step);
  }

  /** Takes over what was learnt from a sample: `factor` times as many people stand at every border. */
  learn(other: SizePrices, factor: number): void {
    this.values.set(other.values);
    this.crossed.set(other.crossed.map((people) => people * factor));
    this.changed.set(other.changed);
  }

  /** The size that a cluster should have at its price, given the one that it has. */
  private wanted(m: number, size: number): number {
    const { min, max } = this.limits;
    if (this.evenness) {
      const { rho, even } = this.evenness;
      return Math.min(max, Math.max(min, even + this.values[m]! / (2 * rho * this.scoreUnit)));
    }
    // Exactly even sizes have prices of either sign; a limit that does not bind has none.
    if (max - min < 1) return (min + max) / 2;
    if (this.values[m] === 0) return Math.min(max, Math.max(min, size));
    return this.values[m]! > 0 ? max : min;
  }

  /** How many people more a price unit makes wanted. */
  private give(m: number): number {
    if (!this.evenness) return 0;
    const { rho, even } = this.evenness;
    const wanted = even + this.values[m]! / (2 * rho * this.scoreUnit);
    return wanted < this.limits.min || wanted > this.limits.max ? 0 : 1 / (2 * rho * this.scoreUnit);
  }

  /**
   * One step, from the sizes at the present prices. `flows` [k][k] counts who moved from which cluster to which since the
   * step before. Returns how many people were not where they should be.
   */
  adjust(sizes: Float64Array, flows: Float64Array | undefined): number {
    const { k, values } = this;
    const rest = sizes.map((size, m) => size - this.wanted(m, size));
    const astray = rest.reduce((sum, people) => sum + Math.max(0, Math.abs(people) - 0.999), 0);
    if (this.base) {
      const step = values.map((price, m) => price - this.base!.prices[m]!);
      if (flows) this.observe(step, flows);
      const ahead = dot(rest, step) >= 0;
      if (!ahead && norm(rest) >= norm(this.base.rest)) {
        // Too far: again from where it began, more carefully.
        this.damping *= 4;
        values.set(this.base.prices);
        this.step(this.base.rest);
        return astray;
      }
      this.damping *= ahead ? 0.25 : 0.5;
    }
    this.base = { prices: values.slice(), rest };
    this.step(rest);
    return astray;

    function dot(a: Float64Array, b: Float64Array): number {
      let sum = 0;
      for (let m = 0; m < k; m++) sum += a[m]! * b[m]!;
      return sum;
    }
    function norm(a: Float64Array): number {
      return dot(a, a);
    }
  }

  /** What people who moved say about the borders; older observations fade. */
  private observe(step: Float64Array, flows: Float64Array): void {
    const { k } = this;
    for (let a = 0; a < k; a++) {
      for (let b = 0; b < k; b++) {
        const change = step[a]! - step[b]!;
        if (change <= 0) continue;
        const people = flows[a * k + b]!;
        this.crossed[a * k + b] = this.crossed[b * k + a] = this.crossed[a * k + b]! / 2 + people;
        this.changed[a * k + b] = this.changed[b * k + a] = this.changed[a * k + b]! / 2 + change;
      }
    }
  }

  /** values += (borders + give + damping)^-1 rest. */
  private step(rest: Float64Array): void {
    const { k, values } = this;
    const matrix = new Float64Array(k * k);
    for (let a = 0; a < k; a++) {
      matrix[a * k + a]! += this.damping + this.give(a);
      for (let b = 0; b < k; b++) {
        if (a === b || this.changed[a * k + b] === 0) continue;
        const border = this.crossed[a * k + b]! / this.changed[a * k + b]!;
        matrix[a * k + a]! += border;
        matrix[a * k + b]! -= border;
      }
    }
    const step = solvePositive(matrix, rest);
    for (let m = 0; m < k; m++) {
      const next = values[m]! + step[m]!;
      // A limit's price does not change its sign in one step: at 0 it may not bind at all.
      const stopped = !this.evenness && this.limits.max - this.limits.min >= 1 && values[m]! * next < 0;
      values[m] = stopped ? 0 : Math.max(-dearest, Math.min(dearest, next));
    }
  }

  /** What a person pays in each cluster, in whole score units. */
  offsets(): Float64Array {
    return this.values.map(Math.round);
  }

  dearest(): number {
    return this.values.reduce((most, price) => Math.max(most, Math.abs(price)), 0);
  }
}
