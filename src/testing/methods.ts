import type { ClusterOptions } from "../algorithms/types.js";

/** Every way to cluster that there is: the contract holds for all of them. */
export const methods: readonly (readonly [name: string, options: Partial<ClusterOptions>])[] = [
  ["lloyd", { algorithm: "lloyd" }],
  ["cdkm", { algorithm: "cdkm" }],
  ["f3km", { algorithm: "f3km" }],
  ["f3km in small blocks", { algorithm: "f3km", block: 20 }],
  ["f3km by admm", { algorithm: "f3km", solver: "admm", maxIterations: 15 }],
  ["fair-lp", { algorithm: "fair-lp" }],
  ["f3km on rows", { algorithm: "f3km", split: "rows", parties: 3 }],
  ["fkm-plus", { algorithm: "fkm-plus", parties: 3, split: "rows" }],
  ["fkm", { algorithm: "fkm", parties: 3, split: "rows", maxIterations: 8 }],
  ["fkm from bare seeds", { algorithm: "fkm", parties: 3, split: "rows", maxIterations: 8, bareSeeds: true }],
  ["kfed", { algorithm: "kfed", parties: 3, split: "rows" }],
  ["f3km, fair and even", { algorithm: "f3km", balance: 0.8, maxIterations: 3 }],
  ["f3km, fair and all alike", { algorithm: "f3km", balance: "hard", maxIterations: 3 }],
  ["teb", { algorithm: "teb" }],
  ["teb, all alike", { algorithm: "teb", balance: "hard" }],
  ["teb by sequential counts", { algorithm: "teb", balance: 0.9, rule: "sequential" }],
  ["teb by the paper's blocks", { algorithm: "teb", balance: 0.9, rule: "gbco", maxIterations: 15 }],
  ["fcfc", { algorithm: "fcfc" }],
  ["bcls", { algorithm: "bcls" }],
  ["lloyd by medians", { algorithm: "lloyd", distance: "manhattan" }],
  ["f3km by medians", { algorithm: "f3km", distance: "manhattan" }],
  ["teb by medians", { algorithm: "teb", distance: "manhattan" }],
];

/** Those whose clusters are the nearest centres when nothing is promised. */
const nearest = [
  "lloyd",
  "cdkm",
  "f3km",
  "f3km in small blocks",
  "f3km on rows",
  "fkm-plus",
  "fkm",
  "fkm from bare seeds",
  "kfed",
  "lloyd by medians",
  "f3km by medians",
];
export const unconstrained = methods.filter(([name]) => nearest.includes(name));
