import { distanceNames } from "../../table/distance.js";
import type { ClusterMethod } from "../method.js";

export const lloyd: ClusterMethod<"lloyd"> = {
  name: "lloyd",
  summary: "k-means, started by k-means++",
  paper: "Lloyd 1982; Arthur and Vassilvitskii 2007",
  defaultFor: "columns",
  columns: { load: async () => (await import("./lloyd.js")).runLloyd, federated: true },
  scanned: true,
  links: true,
  promises: { groups: false, sizes: false },
  phases: ["seed", "descent"],
  options: { seats: {}, distance: { values: distanceNames, default: "euclidean" } },
};
