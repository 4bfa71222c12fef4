import type { ClusterMethod } from "../method.js";

export const bcls: ClusterMethod<"bcls"> = {
  name: "bcls",
  summary: "a baseline for even sizes: clusters as the targets of a ridge regression, in one process",
  paper: "Balanced Clustering with Least Square Regression (Liu et al. 2017)",
  columns: { load: async () => (await import("./bcls.js")).runBcls, federated: false },
  promises: { groups: false, sizes: false },
  phases: ["seed", "descent", "even"],
  options: { balance: { default: 0.8 } },
};
