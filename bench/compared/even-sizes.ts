import { cluster } from "../../src/algorithms/cluster.js";
import { generateTable, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { askPeer, findPeers } from "../requests/python-peers.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Sheet } from "../types.js";

/** What a user of k-means-constrained reports to take a quarter of an hour. */
const reported = { n: 23_000, d: 50, k: 10 };
/** It may take minutes for each. */
const mostSeeds = 2;

/** Clusters of even size: teb beside k-means-constrained, one start each. */
export async function evenSizes(bench: Bench): Promise<Sheet> {
  const { options, signal } = bench;
  const { d, k } = options.quick ? { d: 3, k: 3 } : reported;
  const n = Math.min(options.n ?? reported.n, options.quick ? 300 : reported.n);
  const peers = options.quick ? "not looked for in a quick run" : await findPeers(signal);
  const [sse, seconds, theirSeconds, ratios]: number[][] = [[], [], [], []];
  for (const seed of seedsOf(Math.min(mostSeeds, options.seeds))) {
    bench.say(`even sizes, seed ${seed}`);
    const people = preparePeople(generateTable("blobs", { n, d, k, seed }), {});
    const began = process.cpuUsage();
    const { result } = await cluster(people, { k, balance: "hard", seed, threads: 1, signal });
    const { user, system } = process.cpuUsage(began);
    sse.push(result.sse);
    seconds.push((user + system) / 1e6);
    if (typeof peers === "string") continue;
    const task = { ask: "even", k, seed, starts: 1, min: Math.floor(n / k), max: Math.ceil(n / k) } as const;
    const asked = { n, columns: people.dimensions };
    const answer = await inTemporaryFolder((folder) => askPeer(peers.python, folder, task, asked, signal));
    theirSeconds.push(answer.seconds);
    ratios.push(result.sse / answer.cost);
  }
  const beside =
    ratios.length === 0
      ? {}
      : {
          "SSE over theirs": figure(ratios, "x", { goal: { atMost: 1 } }),
          "their seconds": figure(theirSeconds, "s"),
        };
  return {
    title: "Clusters of the same size: teb beside k-means-constrained, one start each, processor seconds",
    lines: [
      {
        at: { data: "blobs, generated", n, d, k },
        figures: { SSE: figure(sse, ""), seconds: figure(seconds, "s"), ...beside },
      },
    ],
    notes: typeof peers === "string" ? [`No comparison: ${peers}.`] : [],
  };
}
