import type { AlgorithmName } from "./types.js";

/** What there is: one line each, and where it comes from. */
export const algorithms: readonly { readonly name: AlgorithmName; readonly summary: string; readonly paper: string }[] =
  [
    {
      name: "f3km",
      summary: "fair k-means: every group within its bounds in every cluster, columns on one or many parties",
      paper:
        "F3KM: Federated, Fair, and Fast k-means (PACMMOD 1(4), December 2023), solved by prices; --solver admm is the paper's method",
    },
    {
      name: "teb",
      summary: "even k-means: sizes balanced against squared distance, or all alike with --balance hard",
      paper: "Federated and Balanced Clustering (Teb-means, PVLDB 2025), solved by prices; --rule gbco is the paper's",
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
    {
      name: "fcfc",
      summary: "a baseline for even sizes: Lloyd's passes with a penalty on the size of a cluster",
      paper: "Fast Clustering with Flexible Balance Constraints (Liu et al. 2018)",
    },
    {
      name: "bcls",
      summary: "a baseline for even sizes: clusters as the targets of a ridge regression, in one process",
      paper: "Balanced Clustering with Least Square Regression (Liu et al. 2017)",
    },
  ];
