/**
 * Steps of many numbers that are each searched by sign alone (resilient propagation): a step grows while its sign stays
 * and halves when it turns. This needs no scale, and no word about what the other numbers do.
 */
export class ResilientSteps {
  private readonly steps: Float64Array;
  private readonly signs: Float64Array;

  constructor(length: number) {
    this.steps = new Float64Array(length);
    this.signs = new Float64Array(length);
  }

  restart(step: number): void {
    this.steps.fill(step);
    this.signs.fill(0);
  }

  /** The next step of a number; `held` where it cannot go on in this direction, so that its step need not grow. */
  next(at: number, sign: number, held = false): number {
    const before = this.signs[at]!;
    if (sign * before < 0) this.steps[at]! *= 0.5;
    else if (sign * before > 0 && !held) this.steps[at]! *= 1.3;
    this.signs[at] = sign;
    return sign * this.steps[at]!;
  }
}
