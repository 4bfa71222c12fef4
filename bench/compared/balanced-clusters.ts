import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { daviesBouldin, silhouette } from "../../src/metrics/index.js";
import type { People } from "../../src/table/index.js";
import { paperBalance, sampled } from "../dp-fair/samples.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";
import { clusterPairs, fairlets, scalableFairlets } from "./fairlets.js";

const k = 5;
const mostSeeds = 10;
const delta = 0.2;

type Labels = (people: People, seed: number) => Promise<Uint16Array>;

function own(asked: Partial<ClusterOptions>): Labels {
  return async (people, seed) => (await cluster(people, { k, seed, threads: 1, ...asked })).labels;
}

const infinity = Number.POSITIVE_INFINITY;
const methods: Readonly<Record<string, Labels>> = {
  "k-means": own({ algorithm: "lloyd" }),
  "dp-fair, no noise": own({ algorithm: "dp-fair", epsilon: infinity }),
  "dp-fair, the paper's form": own({ algorithm: "dp-fair", lambda: 10, epsilon: infinity }),
  f3km: own({ algorithm: "f3km", delta }),
  "f3km, delta 0": own({ algorithm: "f3km", delta: 0, tolerance: 0.5 }),
  "fair-lp": own({ algorithm: "fair-lp", delta }),
  fairlets: (people, seed) => clusterPairs(people, fairlets(people), k, seed),
  "scalable fairlets": (people, seed) => clusterPairs(people, scalableFairlets(people, seed), k, seed),
};

/** DP-fair's claim is of balance and silhouette and Davies-Bouldin and time at once. */
export async function balancedClusters(bench: Bench): Promise<Sheet> {
  const seeds = seedsOf(Math.min(mostSeeds, bench.options.seeds));
  const lines: Line[] = [];
  for (const { name, sample } of sampled(bench.options, ["Adult", "Bank", "Diabetes"])) {
    const [{ groups }] = (await sample(1)).attributes as [People["attributes"][number]];
    for (const [method, labelsOf] of Object.entries(methods)) {
      if (method.endsWith("fairlets") && groups.length !== 2) {
        lines.push({ at: { data: name, method }, figures: {}, remark: `there are ${groups.length} groups` });
        continue;
      }
      const [balances, silhouettes, indices, seconds]: number[][] = [[], [], [], []];
      for (const seed of seeds) {
        bench.say(`${name} by ${method}, seed ${seed} of ${seeds.length}`);
        const people = await sample(seed);
        const began = process.cpuUsage();
        const labels = await labelsOf(people, seed);
        const { user, system } = process.cpuUsage(began);
        seconds.push((user + system) / 1e6);
        balances.push(paperBalance(people, labels, k));
        silhouettes.push(silhouette(people.dimensions, labels, k).value ?? 0);
        indices.push(daviesBouldin(people.dimensions, labels, k) ?? 0);
      }
      lines.push({
        at: { data: name, method },
        figures: {
          balance: figure(balances, ""),
          silhouette: figure(silhouettes, ""),
          "Davies-Bouldin": figure(indices, ""),
          seconds: figure(seconds, "s"),
        },
      });
    }
  }
  return {
    title: `Balanced clusters without noise, k=${k}, 1,000 people with as many of each group (the samples of the DP-fair paper): least balance, silhouette, Davies-Bouldin, processor seconds`,
    lines,
    notes: [
      `A balance of 1 is best, a silhouette of 1, a Davies-Bouldin of 0. f3km and fair-lp are asked for shares within delta ${delta}, which is a balance of 2/3 for two even groups, and f3km also at delta 0 with a tolerance of half a person; dp-fair for 0.8 of everybody's shares; fairlets always have 1.`,
      "Fairlets (Chierichetti et al. 2017) and scalable fairlets (Backurs et al. 2019) are our implementations: pairs of both groups, then k-means of their midpoints. They take two groups only.",
    ],
  };
}
