import type { ClusterMethod } from "../method.js";

export const kfed: ClusterMethod<"kfed"> = {
  name: "kfed",
  summary: "the one-shot baseline: one message of means from each party that holds rows",
  paper: "Heterogeneity for the Win: One-Shot Federated Clustering (Dennis, Li and Smith 2021)",
  rows: {
    load: async () => (await import("./kfed.js")).kfedOnRows,
    federated: false,
    minCount: 2,
    protections: ["means"],
  },
  promises: { groups: false, sizes: false },
  phases: ["descent"],
  options: {
    localClusters: { help: "how many clusters each party makes of its own people (default: k)" },
  },
};
