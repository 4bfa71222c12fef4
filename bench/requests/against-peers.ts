import { cluster } from "../../src/algorithms/cluster.js";
import { distancesTo } from "../../src/algorithms/distances.js";
import { clusterAtCost } from "../../src/algorithms/given-costs.js";
import type { ClusterResult } from "../../src/algorithms/types.js";
import { generateTable } from "../../src/table/generate.js";
import { type People, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Line, Sheet } from "../types.js";
import { askPeer, findPeers, type PeerTask } from "./python-peers.js";

const k = 8;
const starts = 5;
/** Beside one run of ours, which looks for better centres by itself. */
const manyStarts = 30;

interface Contest {
  readonly request: string;
  readonly peer: string;
  readonly n: number;
  /** The goal: at most so many times the peer's. */
  readonly atMost?: number;
  readonly load?: (n: number, seed: number) => People;
  readonly ours: (people: People, seed: number) => Promise<{ readonly cost: number }>;
  readonly theirs: (people: People, seed: number) => { task: PeerTask; columns?: readonly Float64Array[] };
}

const features = ["age", "income", "hours", "tenure", "balance"];
const threads = 1;
const sseOf = async (found: Promise<{ readonly result: ClusterResult }>) => ({ cost: (await found).result.sse });

const contests: readonly Contest[] = [
  {
    ...{ request: "even sizes", peer: `k-means-constrained, ${starts} starts each`, n: 1000, atMost: 1 },
    ours: (people, seed) => sseOf(cluster(people, { k, balance: "hard", starts, seed, threads })),
    theirs: ({ n }, seed) => {
      const [min, max] = [Math.floor(n / k), Math.ceil(n / k)];
      return { task: { ask: "even", k, seed, starts, min, max } };
    },
  },
  {
    ...{
      request: "sizes of 0.64 to 1.2 even parts",
      peer: `k-means-constrained, ${starts} starts each`,
      n: 1000,
      atMost: 1,
    },
    ours: (people, seed) => {
      const { min, max } = rangeOf(people);
      return sseOf(cluster(people, { k, algorithm: "teb", minSize: min, maxSize: max, starts, seed, threads }));
    },
    theirs: (people, seed) => ({ task: { ask: "even", k, seed, starts, ...rangeOf(people) } }),
  },
  {
    ...{ request: "weights", peer: `scikit-learn with sample_weight, ${starts} starts each`, n: 3000, atMost: 1 },
    load: (n, seed) =>
      preparePeople(generateTable("people", { n, seed }), {
        features: ["income", "tenure", "balance"],
        weights: "age",
      }),
    ours: (people, seed) => sseOf(cluster(people, { k, algorithm: "lloyd", starts, seed, threads })),
    theirs: (_, seed) => ({ task: { ask: "kmeans", k, seed, starts, weighted: true } }),
  },
  ...(["quick", "normal", "best"] as const).map(
    (effort): Contest => ({
      ...{ request: `one run, effort ${effort}`, peer: `scikit-learn, best of ${manyStarts}`, n: 3000 },
      ours: (people, seed) => sseOf(cluster(people, { k: 16, algorithm: "lloyd", effort, seed, threads })),
      theirs: (_, seed) => ({ task: { ask: "kmeans", k: 16, seed, starts: manyStarts, weighted: false } }),
    }),
  ),
  {
    ...{ request: "manhattan", peer: `textbook k-medians in numpy, ${starts} starts each`, n: 2000, atMost: 1 },
    ours: async (people, seed) => {
      const asked = { k, algorithm: "lloyd", distance: "manhattan", starts, seed, threads } as const;
      return { cost: (await cluster(people, asked)).result.cost ?? Number.NaN };
    },
    theirs: (_, seed) => ({ task: { ask: "medians", k, seed, starts } }),
  },
  {
    ...{ request: "seats with room", peer: "scipy's linear_sum_assignment, the optimum", n: 1000 },
    ours: async (people, seed) => {
      const seats = seatsOf(people);
      const { labels } = await cluster(people, { k, seats, capacity: capacityOf(people), seed, threads });
      return { cost: distancesTo(seats, people, labels) };
    },
    theirs: (people, seed) => {
      const room = new Array<number>(k).fill(roomOf(people));
      return { task: { ask: "places", k, seed, room }, columns: costsAt(people) };
    },
  },
  {
    ...{ request: "given costs with room", peer: "scipy's linear_sum_assignment, the optimum", n: 1000 },
    ours: async ({ readers: _, ...people }, seed) => {
      const dimensions = costsAt(people).map((column) => column.map(Math.sqrt));
      const priced = { ...people, dimensions, dimensionNames: dimensions.map((_, m) => `place ${m}`) };
      const asked = { capacity: capacityOf(people), seed, threads };
      return { cost: (await clusterAtCost(priced, asked)).result.sse };
    },
    theirs: (people, seed) => {
      const room = new Array<number>(k).fill(roomOf(people));
      return {
        task: { ask: "places", k, seed, room },
        columns: costsAt(people).map((column) => column.map(Math.sqrt)),
      };
    },
  },
];

