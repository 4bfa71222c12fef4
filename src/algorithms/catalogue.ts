import type { AlgorithmName } from "./types.js";

/** What there is: one line each, and where it comes from. */
export const algorithms: readonly { readonly name: AlgorithmName; readonly summary: string; readonly paper: string }[] =
  [
    {
      name: "f3km",
      summary: "fair k-means: every group within its bounds in every cluster, columns on one or many parties",
      paper:
        "F3KM: Federated, Fair, and Fast k-means (SIGMOD 2024), solved by prices; --solver admm is the paper's method",
    },
    { name: "lloyd", summary: "k-means, started by k-means++", paper: "Lloyd 1982; Arthur and Vassilvitskii 2007" },
    {
      name: "cdkm",
      summary: "k-means by coordinate descent, one person at a time; never above Lloyd's from the same start",
      paper: "Coordinate Descent Method for k-means (Nie et al. 2021)",
    },
    {
      name: "fair-lp",
      summary: "the literature's baseline: k-means centres, then a fair assignment by linear programming",
      paper: "Fair Algorithms for Clustering (Bera et al. 2019)",
    },
    {
      name: "fkm-plus",
      summary: "k-means over parties that hold rows: means of many once, then only sums over all parties",
      paper: "after Federated K-means Clustering (Garst and Reinders 2023), with exact and maskable rounds",
    },
    {
      name: "fkm",
      summary: "k-means over parties that hold rows, as published: every round the coordinator clusters their means",
      paper: "Federated K-means Clustering (Garst and Reinders 2023)",
    },
    {
      name: "kfed",
      summary: "the one-shot baseline: one message of means from each party that holds rows",
      paper: "Heterogeneity for the Win: One-Shot Federated Clustering (Dennis, Li and Smith 2021)",
    },
    {
      name: "dp-fair",
      summary: "differentially private and fair: cells of a Gaussian mixture, merged by density and balance",
      paper: "Fast and Differentially Private Fair Clustering (Byun and Lee, IJCAI 2023)",
    },
  ];
