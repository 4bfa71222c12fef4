import type { LossTerm } from "../../orders.js";
import { type AnswerTally, type Cells, comparisons, type Fairness } from "../../tally.js";
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
 * Everybody's loss gets c ([s = group] / share - [s = reference] / share of it) times the surrogate of the rate, for each class that is compared.
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
    const answers = comparisons(this.fairness, tally.classes);
    if (this.prices.length === 0)
      this.prices = views.flatMap((view) =>
        Array.from({ length: view.groups * answers.length }, () => ({ lambda: 0, gain: 1, before: 0 })),
      );
    // Every attribute has its own constraints, of every class, and whoever is in two groups has the slopes of both.
    const slopes = answers.map(() => new Float64Array(groups));
    let from = 0;
    views.forEach((view, i) => {
      answers.forEach((answer, at) => {
        const own = this.slopesOf(view, answer, this.prices.slice(from, from + view.groups));
        for (let group = 0; group < groups; group++) slopes[at][group] += own[parts ? parts[i].of[group] : group];
        from += view.groups;
      });
    });
    return this.spread(slopes, tally);
  }

  private slopesOf(tally: AnswerTally, answer: number, prices: readonly Price[]): Float64Array {
    const { fairness } = this;
    const reference = tally.largestGroup;
    const slopes = new Float64Array(tally.groups);
    for (let group = 0; group < tally.groups; group++) {
      const difference = tally.rate(fairness, group, answer) - tally.rate(fairness, reference, answer);
      if (group === reference || Number.isNaN(difference)) continue;
      const c = this.raise(prices[group], difference);
      const share = (of: number) => tally.concerned(fairness, of, answer) / tally.everybody;
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

  /** The slopes of each answer and group to people's losses: of an answer, of an answer to those whose label it is, or of an error. */
  private spread(slopes: readonly Float64Array[], cells: Cells): LossTerm {
    const { groups, classes } = cells;
    const { fairness } = this;
    const loss = plainLoss(cells);
    for (let cell = 0; cell < groups * classes; cell++) {
      const [group, label] = [Math.floor(cell / classes), cell % classes];
      comparisons(fairness, classes).forEach((answer, at) => {
        const slope = slopes[at][group];
        // A negative weight of the cross-entropy would reward errors without bound.
        if (fairness === "ap") loss.entropyWeights[cell] = Math.max(0, 1 + slope);
        else if (fairness === "dp" || label === answer) addRate(loss.rateWeights, cell, answer, slope, classes);
      });
    }
    return loss;
  }
}

/** The probability of the first class is 1 less those of the others, which alone have factors. */
function addRate(weights: Float64Array, cell: number, answer: number, slope: number, classes: number): void {
  const first = cell * (classes - 1) - 1;
  if (answer > 0) weights[first + answer] += slope;
  else for (let other = 1; other < classes; other++) weights[first + other] -= slope;
}

/** A number moved towards 0 by so much, and not beyond. */
function towardsZero(value: number, by: number): number {
  return Math.sign(value) * Math.max(0, Math.abs(value) - by);
}
