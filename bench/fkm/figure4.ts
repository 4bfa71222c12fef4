import type { Bench, Sheet } from "../types.js";
import { agreement, byClusters, remark, verdict } from "./experiment.js";

/** Figure 4: parties that know 1, 4, 7, 10 and 16 of the clusters; the first has ten people. */
export async function figure4(bench: Bench): Promise<Sheet[]> {
  const lines = [await agreement(bench, { clusters: "1, 4, 7, 10, 16" }, (seed) => byClusters(seed, 1))];
  return [
    { title: "16 clusters of 50 people, sd 1, parties with 1 to 16 of them", lines, notes: [remark, verdict(lines)] },
  ];
}
