export const methodNames = ["ffalm-global", "ffalm", "fairfed", "fpfl", "fedavg"] as const;
export type MethodName = (typeof methodNames)[number];

const ffalm = "Fairness-aware Federated Minimax Optimization with Convergence Guarantee (2024)";

/** The methods that train classifiers: one line each, and where they come from. */
export const methods: readonly { readonly name: MethodName; readonly summary: string; readonly paper: string }[] = [
  {
    name: "ffalm-global",
    summary: "fair classifiers: the difference between groups over all parties, from sums of answers alone",
    paper: `after ${ffalm}, with exact global differences`,
  },
  { name: "ffalm", summary: "fair classifiers by an augmented Lagrangian of each party's group losses", paper: ffalm },
  {
    name: "fairfed",
    summary: "averages in which parties with differences of their own count less",
    paper: "FairFed: Enabling Group Fairness in Federated Learning (AAAI 2023)",
  },
  {
    name: "fpfl",
    summary: "every group's loss held to everybody's by the method of multipliers",
    paper:
      "Enforcing fairness in private federated learning via the modified method of differential multipliers (2021)",
  },
  {
    name: "fedavg",
    summary: "classifiers by federated averaging, without fairness: measures only",
    paper: "Communication-Efficient Learning of Deep Networks from Decentralized Data (2017)",
  },
];
