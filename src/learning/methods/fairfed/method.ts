import type { GapOrder, TrainOrder } from "../../orders.js";
import { type AnswerTally, comparisons, type Fairness } from "../../tally.js";
import { plainLoss, type TrainingMethod, type TrainingStrategy } from "../method.js";

const usualBeta = 0.5;

export const fairfed: TrainingMethod<"fairfed"> = {
  name: "fairfed",
  summary: "averages in which parties with differences of their own count less",
  paper: "FairFed: Enabling Group Fairness in Federated Learning (AAAI 2023)",
  fairness: ["dp", "eo", "ap"],
  options: { beta: { usual: usualBeta, help: "how fast weights move" } },
  loss: "given",
  weighting: "gaps",
  questions: async () => [(await import("./gap.js")).gap],
  make: ({ fairness = "dp", beta = usualBeta }) => new FairFed(fairness, beta),
};

/** Parties whose own difference is far from everybody's count less, more so with every round. */
export class FairFed implements TrainingStrategy {
  memory = [];

  constructor(
    private readonly fairness: Fairness,
    private readonly beta: number,
  ) {}

  plan(tally: AnswerTally) {
    return plainLoss(tally);
  }

  question(tally: AnswerTally): GapOrder {
    const { fairness } = this;
    const reference = tally.largestGroup;
    const differences = Float64Array.from(
      comparisons(fairness, tally.classes).flatMap((answer) =>
        Array.from(
          { length: tally.groups },
          (_, group) => tally.rate(fairness, group, answer) - tally.rate(fairness, reference, answer),
        ),
      ),
    );
    return { fairness, reference, differences, accuracy: tally.accuracy };
  }

  weighting(meanGap: number, tally: AnswerTally): TrainOrder["weighting"] {
    return { kind: "gaps", beta: this.beta, meanGap, everybody: tally.everybody };
  }
}
