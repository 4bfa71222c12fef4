import type { ClusterMethod } from "../method.js";
import { reach } from "../reach.js";

export const fairLloyd: ClusterMethod<"fair-lloyd"> = {
  name: "fair-lloyd",
  summary: "socially fair k-means: the mean cost of the worst-off group is as low as a local search finds",
  paper: "Ghadiri, Samadi, Vempala 2021; Abbasi, Bhaskara, Venkatasubramanian 2021",
  defaultFor: "social",
  notion: "social",
  whole: {
    load: async () => (await import("./fair-lloyd.js")).runFairLloyd,
    why: reach.social.not.columns,
  },
  promises: { groups: false, sizes: false },
  needsGroups: true,
  phases: ["seed", "descent", "fair"],
  options: {},
};
