import { cumulate, type Random } from "../table/generators/random.js";
import type { Nearest, Points } from "./points.js";

export interface KMeans {
  readonly k: number;
  /** From different seeds, of which each is carried to its end. */
  readonly starts: number;
  /** Lloyd steps: 0 leaves the seeds, 1 is FKM's. */
  readonly steps: number;
  readonly random: Random;
  /** How many people each point stands for; without weights, one. */
  readonly weights?: Float64Array;
}

/** Clusters at one place. There are fewer than k where fewer points differ. */
export interface Clusters extends Nearest {
  readonly centres: Float64Array;
}

/** Lloyd ends in far fewer steps; this only stops a run that rounding keeps going. */
export const untilSettled = 300;

/** K-means at one place, weighted or not: all starts, the one with the least squared distances first. */
export async function kMeans(points: Points, request: KMeans): Promise<Clusters[]> {
  const found: Clusters[] = [];
  for (let start = 0; start < request.starts; start++) {
    const seeds = await plusPlus(points, request);
    found.push(await lloydSteps(points, seeds, request.steps, request.weights));
  }
  return found.sort((a, b) => a.cost - b.cost);
}

/** Lloyd steps from centres; what is returned are the last centres and the assignment to them. */
export async function lloydSteps(
  points: Points,
  start: Float64Array,
  steps: number,
  weights?: Float64Array,
): Promise<Clusters> {
  const k = start.length / points.columns;
  let centres = start;
  let nearest = await weighted(points, centres, k, weights);
  for (let step = 0; step < steps; step++) {
    const moved = meansOf(nearest, centres);
    if (moved.every((value, at) => value === centres[at])) break;
    centres = moved;
    nearest = await weighted(points, centres, k, weights);
  }
  return { ...nearest, centres };
}

/** The clusters' means on the grid; a centre without anybody stays where it is. */
export function meansOf({ sums, counts }: Pick<Nearest, "sums" | "counts">, centres: Float64Array): Float64Array {
  const columns = centres.length / counts.length;
  return centres.map((value, cell) => {
    const count = counts[Math.floor(cell / columns)];
    return count > 0 ? Math.round(sums[cell] / count) : value;
  });
}

async function weighted(points: Points, centres: Float64Array, k: number, weights?: Float64Array): Promise<Nearest> {
  const nearest = await points.nearest(centres, k);
  if (!weights) return nearest;
  const { columns } = points;
  const sums = new Float64Array(k * columns);
  const counts = new Float64Array(k);
  let cost = 0;
  for (let i = 0; i < points.n; i++) {
    const cluster = nearest.labels[i];
    const point = points.point(i);
    counts[cluster] += weights[i];
    for (let j = 0; j < columns; j++) {
      sums[cluster * columns + j] += weights[i] * point[j];
      cost += weights[i] * (point[j] - centres[cluster * columns + j]) ** 2;
    }
  }
  return { labels: nearest.labels, sums, counts, cost };
}

/**
 * Greedy k-means++ (Arthur and Vassilvitskii 2007, section 6, and scikit-learn, which the authors of FKM used): each seed
 * is drawn in proportion to the squared distance to the seeds so far, the best of 2 + ln k draws.
 */
async function plusPlus(points: Points, { k, random, weights }: KMeans): Promise<Float64Array> {
  const tries = 2 + Math.floor(Math.log(k));
  const weightOf = (i: number) => (weights ? weights[i] : 1);
  const first = random.choose(cumulate(Array.from({ length: points.n }, (_, i) => weightOf(i))));
  const seeds = [points.point(first)];
  let nearest = await points.distancesTo(seeds[0]);
  while (seeds.length < k) {
    const cumulative = cumulate(Array.from(nearest, (distance, i) => distance * weightOf(i)));
    if (cumulative[points.n - 1] === 0) break;
    let best: { seed: Float64Array; nearest: Float64Array; cost: number } | undefined;
    for (let attempt = 0; attempt < tries; attempt++) {
      const seed = points.point(random.choose(cumulative));
      const distances = await points.distancesTo(seed);
      let cost = 0;
      for (let i = 0; i < distances.length; i++) {
        if (nearest[i] < distances[i]) distances[i] = nearest[i];
        cost += distances[i] * weightOf(i);
      }
      if (!best || cost < best.cost) best = { seed, nearest: distances, cost };
    }
    seeds.push(best!.seed);
    nearest = best!.nearest;
  }
  const { columns } = points;
  const centres = new Float64Array(seeds.length * columns);
  seeds.forEach((seed, m) => {
    centres.set(seed, m * columns);
  });
  return centres;
}
