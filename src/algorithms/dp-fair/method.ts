import type { ClusterMethod } from "../method.js";

export const dpFair: ClusterMethod<"dp-fair"> = {
  name: "dp-fair",
  summary: "differentially private and fair: cells of a Gaussian mixture, merged by density and balance",
  paper: "Fast and Differentially Private Fair Clustering (Byun and Lee, IJCAI 2023)",
  rows: { federated: true, minCount: 5, countsAreNoisy: true, protections: ["masked"] },
  promises: { groups: false, sizes: false },
  needsGroups: true,
  phases: ["mixture"],
  options: {
    epsilon: {},
    private: { values: ["attribute", "all"], default: "attribute" },
    deltaDp: {},
    components: {},
    epsilonLabel: {},
    lambda: {},
    minCellShare: {},
    refine: {},
  },
  privacy: {
    always: true,
    about: ["attribute", "all"],
    sharesFit: true,
    seeks: "clusters that are balanced by noisy counts",
    plan: async () => (await import("./dp-fair.js")).planFair,
  },
};
