import type { Bench, Sheet } from "../types.js";
import { agreement, byDistance, remark, verdict } from "./experiment.js";
import { observed } from "./figure3.js";

/** Figure 1: the regular data (sd 1), held more and more unevenly as beta falls. */
export async function figure1(bench: Bench): Promise<Sheet[]> {
  const lines = [];
  for (const beta of bench.options.quick ? [1] : [0.1, 1, 10]) {
    lines.push(await agreement(bench, { beta }, (seed) => byDistance(seed, 1, beta)));
  }
  return [
    {
      title: "16 clusters of 50 people, sd 1, five parties by the distance rule",
      lines,
      notes: [remark, verdict(lines), ...observed(lines)],
    },
  ];
}
