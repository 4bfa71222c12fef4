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
];

/** Those whose clusters are the nearest centres when nothing is promised. */
export const unconstrained = methods.filter(([name]) => name !== "fair-lp" && name !== "f3km by admm");
