/** The part of the secant's step that is taken at once: the other prices move as well. */
const secantPart = 0.8;
/** A step is at most so many times as long as the one before it. */
const mostGrowth = 3;

/** Where the search for each price stands. */
export interface StepState {
  readonly steps: Float64Array;
  readonly signs: Float64Array;
  readonly prices: Float64Array;
  readonly lefts: Float64Array;
}

/**
 * Steps of many prices that are each searched for where something left over becomes 0, without a word about what the other
 * prices do. Where the last step of a price was answered (it rose and less is left, or it fell and more is), the next one
 * follows the secant; else only the sign is trusted (resilient propagation): a step grows while its sign stays and halves
 * when it turns. Neither needs a scale.
 */
export class ResilientSteps {
  private readonly steps: Float64Array;
  private readonly signs: Float64Array;
  private readonly prices: Float64Array;
  private readonly lefts: Float64Array;

  constructor(length: number) {
    this.steps = new Float64Array(length);
    this.signs = new Float64Array(length);
    this.prices = new Float64Array(length);
    this.lefts = new Float64Array(length);
  }

  save(): StepState {
    const { steps, signs, prices, lefts } = this;
    return { steps: steps.slice(), signs: signs.slice(), prices: prices.slice(), lefts: lefts.slice() };
  }

  restore({ steps, signs, prices, lefts }: StepState): void {
    this.steps.set(steps);
    this.signs.set(signs);
    this.prices.set(prices);
    this.lefts.set(lefts);
  }

  restart(step: number): void {
    this.steps.fill(step);
    this.signs.fill(0);
  }

  /** The next step of a price, from what is left over at it; `held` where it cannot go on, so that its step need not grow. */
  next(at: number, price: number, left: number, held = false): number {
    const sign = Math.sign(left);
    const before = this.signs[at];
    const moved = price - this.prices[at];
    const fell = this.lefts[at] - left;
    this.signs[at] = sign;
    this.prices[at] = price;
    this.lefts[at] = left;
    if (before !== 0 && moved * fell > 0) {
      const most = mostGrowth * Math.abs(moved);
      const step = Math.max(-most, Math.min(most, (secantPart * left * moved) / fell));
      this.steps[at] = Math.max(1, Math.abs(step));
      return step;
    }
    if (sign * before < 0) this.steps[at] *= 0.5;
    else if (sign * before > 0 && !held) this.steps[at] *= 1.3;
    return sign * this.steps[at];
  }
}
