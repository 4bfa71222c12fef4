import { observation } from "../observation.js";
import type { Bench, Line, Sheet } from "../types.js";
import { agreement, byDistance, byRound, remark, verdict } from "./experiment.js";
import { figure4 } from "./figure4.js";

/** Pooled, from the authors' code at sd 1.5. */
const known: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  0.1: { central: 0.724, fkm: 0.711, kfed: 0.478 },
  1: { central: 0.724, fkm: 0.725, kfed: 0.532 },
  10: { central: 0.724, fkm: 0.719, kfed: 0.609 },
};

const beside = "The figures beside are pooled, of the authors' code at sd 1.5; the paper itself prints curves only.";

/** What the paper says of figures 1, 3 and 6. */
export function observed(lines: readonly Line[]): string[] {
  const mean = (line: Line, method: string) => line.figures[method].mean;
  return [
    observation(
      "FKM agrees with the truth better than k-FED",
      lines.map((line) => mean(line, "fkm") > mean(line, "kfed")),
    ),
    observation(
      "also than k-FED whose number of local clusters was chosen by the truth",
      lines.map((line) => mean(line, "fkm") > mean(line, "kfed, informed")),
    ),
    observation(
      "FKM is within 0.02 of central k-means",
      lines.map((line) => Math.abs(mean(line, "fkm") - mean(line, "central")) <= 0.02),
    ),
  ];
}

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
  const rounds: Line[] = [];
  for (const beta of quick ? [1] : [0.1, 1, 10]) {
    for (const sd of quick ? [1.5] : [1, 1.2, 1.5]) {
      rounds.push(await byRound(bench, { beta, sd }, (seed) => byDistance(seed, sd, beta)));
    }
  }
  const gain = ({ figures }: Line) => {
    const curve = Object.entries(figures).filter(([name]) => name !== "fkm-plus");
    return curve.at(-1)![1].mean - curve[0][1].mean;
  };
  return [
    { title, lines, notes: [remark, beside, ...observed(lines)] },
    { ...last!, notes: [verdict(all)] },
    {
      title: "Figure 3 (d) to (f): pooled ARI of FKM after so many rounds",
      lines: rounds,
      notes: [
        observation(
          "iterating helps",
          rounds.map((line) => gain(line) > 0),
        ),
        ...(quick
          ? []
          : [
              observation(
                "and more so where clusters blur: sd 1.5 against sd 1",
                [0, 3, 6].map((first) => gain(rounds[first + 2]) > gain(rounds[first])),
              ),
            ]),
        "Of the rounds so far, the one with the least squared distances counts: the paper takes the last.",
      ],
    },
  ];
}
