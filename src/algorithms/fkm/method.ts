import type { ClusterMethod } from "../method.js";

export const fkm: ClusterMethod<"fkm"> = {
  name: "fkm",
  summary: "k-means over parties that hold rows, as published: every round the coordinator clusters their means",
  paper: "Federated K-means Clustering (Garst and Reinders 2023)",
  rows: {
    load: async () => (await import("./fkm.js")).fkmOnRows,
    federated: true,
    minCount: 2,
    protections: ["means"],
  },
  links: "weights",
  promises: { groups: false, sizes: false },
  phases: ["descent"],
  options: {
    bareSeeds: { help: "for reproduction only: the first messages are raw records, as in the paper's figures" },
  },
};
