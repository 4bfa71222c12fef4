import { MoietyError } from "../../src/errors.js";
import { Random } from "../../src/table/generators/random.js";
import type { People } from "../../src/table/index.js";
import { assignWithin } from "./bounded-assignment.js";

/** As the authors' program has them: passes at most, and the part of the cost that a pass must save. */
const mostPasses = 100;
const leastGain = 0.001;

export interface FlowClusters {
  readonly labels: Uint16Array;
  readonly passes: number;
}

/**
 * MS-FlowFC (Mantuano, Kammermann and Baumann 2026, arXiv 2605.13759), for one protected attribute. `balance` is the least ratio of the smallest
 * to the largest group of a cluster. From the seeds of k-means++ among the largest group, until a pass saves less than 0.1%:
 *
 * 1. people of the largest group go to the nearest centre;
 * 2. group after group, by size, goes where it costs least, by a minimum-cost flow, so that a cluster gets at least `balance` times the largest and at most
 *    1 / `balance` times the smallest group that is there already;
 * 3. centres become means.
 *
 * What is ours: flows are solved exactly by shortest paths (theirs: OR-Tools, costs rounded to thousandths), nearest centres by a loop (theirs: FAISS). Both are
 * faster or as fast at these sizes, so the baseline is none the worse for it.
 */
export function msFlowFC(
  { n, dimensions, attributes }: People,
  k: number,
  balance: number,
  seed: number,
  signal?: AbortSignal,
): FlowClusters {
  const dims = dimensions.length;
  const points = new Float64Array(n * dims);
  dimensions.forEach((column, j) => {
    for (let i = 0; i < n; i++) points[i * dims + j] = column[i];
  });
  const [{ codes, groups }] = attributes as [People["attributes"][number]];
  const members = groups.map((_, group) => Int32Array.from([...codes.keys()].filter((i) => codes[i] === group)));
  const bySize = members.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length);
  const random = new Random(seed);
  const centres = seedsAmong(bySize[0], k);
  const labels = new Uint16Array(n);
  let best = { labels: labels.slice(), passes: 0 };
  let lowest = Number.POSITIVE_INFINITY;
  for (let passes = 1; passes <= mostPasses; passes++) {
    if (signal?.aborted) throw new MoietyError("cancelled", "stopped before the end");
    assign();
    const cost = recentre();
    if (!(cost <= lowest * (1 - leastGain))) break;
    lowest = cost;
    best = { labels: labels.slice(), passes };
  }
  return best;

  function assign(): void {
    const [largest, ...others] = bySize as [Int32Array, ...Int32Array[]];
    // Whatever is empty after the largest group is seeded anew among it.
    for (let attempt = 0; ; attempt++) {
      const counts = adopt(largest, assignWithin(costsOf(largest), k, zeros(), zeros().fill(n)));
      const empty = [...counts.keys()].filter((m) => counts[m] === 0);
      if (empty.length === 0) break;
      if (attempt === mostPasses)
        throw new MoietyError("failed", `MS-FlowFC found no ${k} clusters of the largest group`);
      const fresh = seedsAmong(largest, empty.length);
      for (const [at, m] of empty.entries()) centres.set(fresh.subarray(at * dims, (at + 1) * dims), m * dims);
    }
    const there = [countsOf(largest)];
    for (const group of others) {
      const largestOf = zeros().map((_, m) => Math.max(...there.map((counts) => counts[m])));
      const smallestOf = zeros().map((_, m) => Math.min(...there.map((counts) => counts[m])));
      const { least, most } = roomFor(group.length, balance, largestOf, smallestOf);
      there.push(adopt(group, assignWithin(costsOf(group), k, least, most)));
    }
  }

  function adopt(group: Int32Array, places: Uint16Array): number[] {
    group.forEach((person, at) => {
      labels[person] = places[at];
    });
    return countsOf(group);
  }

  function countsOf(group: Int32Array): number[] {
    const counts = zeros();
    for (const person of group) counts[labels[person]]++;
    return counts;
  }

  function costsOf(group: Int32Array): Float64Array {
    const costs = new Float64Array(group.length * k);
    for (let at = 0; at < group.length; at++) {
      for (let m = 0; m < k; m++) costs[at * k + m] = distance(group[at], centres, m);
    }
    return costs;
  }

  function distance(person: number, to: Float64Array, m: number): number {
    let total = 0;
    for (let j = 0; j < dims; j++) total += (points[person * dims + j] - to[m * dims + j]) ** 2;
    return total;
  }

  /** Centres become means; the squared distances to them. */
  function recentre(): number {
    const sizes = new Float64Array(k);
    centres.fill(0);
    for (let i = 0; i < n; i++) {
      sizes[labels[i]]++;
      for (let j = 0; j < dims; j++) centres[labels[i] * dims + j] += points[i * dims + j];
    }
    for (let at = 0; at < centres.length; at++) centres[at] /= sizes[Math.floor(at / dims)];
    let cost = 0;
    for (let i = 0; i < n; i++) cost += distance(i, centres, labels[i]);
    return cost;
  }

  /** Greedy k-means++: each seed the best of 2 + ln k draws in proportion to the squared distance to those so far. */
  function seedsAmong(group: Int32Array, count: number): Float64Array {
    const seeds = new Float64Array(count * dims);
    const nearest = new Float64Array(group.length).fill(1);
    for (let s = 0; s < count; s++) {
      const tries = s === 0 ? 1 : 2 + Math.floor(Math.log(count));
      let chosen: { left: Float64Array; total: number } | undefined;
      for (let attempt = 0; attempt < tries; attempt++) {
        const person = group[draw(nearest)];
        const place = points.subarray(person * dims, (person + 1) * dims);
        const left = nearest.map((value, at) => {
          const own = distance(group[at], place, 0);
          return s === 0 ? own : Math.min(value, own);
        });
        const total = left.reduce((all, value) => all + value, 0);
        if (chosen && chosen.total <= total) continue;
        chosen = { left, total };
        seeds.set(place, s * dims);
      }
      nearest.set(chosen!.left);
    }
    return seeds;
  }

  function draw(weights: Float64Array): number {
    const total = weights.reduce((all, value) => all + value, 0);
    let rest = random.uniform() * total;
    for (let at = 0; at < weights.length; at++) {
      rest -= weights[at];
      if (rest < 0) return at;
    }
    return weights.length - 1;
  }

  function zeros(): number[] {
    return new Array<number>(k).fill(0);
  }
}

/** How many of a group of `people` a cluster gets, given its largest and smallest group so far; rounding that leaves no room for everybody is undone where balance suffers least. */
export function roomFor(
  people: number,
  balance: number,
  largest: readonly number[],
  smallest: readonly number[],
): { least: number[]; most: number[] } {
  const least = largest.map((count) => Math.ceil(balance * count));
  const most = smallest.map((count, m) => Math.max(least[m], Math.floor(count / balance)));
  for (let beyond = sum(least) - people; beyond > 0; beyond--) {
    least[bestOf(least, (m) => (least[m] > 0 ? (least[m] - 1) / largest[m] : -1))]--;
  }
  for (let lacking = people - sum(most); lacking > 0; lacking--) {
    most[bestOf(most, (m) => smallest[m] / (most[m] + 1))]++;
  }
  return { least, most };
}

function bestOf(list: readonly number[], score: (m: number) => number): number {
  return list.reduce((best, _, m) => (score(m) > score(best) ? m : best), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
