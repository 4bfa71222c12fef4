import { cumulate, type Random } from "../table/generators/random.js";
import type { GridPoints, NearestCentres } from "./grid-points.js";
import { joinPoints } from "./points.js";

export interface KMeans {
  readonly k: number;
  /** Runs from different seeds. */
  readonly starts: number;
  /** Lloyd steps: 0 leaves the seeds, 1 is FKM's. */
  readonly steps: number;
  readonly random: Random;
}

/** Clusters of points in one process: fewer than k where fewer points differ. */
export interface KMeansResult extends NearestCentres {
  readonly centres: Float64Array;
}

/** The most Lloyd steps. Runs end in far fewer; this stops one that rounding keeps moving. */
export const untilSettled = 300;

/** K-means in one process: all runs, the one with the least squared distances first. */
export async function kMeans(points: GridPoints, request: KMeans): Promise<KMeansResult[]> {
  const found: KMeansResult[] = [];
  for (let start = 0; start < request.starts; start++) {
    const seeds = await plusPlus(points, request);
    found.push(await lloydSteps(points, seeds, request.steps));
  }
  return found.sort((a, b) => a.cost - b.cost);
}

/** Lloyd steps from given centres: the last centres, and the assignment to them. */
export async function lloydSteps(points: GridPoints, start: Float64Array, steps: number): Promise<KMeansResult> {
  const k = start.length / points.columns;
  let centres = start;
  let nearest = await points.nearest(centres, k);
  for (let step = 0; step < steps; step++) {
    const moved = meansOf(nearest, centres);
    if (moved.every((value, at) => value === centres[at])) break;
    centres = moved;
    nearest = await points.nearest(centres, k);
  }
  return { ...nearest, centres };
}

/** The clusters' means on the grid; the centre of an empty cluster stays. */
export function meansOf(
  { sums, counts }: Pick<NearestCentres, "sums" | "counts">,
  centres: Float64Array,
): Float64Array {
  const columns = centres.length / counts.length;
  return centres.map((value, cell) => {
    const count = counts[Math.floor(cell / columns)];
    return count > 0 ? Math.round(sums[cell] / count) : value;
  });
}

/**
 * Greedy k-means++ (Arthur and Vassilvitskii 2007, section 6, and scikit-learn, which the authors of FKM used): each seed
 * is drawn in proportion to the squared distance to the seeds so far, the best of 2 + ln k draws.
 */
async function plusPlus(points: GridPoints, { k, random }: KMeans): Promise<Float64Array> {
  const tries = 2 + Math.floor(Math.log(k));
  const { n, weights } = points;
  const weightOf = (i: number) => (weights ? weights[i] : 1);
  const chances = (distances: ArrayLike<number>) =>
    cumulate(Array.from({ length: n }, (_, i) => distances[i] * weightOf(i)));
  const seeds = [points.point(random.choose(chances(new Float64Array(n).fill(1))))];
  const nearest = await points.distances(seeds[0], 1);
  while (seeds.length < k) {
    const cumulative = chances(nearest);
    if (cumulative[n - 1] === 0) break;
    const tried = Array.from({ length: tries }, () => points.point(random.choose(cumulative)));
    const distances = await points.distances(joinPoints(tried), tries);
    const costs = new Float64Array(tries);
    for (let at = 0; at < distances.length; at++) {
      const i = Math.floor(at / tries);
      if (nearest[i] < distances[at]) distances[at] = nearest[i];
      costs[at % tries] += distances[at] * weightOf(i);
    }
    const best = costs.indexOf(Math.min(...costs));
    seeds.push(tried[best]);
    for (let i = 0; i < n; i++) nearest[i] = distances[i * tries + best];
  }
  return joinPoints(seeds);
}
