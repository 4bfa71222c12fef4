import type { Benchmark } from "./types.js";

const ffalm = "Fairness-aware Federated Minimax Optimization with Convergence Guarantee (2024)";
const f3km = "F3KM: Federated, Fair, and Fast k-means (PACMMOD 1(4), December 2023)";
const dpFair = "Fast and Differentially Private Fair Clustering (IJCAI 2023)";

const teb = "Federated and Balanced Clustering for High-dimensional Data (PVLDB 2025)";
const fkm = "Federated K-means Clustering (Garst and Reinders 2023)";

/** What there is to measure. Each has its own file, which is loaded when it is asked for. */
export const benchmarks: readonly Benchmark[] = [
  {
    name: "speed",
    summary: "the goals of one process: passes, whole runs, growth, memory, files",
    paper: "scikit-learn through python3 or MOIETY_PYTHON; ml-kmeans",
    seeds: 3,
    load: async () => (await import("./speed/run.js")).speed,
  },
  {
    name: "start-up",
    summary: "processor time of --version and of help, against bare Node",
    paper: "none",
    seeds: 3,
    load: async () => (await import("./start-up.js")).startUp,
  },
  {
    name: "huge",
    summary: "20 million people by 53: seconds and memory; needs about 13 GB",
    paper: "none",
    seeds: 1,
    load: async () => (await import("./huge.js")).huge,
  },
  {
    name: "f3km-table3",
    summary: "communication rounds and relative error by block size",
    paper: `${f3km}, Table 3`,
    seeds: 3,
    load: async () => (await import("./f3km/table3.js")).table3,
  },
  {
    name: "f3km-table4",
    summary: "seconds of f3km and fair-lp as people grow to five million",
    paper: `${f3km}, Table 4`,
    seeds: 1,
    load: async () => (await import("./f3km/table4.js")).table4,
  },
  {
    name: "f3km-figure7",
    summary: "SSE of six methods against k",
    paper: `${f3km}, Figure 7`,
    seeds: 5,
    load: async () => (await import("./f3km/figure7.js")).figure7,
  },
  {
    name: "f3km-figure8",
    summary: "relative error of f3km and fair-lp against delta",
    paper: `${f3km}, Figure 8`,
    seeds: 3,
    load: async () => (await import("./f3km/figure8.js")).figure8,
  },
  {
    name: "f3km-figure9",
    summary: "balance of every cluster, by six methods",
    paper: `${f3km}, Figure 9`,
    seeds: 3,
    load: async () => (await import("./f3km/figure9.js")).figure9,
  },
  {
    name: "federation",
    summary: "three parties over TLS: seconds, rounds, passes and bytes, and what raw TLS sockets carry",
    paper: "none",
    seeds: 1,
    load: async () => (await import("./federation/run.js")).federation,
  },
  {
    name: "privacy",
    summary: "what masks, blinding and the alignment of ids cost",
    paper: "none",
    seeds: 2,
    load: async () => (await import("./privacy.js")).privacy,
  },
  {
    name: "fkm-figure1",
    summary: "agreement with the truth, rows held more and more unevenly",
    paper: `${fkm}, Figure 1`,
    seeds: 50,
    load: async () => (await import("./fkm/figure1.js")).figure1,
  },
  {
    name: "fkm-figure3",
    summary: "agreement with the truth as clusters blur, and the verdict on all 19 settings",
    paper: `${fkm}, Figure 3`,
    seeds: 50,
    load: async () => (await import("./fkm/figure3.js")).figure3,
  },
  {
    name: "fkm-figure4",
    summary: "agreement with the truth where parties know 1 to 16 clusters",
    paper: `${fkm}, Figure 4`,
    seeds: 50,
    load: async () => (await import("./fkm/figure4.js")).figure4,
  },
  {
    name: "fkm-figure5",
    summary: "silhouettes of pictures of 784 dots over ten parties, k=60",
    paper: `${fkm}, Figure 5`,
    seeds: 3,
    load: async () => (await import("./fkm/figure5.js")).figure5,
  },
  {
    name: "attacks",
    summary: "what attacks on the messages get, with protection and without",
    paper: "none",
    seeds: 3,
    load: async () => (await import("./attacks/run.js")).attacks,
  },
  {
    name: "dp-fair-table1",
    summary: "seconds of dp-fair on invented data, and the balance of Twomoon",
    paper: `${dpFair}, Table 1 and figure 3`,
    seeds: 10,
    load: async () => (await import("./dp-fair/tables.js")).table1,
  },
  {
    name: "dp-fair-table2",
    summary: "seconds of dp-fair on Adult, Bank and Diabetes",
    paper: `${dpFair}, Table 2`,
    seeds: 10,
    load: async () => (await import("./dp-fair/tables.js")).table2,
  },
  {
    name: "dp-fair-figure4",
    summary: "balance, silhouette and Davies-Bouldin for K=2..9 on Adult",
    paper: `${dpFair}, Figure 4`,
    seeds: 10,
    load: async () => (await import("./dp-fair/figures.js")).figure4,
  },
  {
    name: "dp-fair-figure5",
    summary: "the same under noise, at epsilon 1 and 0.001",
    paper: `${dpFair}, Figure 5`,
    seeds: 10,
    load: async () => (await import("./dp-fair/figures.js")).figure5,
  },
  {
    name: "teb-table5",
    summary: "clustering loss and balance loss of Teb-means for different block sizes",
    paper: `${teb}, Table 5`,
    seeds: 3,
    load: async () => (await import("./teb/tables.js")).table5,
  },
  {
    name: "teb-table7",
    summary: "evenness and seconds of Teb-means, FCFC and BCLS",
    paper: `${teb}, Table 7`,
    seeds: 3,
    load: async () => (await import("./teb/tables.js")).table7,
  },
  {
    name: "teb-table8",
    summary: "both losses over many starts",
    paper: `${teb}, Table 8`,
    seeds: 5,
    load: async () => (await import("./teb/tables.js")).table8,
  },
  {
    name: "teb-figure8",
    summary: "clustering loss for k = 10 to 20",
    paper: `${teb}, Figure 8`,
    seeds: 2,
    load: async () => (await import("./teb/tables.js")).figure8,
  },
  {
    name: "learning",
    summary: "seconds of a training step: ResNet-18 and a perceptron",
    paper: "torch through python3 or MOIETY_PYTHON",
    seeds: 3,
    load: async () => (await import("./learning/steps.js")).steps,
  },
  {
    name: "ffalm-table2",
    summary: "accuracy and differences of all methods on Adult, Bank and Creditcard",
    paper: `${ffalm}, Table II`,
    seeds: 10,
    load: async () => (await import("./learning/table2.js")).table2,
  },
  {
    name: "faces",
    summary: "accuracy and differences of ResNet-18 on invented faces whose group can be seen",
    paper: `${ffalm}, Table II`,
    seeds: 3,
    load: async () => (await import("./learning/faces.js")).faces,
  },
];
