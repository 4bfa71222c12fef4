import type { ClusterMethod } from "../method.js";

export const dpFair: ClusterMethod<"dp-fair"> = {
  name: "dp-fair",
  summary: "differentially private and fair: tight clusters of cells, as balanced as asked by noisy counts",
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
    balance: { help: "a wish for even sizes: eta below 1" },
    balanceTarget: { default: 0.8 },
    lambda: {},
    minCellShare: {},
    refine: {},
    labelling: { values: ["nearest", "density"], default: "nearest" },
  },
  privacy: {
    always: true,
    about: ["attribute", "all"],
    overColumns: { minSize: 5 },
    sharesFit: true,
    seeks: "clusters that are balanced by noisy counts",
    plan: async () => (await import("./dp-fair.js")).planFair,
  },
};
