import type { AnswerTally } from "../../tally.js";
import { plainLoss, type TrainingMethod, type TrainingStrategy } from "../method.js";

export const fedavg: TrainingMethod<"fedavg"> = {
  name: "fedavg",
  summary: "classifiers by federated averaging, without fairness: measures only",
  paper: "Communication-Efficient Learning of Deep Networks from Decentralized Data (2017)",
  role: "control",
  fairness: [],
  severalAttributes: true,
  options: {},
  loss: "given",
  weighting: "people",
  make: () => new FedAvg(),
};

/** Averages, weighted by people, and nothing about fairness. */
export class FedAvg implements TrainingStrategy {
  memory = [];

  plan(tally: AnswerTally) {
    return plainLoss(tally);
  }
}
