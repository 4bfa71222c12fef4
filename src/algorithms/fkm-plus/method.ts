import type { ClusterMethod } from "../method.js";

export const fkmPlus: ClusterMethod<"fkm-plus"> = {
  name: "fkm-plus",
  summary: "k-means over parties that hold rows: means of many once, then only sums over all parties",
  paper: "after Federated K-means Clustering (Garst and Reinders 2023), with exact and maskable rounds",
  defaultFor: "rows",
  rows: {
    load: async () => (await import("./fkm-plus.js")).fkmPlusOnRows,
    federated: true,
    minCount: 5,
    protections: ["masked", "means"],
  },
  links: "weights",
  promises: { groups: false, sizes: false },
  phases: ["descent"],
  options: { epsilon: {}, private: { values: ["all"], default: "all" }, deltaDp: {}, components: {} },
  privacy: {
    always: false,
    about: ["all"],
    sharesFit: false,
    seeks: "tight clusters by noisy means",
    plan: async () => (await import("./private-means.js")).planMeans,
  },
};
