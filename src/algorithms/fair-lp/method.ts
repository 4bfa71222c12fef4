import type { ClusterMethod } from "../method.js";

export const fairLp: ClusterMethod<"fair-lp"> = {
  name: "fair-lp",
  summary: "the literature's baseline: k-means centres, then a fair assignment by linear programming",
  paper: "Fair Algorithms for Clustering (Bera et al. 2019)",
  columns: { load: async () => (await import("./fair-lp.js")).runFairLp, federated: false },
  promises: { groups: true, sizes: false },
  needsGroups: true,
  phases: ["seed", "descent"],
  options: {},
};
