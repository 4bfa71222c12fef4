import { nearestCentres } from "../metrics/nearest-centres.js";
import { derive } from "../solver/seeded-chance.js";
import type { People } from "../table/types.js";
import { methodFor } from "./catalogue.js";
import { describe } from "./describe.js";
import type { Settings } from "./settings.js";
import type { ClusterOptions, PeopleClustering, Progress } from "./types.js";
import type { WholeAlgorithm } from "./whole-start.js";

type PlainRun = (people: People, options: ClusterOptions) => Promise<PeopleClustering>;

/** Clusters everybody in one place: plain k-means of every start, and then the algorithm. `cluster` makes the former. */
export async function clusterWhole(
  people: People,
  settings: Settings,
  options: ClusterOptions,
  { run, cluster, began }: { readonly run: WholeAlgorithm; readonly cluster: PlainRun; readonly began: number },
): Promise<PeopleClustering> {
  const clock = options.clock ?? (() => 0);
  const { k, seed, starts, init, maxIterations, threads, from } = settings;
  const { signal, onProgress } = options;
  const free = { ...people, attributes: [] };
  const histories = Array.from({ length: starts }, (): Progress[] => []);
  const tell = (start: number, progress: Progress) => {
    const told = { ...progress, start, starts };
    histories[start].push(told);
    onProgress?.(told);
  };
  const plain: PeopleClustering[] = [];
  for (let start = 0; start < starts; start++) {
    const asked = { k, algorithm: methodFor("columns").name, init, maxIterations, threads };
    plain.push(
      await cluster(free, {
        ...asked,
        // The first start is what plain k-means of the same seed is.
        seed: start === 0 ? seed : derive(seed, start),
        ...(from ? { from } : {}),
        ...(signal ? { signal } : {}),
        onProgress: (progress) => tell(start, progress),
        clock,
      }),
    );
  }
  const best = plain.reduce((least, each) => (each.result.sse < least.result.sse ? each : least));
  const watch = (start: number, pass: number, sse: number, violation: number) =>
    tell(start, { phase: "fair", start, starts, pass, passes: maxIterations, sse, violation });
  const { centres, judgement, ...outcome } = await run({ people, settings, plain, best, watch, signal });
  const { labels, squared } = nearestCentres(people.dimensions, people.n, centres);
  const sse = squared.reduce((sum, each) => sum + each, 0);
  const total = (clock() - began) / 1000;
  const seeding = plain.reduce((sum, { result }) => sum + result.seconds.seed, 0);
  const seconds = { read: 0, seed: seeding, solve: total - seeding, total };
  const traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  const described = describe(people, settings, labels, outcome, traffic, seconds, sse);
  const history = histories.flat();
  const result = { ...described, ...judgement, unconstrainedSse: Math.min(sse, best.result.sse) };
  return { labels, centres, gridBits: best.gridBits, history, result };
}
