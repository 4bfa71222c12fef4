import type { Fairness, Tally } from "../../tally.js";
import type { LossTerm } from "../../trainer.js";
import { type Method, plainLoss } from "../method.js";

/**
 * The difference is that of all parties' people together, by the model's hard answers, which only sums are needed for.
 * Everybody's loss gets c ([s = group] / share - [s = reference] / share of it) times the surrogate of the rate.
 */
export class FfalmGlobal implements Method {
  private lambda: number[] = [];

  constructor(
    private readonly fairness: Fairness,
    private readonly beta: number,
    private readonly eta: number,
    private readonly cap: number,
  ) {}

  get memory(): number[] {
    return this.lambda;
  }

  set memory(lambda: number[]) {
    this.lambda = lambda;
  }

  plan(tally: Tally): LossTerm {
    const { fairness, beta, eta, cap } = this;
    const { groups } = tally;
    if (this.lambda.length === 0) this.lambda = new Array(groups).fill(0);
    const reference = tally.largestGroup;
    const slopes = new Float64Array(groups);
    for (let group = 0; group < groups; group++) {
      const difference = tally.rate(fairness, group) - tally.rate(fairness, reference);
      if (group === reference || Number.isNaN(difference)) continue;
      const lambda = Math.min(cap, Math.max(-cap, this.lambda[group]! + eta * difference));
      this.lambda[group] = lambda;
      const c = lambda + beta * difference;
      const share = (of: number) => tally.concerned(fairness, of) / tally.everybody;
      slopes[group]! += c / share(group);
      slopes[reference]! -= c / share(reference);
    }
    return this.spread(slopes, groups);
  }

  /** The slope of each group to its people's losses: of a yes, of a yes to those with y = 1, or of an error. */
  private spread(slopes: Float64Array, groups: number): LossTerm {
    const loss = plainLoss(groups);
    for (let group = 0; group < groups; group++) {
      for (const label of [0, 1]) {
        const cell = group * 2 + label;
        // A negative weight of the cross-entropy would reward errors without bound.
        if (this.fairness === "ap") loss.entropyWeights[cell] = Math.max(0, 1 + slopes[group]!);
        else if (this.fairness === "dp" || label === 1) loss.rateWeights[cell] = slopes[group]!;
      }
    }
    return loss;
  }
}
