import type { Bench, Sheet } from "../types.js";
import { agreement, byDistance, remark, verdict } from "./experiment.js";
import { figure4 } from "./figure4.js";

/** Pooled, from the authors' code at sd 1.5. */
const known: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  0.1: { central: 0.724, fkm: 0.711, kfed: 0.478 },
  1: { central: 0.724, fkm: 0.725, kfed: 0.532 },
  10: { central: 0.724, fkm: 0.719, kfed: 0.609 },
};

const beside = "The figures beside are pooled, of the authors' code at sd 1.5; the paper itself prints curves only.";

/** Figure 3: ever noisier clusters. */
export async function figure3(bench: Bench): Promise<Sheet[]> {
  const { quick } = bench.options;
  const lines = [];
  for (const beta of quick ? [1] : [0.1, 1, 10]) {
    for (const sd of quick ? [1.5] : [1, 1.1, 1.2, 1.3, 1.4, 1.5]) {
      const published = sd === 1.5 ? known[beta] : undefined;
      lines.push(await agreement(bench, { beta, sd }, (seed) => byDistance(seed, sd, beta), published));
    }
  }
  const title = "16 clusters of 50 people, noise sd 1 to 1.5, five parties by the distance rule";
  // Figure 4 is the last of the paper's 19 settings: the verdict is about all of them.
  const [last] = await figure4(bench);
  const all = [...lines, ...last!.lines];
  return [
    { title, lines, notes: [remark, beside] },
    { ...last!, notes: [verdict(all)] },
  ];
}
