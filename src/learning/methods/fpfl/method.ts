import type { TrainAnswer } from "../../learner.js";
import type { AnswerTally } from "../../tally.js";
import type { LossTerm } from "../../trainer.js";
import type { TrainingMethod, TrainingStrategy } from "../method.js";

/** The paper's (Table I). */
const usual = { beta: 5, eta: 0.5 } as const;

export const fpfl: TrainingMethod<"fpfl"> = {
  name: "fpfl",
  summary: "every group's loss held to everybody's by the method of multipliers",
  paper: "Enforcing fairness in private federated learning via the modified method of differential multipliers (2021)",
  fairness: ["ap"],
  options: { beta: { usual: usual.beta }, eta: { usual: usual.eta } },
  loss: "from-everybody",
  weighting: "people",
  make: ({ beta = usual.beta, eta = usual.eta }) => new Fpfl(beta, eta),
};

/** Each group's loss is held to everybody's: d_s = |L - mu_s|, with lambda_s += eta d_s (16). */
class Fpfl implements TrainingStrategy {
  private lambda: number[] = [];

  constructor(
    private readonly beta: number,
    private readonly eta: number,
  ) {}

  get memory(): number[] {
    return this.lambda;
  }

  set memory(lambda: number[]) {
    this.lambda = lambda;
  }

  plan(tally: AnswerTally): LossTerm {
    if (this.lambda.length === 0) this.lambda = new Array(tally.groups).fill(0);
    return { kind: "from-everybody", lambda: Float64Array.from(this.lambda), beta: this.beta, reference: 0 };
  }

  learn(answer: TrainAnswer): void {
    this.lambda = this.lambda.map((before, group) => before + this.eta * answer.dual(group));
  }
}
