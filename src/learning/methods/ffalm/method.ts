import { GroupDuals } from "../duals.js";
import type { TrainingMethod } from "../method.js";

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
  // Parties minimise L + lambda Delta + beta/2 Delta^2 of their batches (14); duals rise with the difference (13, 15).
  make: ({ beta = usualBeta, eta, schedule }) => {
    const chosen = schedule === "printed" ? printedSchedule : safeSchedule;
    const first = eta ?? chosen.eta;
    return new GroupDuals("from-reference", beta, (round) => first * chosen.growth ** round, chosen.cap);
  },
  doubt: ({ schedule }) =>
    schedule === "printed"
      ? "the paper's schedule of eta grows without end and may diverge: `schedule: safe` does not"
      : undefined,
};
