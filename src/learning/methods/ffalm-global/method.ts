import type { LossTerm } from "../../orders.js";
import type { AnswerTally, Fairness } from "../../tally.js";
import { plainLoss, type TrainingMethod, type TrainingStrategy } from "../method.js";

const usual = { beta: 1, eta: 0.2 } as const;
const largestDual = 10;

export const ffalmGlobal: TrainingMethod<"ffalm-global"> = {
  name: "ffalm-global",
  summary: "fair classifiers: the difference between groups over all parties, from sums of answers alone",
  paper:
    "after Fairness-aware Federated Minimax Optimization with Convergence Guarantee (2024), with exact global differences",
  role: "default",
  fairness: ["eo", "dp", "ap"],
  partyLevel: true,
  severalAttributes: true,
  options: { beta: { usual: usual.beta }, eta: { usual: usual.eta }, target: { usual: 0 } },
  loss: "given",
  weighting: "people",
  make: ({ fairness = "eo", beta = usual.beta, eta = usual.eta, target = 0 }) =>
    new FfalmGlobal(fairness, beta, eta, largestDual, target),
};

/** One constraint: a group's rate is to be the reference group's. */
interface Price {
  lambda: number;
  /** A factor of eta and beta, from `leastGain` to 1. */
  gain: number;
  /** The difference a round ago. */
  before: number;
}

const fields = ["lambda", "gain", "before"] as const;
const leastGain = 1 / 64;

/**
 * The difference is that of all parties' people together, by the model's hard answers, which only sums are needed for.
 * Everybody's loss gets c ([s = group] / share - [s = reference] / share of it) times the surrogate of the rate.
 */
export class FfalmGlobal implements TrainingStrategy {
  private prices: Price[] = [];

  constructor(
    private readonly fairness: Fairness,
    private readonly beta: number,
    private readonly eta: number,
    private readonly cap: number,
    /** The largest difference that is no excess. */
    private readonly target = 0,
  ) {}

  get memory(): number[] {
    return this.prices.flatMap((price) => fields.map((field) => price[field]));
  }

  set memory(numbers: number[]) {
    this.prices = Array.from({ length: numbers.length / fields.length }, (_, group) => {
      const [lambda, gain, before] = numbers.slice(group * fields.length);
      return { lambda: lambda!, gain: gain!, before: before! };
    });
  }

  plan(tally: AnswerTally): LossTerm {
    const { views, parts, groups } = tally;
    if (this.prices.length === 0)
      this.prices = views.flatMap((view) =>
        Array.from({ length: view.groups }, () => ({ lambda: 0, gain: 1, before: 0 })),
      );
    // Every attribute has its own constraints, and whoever is in two groups has the slopes of both.
    const slopes = new Float64Array(groups);
    let from = 0;
    views.forEach((view, i) => {
      const own = this.slopesOf(view, this.prices.slice(from, from + view.groups));
      for (let group = 0; group < groups; group++) slopes[group] += own[parts ? parts[i].of[group] : group];
      from += view.groups;
    });
    return this.spread(slopes, groups);
  }

  private slopesOf(tally: AnswerTally, prices: readonly Price[]): Float64Array {
    const { fairness } = this;
    const reference = tally.largestGroup;
    const slopes = new Float64Array(tally.groups);
    for (let group = 0; group < tally.groups; group++) {
      const difference = tally.rate(fairness, group) - tally.rate(fairness, reference);
      if (group === reference || Number.isNaN(difference)) continue;
      const c = this.raise(prices[group], difference);
      const share = (of: number) => tally.concerned(fairness, of) / tally.everybody;
      slopes[group] += c / share(group);
      slopes[reference] -= c / share(reference);
    }
    return slopes;
  }

  /**
   * lambda += eta Delta, c = lambda + beta Delta. In a round of many steps a flexible net may answer with the opposite
   * difference, and so on for ever: whenever the sign turns, both count half.
   */
  private raise(price: Price, difference: number): number {
    const turned = difference * price.before < 0;
    price.gain = turned ? Math.max(leastGain, price.gain / 2) : Math.min(1, price.gain * 1.1);
    price.before = difference;
    const step = price.gain * this.eta;
    const raised = towardsZero(price.lambda + step * difference, step * this.target);
    price.lambda = Math.min(this.cap, Math.max(-this.cap, raised));
    return price.lambda + price.gain * this.beta * towardsZero(difference, this.target);
  }

  /** The slope of each group to its people's losses: of a yes, of a yes to those with y = 1, or of an error. */
  private spread(slopes: Float64Array, groups: number): LossTerm {
    const loss = plainLoss(groups);
    for (let group = 0; group < groups; group++) {
      for (const label of [0, 1]) {
        const cell = group * 2 + label;
        // A negative weight of the cross-entropy would reward errors without bound.
        if (this.fairness === "ap") loss.entropyWeights[cell] = Math.max(0, 1 + slopes[group]);
        else if (this.fairness === "dp" || label === 1) loss.rateWeights[cell] = slopes[group];
      }
    }
    return loss;
  }
}

/** A number moved towards 0 by so much, and not beyond. */
function towardsZero(value: number, by: number): number {
  return Math.sign(value) * Math.max(0, Math.abs(value) - by);
}
