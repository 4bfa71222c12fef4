import type { GapOrder, TrainOrder } from "../../learner.js";
import type { Fairness, Tally } from "../../tally.js";
import { type Method, plainLoss } from "../method.js";

/** Parties whose own difference is far from everybody's count less, more so with every round. */
export class FairFed implements Method {
  memory = [];

  constructor(
    private readonly fairness: Fairness,
    private readonly beta: number,
  ) {}

  plan(tally: Tally) {
    return plainLoss(tally.groups);
  }

  question(tally: Tally): GapOrder {
    const { fairness } = this;
    const reference = tally.largestGroup;
    const differences = Float64Array.from(
      { length: tally.groups },
      (_, group) => tally.rate(fairness, group) - tally.rate(fairness, reference),
    );
    return { fairness, reference, differences, accuracy: tally.accuracy };
  }

  weighting(meanGap: number, tally: Tally): TrainOrder["weighting"] {
    return { kind: "fairfed", beta: this.beta, meanGap, everybody: tally.everybody };
  }
}
