import type { ClusterMethod } from "../method.js";

export const fcfc: ClusterMethod<"fcfc"> = {
  name: "fcfc",
  summary: "a baseline for even sizes: Lloyd's passes with a penalty on the size of a cluster",
  paper: "Fast Clustering with Flexible Balance Constraints (Liu et al. 2018)",
  columns: { load: async () => (await import("./fcfc.js")).runFcfc, federated: false },
  promises: { groups: false, sizes: false },
  phases: ["seed", "descent", "even"],
  options: { balance: { default: 0.8 } },
};
