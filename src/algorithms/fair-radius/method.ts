import type { ClusterMethod } from "../method.js";
import { reach } from "../reach.js";

export const fairRadius: ClusterMethod<"fair-radius"> = {
  name: "fair-radius",
  summary:
    "individually fair k-means: everybody has a centre within a factor of the distance to their n/k-th neighbour",
  paper: "Jung, Kannan, Lutz 2020; Mahabadi and Vakilian 2020; Vakilian and Yalciner 2022",
  defaultFor: "individual",
  notion: "individual",
  whole: {
    load: async () => (await import("./fair-radius.js")).runFairRadius,
    why: reach.individual.not.columns!,
  },
  promises: { groups: false, sizes: false },
  phases: ["seed", "descent", "fair"],
  options: {},
};
