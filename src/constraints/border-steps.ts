import { type ClusterTally, type Limits, leftSide, weightOf, withinScores } from "./limits.js";

/** What remains of an older observation when the next one comes. */
const fading = 0.7;
/** A step that did not go too far may be followed by one that is so many times as long; else by one of half its length. */
const mostGrowth = 3;
/** Sweeps over all prices at most, and the part of the longest step that ends them: what is solved is only a model. */
const sweeps = 30;
const settled = 1e-3;

/** What a search has learnt, and where it stands. */
export interface BorderStepState {
  readonly crossed: Float64Array;
  readonly changed: Float64Array;
  readonly longest: number;
  readonly offsets: Float64Array | undefined;
  readonly steps: Float64Array | undefined;
}

/**
 * Steps of the prices of limits on groups that are found together, for searches in which every look at the people is dear. When what a cluster
 * costs a group rises against another by x, and f of the group's people go from one to the other, then f / x of them stand at that border
 * for each unit of price. With these numbers the next prices are those at which all limits would hold, were people spread evenly at the borders: a quadratic
 * program, solved price by price. As elsewhere, nothing is needed but where argmins send people, and no word from the holders of other attributes.
 */
export class BorderSteps {
  /** [groups][k][k]: people who crossed each border, and the change of price at which they did. */
  private readonly crossed: Float64Array;
  private readonly changed: Float64Array;
  /** The longest step that a price may take. */
  private longest = 0;
  /** The offsets [groups][k] of the step before, and how far it went. */
  private offsets: Float64Array | undefined;
  private steps: Float64Array | undefined;
  /** [limits][groups]: what a price adds to the offset of a group. */
  private readonly weights: readonly Float64Array[];

  constructor(
    private readonly limits: Limits,
    private readonly k: number,
  ) {
    const { groups, list } = limits;
    this.crossed = new Float64Array(groups * k * k);
    this.changed = new Float64Array(groups * k * k);
    this.weights = list.map((limit) => Float64Array.from({ length: groups }, (_, group) => weightOf(limit, group)));
  }

  save(): BorderStepState {
    const { crossed, changed, longest, offsets, steps } = this;
    return structuredClone({ crossed, changed, longest, offsets, steps });
  }

  restore(state: BorderStepState): void {
    const { crossed, changed, longest, offsets, steps } = structuredClone(state);
    this.crossed.set(crossed);
    this.changed.set(changed);
    Object.assign(this, { longest, offsets, steps });
  }

  /** A new search, whose first steps are at most so long. What is known of the borders stays. */
  restart(longest: number): void {
    this.longest = longest;
    this.offsets = undefined;
    this.steps = undefined;
  }

  /** Takes over what was learnt from a sample: `factor` times as many people stand at every border. */
  learn(other: BorderSteps, factor: number): void {
    this.crossed.set(other.crossed.map((people) => people * factor));
    this.changed.set(other.changed);
  }

  /** Changes the prices [limits][k]. `flows` [groups][k][k] counts who moved from which cluster to which since the step before. */
  take(prices: Float64Array, tally: ClusterTally, room: number, flows: Float64Array | undefined): void {
    const { limits, k } = this;
    const offsets = this.offsetsAt(prices);
    if (flows && this.offsets) this.observe(offsets, this.offsets, flows);
    const left = Float64Array.from(prices, (_, at) => {
      const limit = limits.list[Math.floor(at / k)];
      return leftSide(limit, tally, at % k) + limit.tolerance * room;
    });
    if (this.steps) {
      const last = this.steps.reduce((most, step) => Math.max(most, Math.abs(step)), 0);
      const ahead = this.steps.reduce((sum, step, at) => sum + step * left[at], 0) >= 0;
      this.longest = ahead ? Math.max(this.longest, mostGrowth * last) : Math.max(1, Math.min(this.longest, last) / 2);
    }
    const next = this.solve(prices, left);
    this.steps = next.map((price, at) => price - prices[at]);
    this.offsets = offsets;
    // Whole, so that what several limits charge adds up to the same in any order.
    for (let at = 0; at < prices.length; at++) prices[at] = withinScores(Math.max(0, Math.round(next[at])));
  }

  private offsetsAt(prices: Float64Array): Float64Array {
    const { limits, k, weights } = this;
    const offsets = new Float64Array(limits.groups * k);
    prices.forEach((price, at) => {
      const own = weights[Math.floor(at / k)];
      for (let group = 0; group < limits.groups; group++) offsets[group * k + (at % k)] += price * own[group];
    });
    return offsets;
  }

  /** What people who moved say about the borders; older observations fade. */
  private observe(now: Float64Array, before: Float64Array, flows: Float64Array): void {
    const { limits, k, crossed, changed } = this;
    for (let group = 0; group < limits.groups; group++) {
      for (let a = 0; a < k; a++) {
        const [rowA, rose] = [group * k + a, now[group * k + a] - before[group * k + a]];
        for (let b = 0; b < k; b++) {
          const rowB = group * k + b;
          const change = rose - (now[rowB] - before[rowB]);
          if (change <= 0) continue;
          const [there, back] = [rowA * k + b, rowB * k + a];
          // Others' prices and the centres move people both ways: only what is left over is an answer.
          const went = Math.max(0, flows[there] - flows[back]);
          crossed[there] = crossed[back] = fading * crossed[there] + went;
          changed[there] = changed[back] = fading * changed[there] + change;
        }
      }
    }
  }

  /** The prices at which all limits hold, or are free, by what is known of the borders; none further than the longest step. */
  private solve(prices: Float64Array, left: Float64Array): Float64Array {
    const { limits, k, weights, longest } = this;
    const { groups, list } = limits;
    const borders = this.crossed.map((people, at) => (people > 0 ? people / this.changed[at] : 0));
    const around = new Float64Array(groups * k);
    borders.forEach((people, at) => {
      around[Math.floor(at / k)] += people;
    });
    const next = prices.slice();
    const rest = left.slice();
    const moved = new Float64Array(groups * k);
    for (let sweep = 0; sweep < sweeps; sweep++) {
      let farthest = 0;
      for (let at = 0; at < next.length; at++) {
        if (rest[at] <= 0 && next[at] === 0) continue;
        const [own, m] = [weights[Math.floor(at / k)], at % k];
        let answer = 0;
        for (let group = 0; group < groups; group++) answer += own[group] ** 2 * around[group * k + m];
        const wanted = answer > 0 ? next[at] + rest[at] / answer : Math.sign(rest[at]) * Number.POSITIVE_INFINITY;
        const price = Math.max(0, prices[at] - longest, Math.min(prices[at] + longest, wanted));
        const step = price - next[at];
        if (step === 0) continue;
        next[at] = price;
        farthest = Math.max(farthest, Math.abs(step));
        moved.fill(0);
        for (let group = 0; group < groups; group++) {
          const rise = step * own[group];
          moved[group * k + m] -= rise * around[group * k + m];
          for (let b = 0; b < k; b++) moved[group * k + b] += rise * borders[(group * k + m) * k + b];
        }
        for (let b = 0; b < k; b++) {
          let all = 0;
          for (let group = 0; group < groups; group++) all += moved[group * k + b];
          list.forEach(({ group: of, member, everyone }, other) => {
            rest[other * k + b] += everyone * all + (of < 0 ? 0 : member * moved[of * k + b]);
          });
        }
      }
      if (farthest < settled * longest) break;
    }
    return next;
  }
}
