import { distanceNames } from "../../table/distance.js";
import type { ClusterMethod } from "../method.js";
import { refusal } from "../reach.js";

export const f3km: ClusterMethod<"f3km"> = {
  name: "f3km",
  summary: "fair k-means: every group within its bounds in every cluster, columns on one or many parties",
  paper:
    "F3KM: Federated, Fair, and Fast k-means (PACMMOD 1(4), December 2023), solved by prices; `solver: admm` is the paper's method",
  defaultFor: "groups",
  columns: { load: async () => (await import("./f3km.js")).runF3km, federated: true },
  rows: {
    load: async () => (await import("./f3km-rows.js")).f3kmOnRows,
    federated: true,
    minCount: 5,
    protections: ["masked", "means"],
  },
  scanned: true,
  links: true,
  promises: { groups: true, sizes: true },
  phases: ["seed", "sample", "descent", "even", "fair"],
  options: {
    minSize: {},
    maxSize: {},
    capacity: {},
    seats: {},
    distance: { values: distanceNames, default: "euclidean" },
    balance: {},
    solver: { values: ["prices", "admm"], default: "prices", help: "prices, or the paper's admm" },
  },
  objection: ({ solver, balance, split, distance }) => {
    if (distance === "manhattan" && split === "rows") {
      return `${refusal("manhattan", "rows")}: split columns, or leave it out`;
    }
    if (distance === "manhattan" && solver === "admm") {
      return "the solver admm is made of means, and `distance: manhattan` has medians: leave `solver` out";
    }
    if (solver !== "admm") return undefined;
    if (split === "rows") return "`solver: admm` does nothing where rows are split: leave it out";
    return typeof balance === "number" ? "the solver admm does not balance sizes: leave out `solver`" : undefined;
  },
};
