import type { Lane } from "../kernels/lanes.js";
import { Random } from "../table/generators/random.js";
import type { GridPoints } from "./grid-points.js";
import { type KMeansResult, kMeans, lloydSteps, untilSettled } from "./kmeans.js";
import { joinPoints, pickPoints, separatePoints, squaredDistance } from "./points.js";
import { spectralStart } from "./spectral.js";

/** The means and sizes of a party's own clusters, as often as people count: FKM's message. They are this party's alone, so masks cannot hide them. */
export interface Summary {
  /** [clusters][columns], in grid units. */
  readonly means: Float64Array;
  readonly counts: Float64Array;
  /** How many clusters were left out because they have too few people. */
  readonly withheld: number;
  /** The squared distances of all its people to the centres that they were nearest to, in squared grid units. */
  readonly cost: number;
}

/** How a party clusters its own rows. */
export interface SummaryRequest {
  readonly clusters: number;
  /** At most rows / peopleEach clusters are made. */
  readonly peopleEach: number;
  /** Clusters with fewer people are dropped, or merged into their neighbours. */
  readonly least: number;
  readonly small: "drop" | "merge";
  /** Raw records (k-means++ seeds); one Lloyd step from them; Lloyd to the end; or k-FED's spectral start and Lloyd. */
  readonly method: "seeds" | "step" | "k-means" | "spectral";
  /** The best of so many tries, by squared distances, is kept. */
  readonly starts: number;
  readonly seed: number;
}

/** A party's own clusters, as requested. */
export async function summarise(
  points: GridPoints,
  lanes: readonly Lane[],
  request: SummaryRequest,
  party: number,
): Promise<Summary> {
  const k = Math.min(request.clusters, Math.floor(points.n / request.peopleEach));
  if (k === 0) return { means: new Float64Array(0), counts: new Float64Array(0), withheld: 1, cost: 0 };
  const clusters = await localClusters(points, lanes, k, request, new Random(request.seed, party));
  const { centres, counts, people, cost } = clusters;
  const own = { means: centres, counts, people };
  return { ...dropSmall(request.small === "merge" ? mergeSmall(own, request.least) : own, request.least), cost };
}

async function localClusters(
  points: GridPoints,
  lanes: readonly Lane[],
  k: number,
  { method, starts }: SummaryRequest,
  random: Random,
): Promise<KMeansResult> {
  if (method === "spectral") {
    return lloydSteps(points, await spectralStart(points, lanes, k, starts, random), untilSettled);
  }
  const steps = { seeds: 0, step: 1, "k-means": untilSettled }[method];
  return (await kMeans(points, { k, starts, steps, random }))[0];
}

/** A party's own clusters: what their people count for, and how many they are. */
type OwnMeans = Readonly<Record<"means" | "counts" | "people", Float64Array>>;

/** Leaves out clusters of fewer people than `least`. */
export function dropSmall(
  { means, counts, people }: OwnMeans,
  least: number,
): Pick<Summary, "means" | "counts" | "withheld"> {
  const columns = means.length / counts.length;
  // An empty cluster is left out too, but it withholds nothing.
  const kept = Array.from(people.keys()).filter((m) => people[m] > 0 && people[m] >= least);
  return {
    means: pickPoints(means, columns, kept),
    counts: Float64Array.from(kept, (m) => counts[m]),
    withheld: people.reduce((small, count) => small + (count > 0 && count < least ? 1 : 0), 0),
  };
}

/** The smallest cluster joins the nearest other one until none has fewer people than allowed: nobody is left out. */
function mergeSmall({ means, counts, people }: OwnMeans, least: number): OwnMeans {
  const columns = means.length / counts.length;
  const clusters = separatePoints(means, columns)
    .map((mean, m) => ({ mean, count: counts[m], people: people[m] }))
    .filter(({ count }) => count > 0);
  for (;;) {
    const smallest = clusters.reduce((best, each, m) => (each.people < clusters[best].people ? m : best), 0);
    if (clusters.length < 2 || clusters[smallest].people >= least) break;
    const [small] = clusters.splice(smallest, 1);
    const far = ({ mean }: { mean: Float64Array }) => squaredDistance(mean, small.mean);
    const host = clusters.reduce((best, other) => (far(other) < far(best) ? other : best));
    const count = host.count + small.count;
    host.mean = host.mean.map((value, j) => Math.round((host.count * value + small.count * small.mean[j]) / count));
    host.count = count;
    host.people += small.people;
  }
  return {
    means: joinPoints(clusters.map(({ mean }) => mean)),
    counts: Float64Array.from(clusters, ({ count }) => count),
    people: Float64Array.from(clusters, (each) => each.people),
  };
}
