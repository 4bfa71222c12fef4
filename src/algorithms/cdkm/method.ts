import type { ClusterMethod } from "../method.js";

export const cdkm: ClusterMethod<"cdkm"> = {
  name: "cdkm",
  summary: "k-means by coordinate descent, one person at a time; never above Lloyd's from the same start",
  paper: "Coordinate Descent Method for k-means (Nie et al. 2021)",
  columns: { load: async () => (await import("./cdkm.js")).runCdkm, federated: true },
  links: true,
  promises: { groups: false, sizes: false },
  phases: ["seed", "descent"],
  options: {},
};
