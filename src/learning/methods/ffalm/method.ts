import type { TrainAnswer } from "../../learner.js";
import type { AnswerTally } from "../../tally.js";
import type { LossTerm } from "../../trainer.js";
import type { TrainingMethod, TrainingStrategy } from "../method.js";

interface Schedule {
  /** eta_lambda of the first round, and its factor from one round to the next. */
  readonly eta: number;
  readonly growth: number;
  /** The largest |lambda|. */
  readonly cap: number;
}

/** Constant and small, with a cap: it does not diverge. */
const safeSchedule: Schedule = { eta: 0.1, growth: 1, cap: 5 };
/** Table I of the paper. On tables it diverges for some seeds. */
const printedSchedule: Schedule = { eta: 2, growth: 1.05, cap: Number.POSITIVE_INFINITY };

const usualBeta = 2;

export const ffalm: TrainingMethod<"ffalm"> = {
  name: "ffalm",
  summary: "fair classifiers by an augmented Lagrangian of each party's group losses",
  paper: "Fairness-aware Federated Minimax Optimization with Convergence Guarantee (2024)",
  fairness: ["ap"],
  options: {
    beta: { usual: usualBeta },
    eta: { usual: safeSchedule.eta },
    schedule: {
      usual: "safe",
      values: ["safe", "printed"],
      help: "safe, or printed as in the paper, which may diverge",
    },
  },
  loss: "from-reference",
  weighting: "people",
  make: ({ beta = usualBeta, eta, schedule }) => {
    const chosen = schedule === "printed" ? printedSchedule : safeSchedule;
    return new Ffalm(beta, { ...chosen, eta: eta ?? chosen.eta });
  },
  doubt: ({ schedule }) =>
    schedule === "printed"
      ? "the paper's schedule of eta grows without end and may diverge: `schedule: safe` does not"
      : undefined,
};

/** Parties minimise L + lambda Delta + beta/2 Delta^2 of their batches (14); duals rise with the difference (13, 15). */
class Ffalm implements TrainingStrategy {
  private lambda: number[] = [];
  private reference = 0;

  constructor(
    private readonly beta: number,
    private readonly schedule: Schedule,
  ) {}

  get memory(): number[] {
    return this.lambda;
  }

  set memory(lambda: number[]) {
    this.lambda = lambda;
  }

  plan(tally: AnswerTally): LossTerm {
    this.reference = tally.largestGroup;
    if (this.lambda.length === 0) this.lambda = new Array(tally.groups).fill(0);
    return {
      kind: "from-reference",
      lambda: Float64Array.from(this.lambda),
      beta: this.beta,
      reference: this.reference,
    };
  }

  learn(answer: TrainAnswer, round: number): void {
    const { eta, growth, cap } = this.schedule;
    // The mean of lambda_i = lambda + eta Delta_i (15) is lambda + eta times the mean of Delta_i.
    this.lambda = this.lambda.map((before, group) => {
      const after = before + eta * growth ** round * answer.dual(group);
      return Math.min(cap, Math.max(-cap, after));
    });
  }
}
