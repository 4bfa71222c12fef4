import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { generateTable } from "../../src/table/generate.js";
import { preparePeople } from "../../src/table/people.js";
import type { People } from "../../src/table/types.js";
import { figure, seedsOf } from "../figure.js";
import { repeatedPeople } from "../shapes.js";
import type { Bench, Line, Sheet } from "../types.js";

/** Fair clusters beside k-means without promises, in the same run: k of 300, and many people alike. */
export async function manyClusters(bench: Bench): Promise<Sheet> {
  const { quick, seeds } = bench.options;
  const k = quick ? 20 : 300;
  const lines: Line[] = [];
  for (const n of quick ? [300] : [3000, 30_000]) {
    const people = repeatedPeople(n);
    const ratios: number[] = [];
    const sses: number[] = [];
    const seconds: number[] = [];
    for (const seed of seedsOf(seeds)) {
      if (bench.signal.aborted) break;
      bench.say(`${k} clusters of ${n} people, many alike, seed ${seed} of ${seeds}`);
      const plain = await timed(people, { k, seed, algorithm: "lloyd" });
      const fair = await timed(people, { k, seed });
      ratios.push(fair.seconds / plain.seconds);
      seconds.push(fair.seconds);
      sses.push(fair.sse);
    }
    const ratio = figure(ratios, "x", { goal: { atMost: 2 } });
    lines.push({
      at: { people: n, k },
      figures: { seconds: figure(seconds, "s"), "of plain k-means'": ratio, SSE: figure(sses, "") },
    });
  }
  return {
    title: "Many clusters of people who are alike, with promises and without",
    lines,
    notes: ["Seconds of the processor, one thread. About 2,000 different rows, two protected attributes."],
  };
}

/** More people should never take less time than fewer do: each number of people beside the quickest of the larger ones. */
export async function growing(bench: Bench): Promise<Sheet> {
  const { quick, seeds } = bench.options;
  const sizes = quick ? [200, 400] : [1000, 3000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 1_000_000];
  const lines: Line[] = [];
  for (const k of quick ? [3] : [3, 10]) {
    const all: number[][] = [];
    for (const n of sizes) all.push(await secondsOf(bench, n, k));
    all.forEach((seconds, at) => {
      const least = seconds.map((_, seed) => Math.min(...all.slice(at + 1).map((larger) => larger[seed])));
      const ratios = seconds.map((each, seed) => each / least[seed]);
      lines.push({
        at: { people: sizes[at], k },
        figures: {
          seconds: figure(seconds, "s"),
          ...(at < sizes.length - 1
            ? { "of the quickest larger run's": figure(ratios, "x", { goal: { atMost: 1 } }) }
            : {}),
        },
      });
    });
  }
  return {
    title: "Fair runs over census people: fewer people never take longer than more",
    lines,
    notes: [`Seconds of the processor, one thread; ${seeds} seeds.`],
  };
}

async function secondsOf({ options: { seeds }, say, signal }: Bench, n: number, k: number): Promise<number[]> {
  const people = preparePeople(generateTable("census", { n, seed: 1 }), { protect: ["sex", "ageBand"] });
  const seconds: number[] = [];
  // What is compiled on the way is not a request's own time.
  await timed(people, { k, seed: 1, maxIterations: 1 });
  for (const seed of seedsOf(seeds)) {
    if (signal.aborted) break;
    say(`${n.toLocaleString("en-US")} census people, k ${k}, seed ${seed} of ${seeds}`);
    seconds.push((await timed(people, { k, seed })).seconds);
  }
  return seconds;
}

async function timed(people: People, options: ClusterOptions) {
  const began = process.cpuUsage();
  const { result } = await cluster(people, { ...options, threads: 1 });
  const { user, system } = process.cpuUsage(began);
  return { sse: result.sse, seconds: (user + system) / 1e6 };
}
