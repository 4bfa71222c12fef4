import { observation } from "../observation.js";
import type { Bench, Line, Sheet } from "../types.js";
import { agreement, byDistance, remark } from "./experiment.js";
import { observed } from "./figure3.js";

/** Figure 6: more people in each cluster. */
export async function figure6(bench: Bench): Promise<Sheet[]> {
  const { quick } = bench.options;
  const sizes = quick ? [50, 100] : [50, 100, 200];
  const lines: Line[] = [];
  for (const beta of quick ? [1] : [0.1, 1, 10]) {
    for (const sd of quick ? [1.5] : [1, 1.2, 1.5]) {
      for (const each of sizes) {
        lines.push(await agreement(bench, { beta, sd, each }, (seed) => byDistance(seed, sd, beta, each)));
      }
    }
  }
  const settings = lines.filter(({ at }) => at.each === sizes[0]);
  const apart = settings.map((line) => {
    const at = lines.indexOf(line);
    const means = lines.slice(at, at + sizes.length).map(({ figures }) => figures.fkm.mean);
    return Math.max(...means) - Math.min(...means);
  });
  return [
    {
      title: "16 clusters of 50, 100 and 200 people, five parties by the distance rule",
      lines,
      notes: [
        remark,
        observation(
          "the number of people hardly matters for FKM: at most 0.03 between 50 and 200",
          apart.map((gap) => gap <= 0.03),
        ),
        ...observed(lines),
      ],
    },
  ];
}
