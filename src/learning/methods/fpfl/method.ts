import { GroupDuals } from "../duals.js";
import type { TrainingMethod } from "../method.js";

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
  // Each group's loss is held to everybody's: d_s = |L - mu_s|, with lambda_s += eta d_s (16).
  make: ({ beta = usual.beta, eta = usual.eta }) => new GroupDuals("from-everybody", beta, () => eta),
};
