import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { adjustedRandIndex, partyRandIndex } from "../../src/metrics/index.js";
import { Random } from "../../src/table/generators/random.js";
import { generateTable, type People, preparePeople, type Table, type TextColumn } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line } from "../types.js";

/** Sixteen clusters of people who are known to belong together, and who holds them. */
export interface Scattered {
  readonly people: People;
  readonly truth: ArrayLike<number>;
}

/** The paper's distance rule: 16 clusters of 50 people, or so many each, and five parties at random places. */
export function byDistance(seed: number, sd: number, beta: number, each = 50): Scattered {
  return scattered(generateTable("grid", { n: 16 * each, seed, sd, beta, parties: 5 }));
}

/** Figure 4: five parties with people of 1, 4, 7, 10 and 16 clusters; a cluster is dealt evenly to those who have it. */
export function byClusters(seed: number, sd: number): Scattered {
  const { people, truth } = byDistance(seed, sd, 1);
  const random = new Random(seed, 2);
  const reach = [1, 4, 7, 10, 16];
  const next = new Float64Array(16);
  const order = Array.from({ length: people.n }, (_, i) => i);
  const keys = order.map(() => random.uniform());
  order.sort((a, b) => keys[a] - keys[b]);
  const codes = new Uint16Array(people.n);
  for (const i of order) {
    const able = reach.flatMap((clusters, party) => (truth[i] < clusters ? [party] : []));
    codes[i] = able[next[truth[i]]++ % able.length];
  }
  return { people: { ...people, holders: { name: "party", groups: reach.map(String), codes } }, truth };
}

function scattered(table: Table): Scattered {
  const people = preparePeople(table, { features: ["x", "y"], splitBy: "party", scale: "none" });
  return { people, truth: (table.columns.find(({ name }) => name === "cluster") as TextColumn).codes };
}

/** What is compared. The paper does not say how many rounds it took; its curves are flat after a few. */
export const methods: Readonly<Record<string, Partial<ClusterOptions>>> = {
  central: { algorithm: "lloyd", starts: 10, maxIterations: 300 },
  "fkm-plus": { algorithm: "fkm-plus" },
  fkm: { algorithm: "fkm", maxIterations: 30 },
  kfed: { algorithm: "kfed" },
};

/** Central k-means sees everybody at one place. */
export function asHeld(people: People, method: string): People {
  const { holders, ...pooled } = people;
  return method === "central" ? pooled : people;
}

/** The goal of fkm-plus, in pooled ARI below central k-means. */
const within = 0.005;

/** Agreement with the truth, pooled and as the size-weighted mean of the parties', over the seeds. */
export async function agreement(
  bench: Bench,
  at: Line["at"],
  draw: (seed: number) => Scattered,
  paper: Readonly<Record<string, number>> = {},
): Promise<Line> {
  const { seeds, threads } = bench.options;
  const pooled: Record<string, number[]> = {};
  const local: number[] = [];
  for (const seed of seedsOf(seeds)) {
    bench.say(
      `${Object.entries(at)
        .map((pair) => pair.join(" "))
        .join(", ")}, seed ${seed} of ${seeds}`,
    );
    const { people, truth } = draw(seed);
    for (const [method, options] of Object.entries(methods)) {
      const { signal } = bench;
      const { labels } = await cluster(asHeld(people, method), { k: 16, seed, threads, signal, ...options });
      pooled[method] = [...(pooled[method] ?? []), adjustedRandIndex(truth, labels)];
      if (method === "fkm") local.push(partyRandIndex(truth, labels, people.holders!.codes));
    }
    pooled["kfed, informed"] = [...(pooled["kfed, informed"] ?? []), await informed(bench, people, truth, seed)];
  }
  const figures: Record<string, Figure> = {};
  for (const [method, values] of Object.entries(pooled)) {
    figures[method] = figure(values, "", paper[method] === undefined ? {} : { beside: { paper: paper[method] } });
  }
  const gap = pooled["fkm-plus"].map((value, index) => value - pooled.central[index]);
  figures["fkm-plus less central"] = figure(gap, "", { goal: { atLeast: -within } });
  figures["fkm, mean of parties"] = figure(local, "");
  return { at, figures };
}

/** The best agreement of k-FED over all numbers of local clusters: to choose that number one must know the truth. */
async function informed(bench: Bench, people: People, truth: ArrayLike<number>, seed: number): Promise<number> {
  const { threads, quick } = bench.options;
  let best = 0;
  for (const localClusters of quick ? [8, 16] : seedsOf(16)) {
    const asked = { ...methods.kfed, k: 16, localClusters, seed, threads, signal: bench.signal };
    best = Math.max(best, adjustedRandIndex(truth, (await cluster(people, asked)).labels));
  }
  return best;
}

/** Figure 3 (d) to (f): what FKM agrees with the truth after so many rounds, and fkm-plus when it is done. */
export async function byRound(bench: Bench, at: Line["at"], draw: (seed: number) => Scattered): Promise<Line> {
  const { seeds, threads, quick } = bench.options;
  const rounds = quick ? [1, 3] : [1, 2, 3, 5, 10, 30];
  const found = rounds.map((): number[] => []);
  const own: number[] = [];
  for (const seed of seedsOf(seeds)) {
    bench.say(`by round, seed ${seed} of ${seeds}`);
    const { people, truth } = draw(seed);
    const agreed = async (options: Partial<ClusterOptions>) => {
      const asked = { k: 16, seed, threads, signal: bench.signal, ...options };
      return adjustedRandIndex(truth, (await cluster(people, asked)).labels);
    };
    for (const [index, maxIterations] of rounds.entries()) {
      found[index].push(await agreed({ algorithm: "fkm", maxIterations }));
    }
    own.push(await agreed(methods["fkm-plus"]));
  }
  const curve = rounds.map((round, index): [string, Figure] => [`fkm, round ${round}`, figure(found[index], "")]);
  return { at, figures: { ...Object.fromEntries(curve), "fkm-plus": figure(own, "") } };
}

/** Whether fkm-plus keeps up with central k-means wherever it was tried. */
export function verdict(lines: readonly Line[]): string {
  const gaps = lines.map(({ figures }) => figures["fkm-plus less central"].mean);
  const kept = gaps.filter((gap) => gap >= -within).length;
  const range = `${signed(Math.min(...gaps))} to ${signed(Math.max(...gaps))}`;
  return `fkm-plus is within ${within} pooled ARI of central k-means (10 starts) in ${kept} of ${lines.length} settings: ${range} on average.`;
}

function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(4)}`;
}

/** What every sheet of agreement says of itself. */
export const remark =
  "Pooled ARI, mean ± standard deviation over the seeds. The paper's federated ARI is the size-weighted mean over the parties, in the last column: it is not comparable with a pooled one.";
