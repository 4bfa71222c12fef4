import { sweep } from "../../src/algorithms/sweep.js";
import type { FeasiblePoint } from "../../src/algorithms/sweep-types.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { seededNoise } from "../../src/privacy/noise/chance.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Goal, Line, Sheet } from "../types.js";
import { paperBalance, sampled } from "./samples.js";

const ks = [2, 3, 4, 5, 6, 7, 8, 9];

/** What the paper's text says of its curves at K=9; the curves themselves are pictures. */
interface Told {
  readonly beside: Readonly<Record<string, string>>;
  readonly goal?: Goal;
}

/** Figure 4: balance, silhouette and Davies-Bouldin without noise, by both ways of labelling that the paper names. */
export async function figure4(bench: Bench): Promise<Sheet[]> {
  const beside = { paper: "slightly below 1", FairSVC: "about 0.4", FairScale: "1" };
  const epsilon = Number.POSITIVE_INFINITY;
  const densest: Setting = { asked: { lambda: 10, labelling: "density" }, as: "labelled by the highest density" };
  return [
    ...(await curves(bench, [{ epsilon, told: { beside, goal: { atLeast: 0.8 } } }])),
    ...(await curves(bench, [{ epsilon, told: {} }], densest)),
  ];
}

/** Figure 5: the same under noise. */
export async function figure5(bench: Bench): Promise<Sheet[]> {
  return curves(bench, [
    { epsilon: 1, told: { beside: { paper: "above 0.3", FairSVC: "near 0" }, goal: { atLeast: 0.65 } } },
    { epsilon: 0.001, told: { beside: { paper: "about 0.2", FairSVC: "near 0" } } },
  ]);
}

/**
 * The paper's appendix, which is not to be had: everything about people is private. A thousand people are too few for that, so there
 * are more; in the paper's form and in ours, as public as the ranges of the features are.
 */
export async function everythingPrivate(bench: Bench): Promise<Sheet[]> {
  const people = { people: 20_000, quick: 4000, boxed: true };
  const noises = (bench.options.quick ? [4] : [1, 4, Number.POSITIVE_INFINITY]).map((epsilon) => ({
    epsilon,
    told: {},
  }));
  const asked = { private: "all" } as const;
  return [
    ...(await curves(bench, noises, {
      people,
      asked: { ...asked, lambda: 10 },
      as: "everything private, the paper's form",
    })),
    ...(await curves(bench, noises, { people, asked, as: "everything private, our form" })),
  ];
}

interface Setting {
  readonly people?: Parameters<typeof sampled>[2];
  readonly asked: Pick<ClusterOptions, "private" | "lambda" | "labelling">;
  readonly as: string;
}

async function curves(
  bench: Bench,
  noises: readonly { readonly epsilon: number; readonly told: Partial<Told> }[],
  { people: many, asked, as }: Setting = { asked: { lambda: 10 }, as: "labelled by the nearest centre" },
): Promise<Sheet[]> {
  const { seeds, quick } = bench.options;
  const wanted = quick ? [2, 3] : ks;
  const sheets: Sheet[] = [];
  for (const { name, sample } of sampled(bench.options, ["Adult", "Bank", "Diabetes"], many)) {
    let n = 0;
    const lines: Line[] = [];
    for (const { epsilon, told } of noises) {
      const found = wanted.map((): Record<"balance" | "silhouette" | "Davies-Bouldin", number[]> => {
        return { balance: [], silhouette: [], "Davies-Bouldin": [] };
      });
      for (const seed of seedsOf(seeds)) {
        bench.say(`${name}, epsilon ${epsilon}, seed ${seed} of ${seeds}`);
        const people = await sample(seed);
        n = people.n;
        const { threads } = bench.options;
        const { result, clusterings } = await sweep(people, {
          algorithm: "dp-fair",
          ...asked,
          k: wanted,
          epsilon,
          seed,
          threads,
          // Public data, and a figure that can be printed again.
          noise: seededNoise(seed),
          signal: bench.signal,
        });
        wanted.forEach((k, at) => {
          const { silhouette, daviesBouldin } = result.points[at] as FeasiblePoint;
          found[at].balance.push(paperBalance(people, clusterings.at(at)!.labels, k));
          found[at].silhouette.push(silhouette ?? 0);
          found[at]["Davies-Bouldin"].push(daviesBouldin ?? 0);
        });
      }
      wanted.forEach((k, at) => {
        const last = name === "Adult" && k === 9 ? told : {};
        const figures: Record<string, Figure> = {
          balance: figure(found[at].balance, "", last),
          silhouette: figure(found[at].silhouette, ""),
          "Davies-Bouldin": figure(found[at]["Davies-Bouldin"], ""),
        };
        lines.push({ at: { epsilon: Number.isFinite(epsilon) ? epsilon : "inf", k }, figures });
      });
    }
    const title = `${name}, ${n.toLocaleString("en-US")} people, half of each group, ${as}: balance (equation 1, worst cluster), silhouette, Davies-Bouldin`;
    const notes = ["The paper's curves are pictures: beside K=9 stands what its text says of them."];
    sheets.push({
      title,
      lines,
      notes: name === "Adult" && asked.labelling === undefined && many === undefined ? notes : [],
    });
  }
  return sheets;
}