/** One request after another, beside the tool that people use for it now. */
export async function againstPeers(bench: Bench): Promise<Sheet> {
  const { options, signal } = bench;
  const peers = options.quick ? "not looked for in a quick run" : await findPeers(signal);
  const lines: Line[] = [];
  for (const contest of contests) {
    if (signal.aborted) break;
    const n = options.quick ? 200 : Math.min(options.n ?? contest.n, contest.n);
    const [own, other, ratios, times]: number[][] = [[], [], [], []];
    for (const seed of seedsOf(options.seeds)) {
      bench.say(`${contest.request}, seed ${seed}`);
      const people = (contest.load ?? usual)(n, seed);
      const began = process.cpuUsage();
      const { cost } = await contest.ours(people, seed);
      const { user, system } = process.cpuUsage(began);
      own.push(cost);
      if (typeof peers === "string") continue;
      const { task, columns = people.dimensions } = contest.theirs(people, seed);
      const asked = { n, columns, weights: people.weights?.values };
      const answer = await inTemporaryFolder((folder) => askPeer(peers.python, folder, task, asked, signal));
      other.push(answer.cost);
      ratios.push(cost / answer.cost);
      times.push((user + system) / 1e6 / answer.seconds);
    }
    const compared =
      other.length === 0
        ? {}
        : {
            peer: figure(other, ""),
            ratio: figure(ratios, "x", contest.atMost === undefined ? {} : { goal: { atMost: contest.atMost } }),
            "processor time": figure(times, "x"),
          };
    lines.push({
      at: { request: contest.request, peer: contest.peer, n },
      figures: { ours: figure(own, ""), ...compared },
    });
  }
  return {
    title: "Requests beside the nearest peer in the same run: SSE, or what is minimised; below 1 x ours is better",
    lines,
    notes: typeof peers === "string" ? [`No comparison: ${peers}.`] : [],
  };
}

function usual(n: number, seed: number): People {
  return preparePeople(generateTable("people", { n, seed }), { features });
}

/** Some of the people, so far apart as chance has it. */
function seatsOf({ n, dimensions }: People): Float64Array[] {
  return Array.from({ length: k }, (_, m) => {
    const person = Math.floor(((m + 0.5) * n) / k);
    return Float64Array.from(dimensions, (column) => column[person]);
  });
}

function rangeOf({ n }: Pick<People, "n">): { min: number; max: number } {
  return { min: Math.floor((0.64 * n) / k), max: Math.ceil((1.2 * n) / k) };
}

/** A tenth more than everybody's part. */
function roomOf({ n }: Pick<People, "n">): number {
  return Math.ceil((1.1 * n) / k);
}

function capacityOf(people: Pick<People, "n">): { max: number }[] {
  return Array.from({ length: k }, () => ({ max: roomOf(people) }));
}

function costsAt(people: Pick<People, "n" | "dimensions">): Float64Array[] {
  const { n, dimensions } = people;
  return seatsOf(people as People).map((seat) =>
    Float64Array.from({ length: n }, (_, i) =>
      dimensions.reduce((sum, column, j) => sum + (column[i] - seat[j]) ** 2, 0),
    ),
  );
}
