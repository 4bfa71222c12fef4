import { cluster } from "../../src/algorithms/cluster.js";
import { seededNoise } from "../../src/privacy/noise/chance.js";
import { generateTable, type People, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { observation } from "../observation.js";
import type { Bench, Goal, Line, Sheet } from "../types.js";
import { paperBalance, sampled } from "./samples.js";

/** Seconds: the paper's own method, and those that it compares itself with. */
const table1Seconds = {
  Twomoon: { paper: 0.151, FairSVC: 3.13, Fairlet: 499.861, FairScale: 4.23, FairAlg: 246.266 },
  "18-Gaussian": { paper: 0.415, FairSVC: 2.611, Fairlet: 55.238, FairScale: 4.342, FairAlg: 38.75 },
} as const;
const table2Seconds: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Adult: { paper: 1.688, FairSVC: 35.337, Fairlet: 504.064, FairScale: 6.406, FairAlg: 229.944 },
  Bank: { paper: 1.441, FairSVC: 98.853, Fairlet: 614.567, FairScale: 8.413, FairAlg: 242.06 },
  Diabetes: { paper: 1.173, FairSVC: 107.607, Fairlet: 582.217, FairScale: 8.84, FairAlg: 158.047 },
};
/** The paper does not say at which number of clusters it measured. */
const few = 3;
const many = 9;

type Draw = (seed: number) => Promise<People>;

/** Table 1: seconds on invented data; and figure 3, the balance of Twomoon at K=3. */
export async function table1(bench: Bench): Promise<Sheet[]> {
  const { quick, n } = bench.options;
  const moons: Draw = async (seed) => drawn("twomoon", n ?? (quick ? 300 : 1000), seed);
  const blobs: Draw = async (seed) => drawn("gaussian18", n ?? (quick ? 200 : 500), seed);
  const third = { beside: { paper: "1", FairSVC: "about 0.4" }, goal: { atLeast: 0.95 } };
  const lines = [
    await timed(bench, { data: "Twomoon", k: few, draw: moons, seconds: table1Seconds.Twomoon, balance: third }),
    await timed(bench, { data: "18-Gaussian", k: few, draw: blobs, seconds: table1Seconds["18-Gaussian"] }),
  ];
  return [
    sheetOf("Seconds on invented data, and balance (equation 1; beside it, figure 3 (a)), epsilon inf", lines),
    await figure3b(bench, moons),
  ];
}

/** Figure 3 (b): Twomoon at K=3 with noise of epsilon 1; cells stay whole, so shapes are hardly disturbed. */
async function figure3b(bench: Bench, draw: Draw): Promise<Sheet> {
  const lines: Line[] = [];
  const shapes: Record<string, number> = {};
  for (const epsilon of [Number.POSITIVE_INFINITY, 1, 0.1]) {
    const found = { balance: [] as number[], silhouette: [] as number[], "Davies-Bouldin": [] as number[] };
    for (const seed of seedsOf(bench.options.seeds)) {
      bench.say(`figure 3 (b), epsilon ${epsilon}, seed ${seed} of ${bench.options.seeds}`);
      const people = await draw(seed);
      const { result, labels } = await run(bench, people, few, seed, epsilon);
      found.balance.push(paperBalance(people, labels, few));
      found.silhouette.push(result.privacy!.quality.silhouette ?? 0);
      found["Davies-Bouldin"].push(result.privacy!.quality.daviesBouldin ?? 0);
    }
    const figures = Object.entries(found).map(([name, values]) => [name, figure(values, "")] as const);
    lines.push({
      at: { data: "Twomoon", k: few, epsilon: Number.isFinite(epsilon) ? epsilon : "inf" },
      figures: Object.fromEntries(figures),
    });
    shapes[epsilon] = lines.at(-1)!.figures.silhouette.mean;
  }
  return {
    title: "Figure 3 (b): Twomoon under noise",
    lines,
    notes: [
      observation("epsilon 1 hardly disturbs the shapes: the silhouette stays within 0.05", [
        Math.abs(shapes[1] - shapes[Number.POSITIVE_INFINITY]) <= 0.05,
      ]),
      "The paper shows a picture. Clusters are made of whole cells whatever the noise; it only decides which cells go together.",
    ],
  };
}

/** Table 2: seconds on samples of 1,000 people. */
export async function table2(bench: Bench): Promise<Sheet[]> {
  const lines: Line[] = [];
  for (const { name, sample } of sampled(bench.options, Object.keys(table2Seconds))) {
    lines.push(await timed(bench, { data: name, k: many, draw: sample, seconds: table2Seconds[name] }));
  }
  return [sheetOf("Seconds on 1,000 people, half of each group, epsilon inf", lines)];
}

function drawn(kind: "twomoon" | "gaussian18", n: number, seed: number): People {
  const { columns, ...table } = generateTable(kind, { n, seed });
  const used = columns.filter(({ name }) => name !== "cluster");
  return preparePeople({ ...table, columns: used }, { protect: ["group"], scale: "minmax" });
}

interface Timed {
  readonly data: string;
  readonly k: number;
  readonly draw: Draw;
  /** Those of the paper; ours are to be a tenth of its own method's. */
  readonly seconds?: Readonly<Record<string, number>> | undefined;
  readonly balance?: { readonly beside: Readonly<Record<string, string>>; readonly goal: Goal };
}

/** One run for each seed, after some that only warm the machine's compilers. */
async function timed(bench: Bench, { data, k, draw, seconds: theirs, balance }: Timed): Promise<Line> {
  const seconds: number[] = [];
  const balances: number[] = [];
  for (let warm = 0; warm < (bench.options.quick ? 1 : 5); warm++) await run(bench, await draw(1), k, 1);
  for (const seed of seedsOf(bench.options.seeds)) {
    bench.say(`${data}, seed ${seed} of ${bench.options.seeds}`);
    const people = await draw(seed);
    const { result, labels } = await run(bench, people, k, seed);
    seconds.push(result.seconds.total);
    balances.push(paperBalance(people, labels, k));
  }
  const aimed = theirs ? { beside: theirs, goal: { atMost: theirs.paper! / 10 } } : {};
  return { at: { data, k }, figures: { seconds: figure(seconds, "s", aimed), balance: figure(balances, "", balance) } };
}

function run(bench: Bench, people: People, clusters: number, seed: number, epsilon = Number.POSITIVE_INFINITY) {
  return cluster(people, {
    algorithm: "dp-fair",
    lambda: 10,
    k: clusters,
    epsilon,
    // Public data, and a figure that can be printed again.
    noise: seededNoise(seed),
    seed,
    threads: bench.options.threads,
    signal: bench.signal,
    clock: () => performance.now(),
  });
}

function sheetOf(title: string, lines: readonly Line[]): Sheet {
  const ratios = lines.flatMap(({ figures }) => {
    const theirs = figures.seconds?.beside?.paper;
    return typeof theirs === "number" ? [theirs / figures.seconds!.mean] : [];
  });
  const notes =
    ratios.length === 0
      ? []
      : [
          `Between ${Math.min(...ratios).toPrecision(2)} and ${Math.max(...ratios).toPrecision(2)} times as fast as the paper's own (other machine; warm, without reading).`,
        ];
  return { title, lines, notes };
}
