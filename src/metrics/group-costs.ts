import type { Attribute } from "../table/types.js";
import { blockRows, forEachBlock, type Points } from "./labelled-points.js";

/** What costs of groups at any centres follow from: by group (those of all attributes, one after another) and cluster. */
export interface GroupMoments {
  readonly k: number;
  readonly dims: number;
  /** Members of each group. */
  readonly members: Float64Array;
  /** [groups][k]: members in each cluster, and the sum of their squared norms. */
  readonly counts: Float64Array;
  readonly squares: Float64Array;
  /** [groups][k][dims] */
  readonly sums: Float64Array;
}

type Groups = readonly Pick<Attribute, "groups" | "codes">[];

export function groupMoments(points: Points, attributes: Groups, labels: Uint16Array, k: number): GroupMoments {
  const dims = points.length;
  const groups = attributes.reduce((sum, each) => sum + each.groups.length, 0);
  const counts = new Float64Array(groups * k);
  const squares = new Float64Array(groups * k);
  const sums = new Float64Array(groups * k * dims);
  const norms = new Float64Array(blockRows);
  const cells = new Int32Array(blockRows);
  forEachBlock(points, labels.length, (block, start, count) => {
    norms.fill(0);
    for (let j = 0; j < dims; j++) {
      for (let i = 0; i < count; i++) norms[i] += block[j * blockRows + i] ** 2;
    }
    let first = 0;
    for (const { codes, groups } of attributes) {
      for (let i = 0; i < count; i++) {
        const cell = (first + codes[start + i]) * k + labels[start + i];
        cells[i] = cell;
        counts[cell]++;
        squares[cell] += norms[i];
      }
      for (let j = 0; j < dims; j++) {
        for (let i = 0; i < count; i++) sums[cells[i] * dims + j] += block[j * blockRows + i];
      }
      first += groups.length;
    }
  });
  const members = new Float64Array(groups);
  counts.forEach((count, cell) => {
    members[Math.floor(cell / k)] += count;
  });
  return { k, dims, members, counts, squares, sums };
}

/** The mean squared distance of each group's members to the centres of their clusters; 0 for a group without members. */
export function costsAt(
  { k, dims, members, counts, squares, sums }: GroupMoments,
  centres: Float64Array,
): Float64Array {
  return members.map((people, group) => {
    if (people === 0) return 0;
    let cost = 0;
    for (let m = 0; m < k; m++) {
      const cell = group * k + m;
      let [cross, norm] = [0, 0];
      for (let j = 0; j < dims; j++) {
        const centre = centres[m * dims + j];
        cross += centre * sums[cell * dims + j];
        norm += centre * centre;
      }
      cost += squares[cell] - 2 * cross + counts[cell] * norm;
    }
    return Math.max(0, cost) / people;
  });
}

export interface FairestCentres {
  /** [k][dims] */
  readonly centres: Float64Array;
  /** The mean cost of the worst-off group around them. */
  readonly worst: number;
  /** No centres of these clusters give the worst-off group less than this. */
  readonly least: number;
  /** Of the groups: those that are worst off have all the weight. */
  readonly weights: Float64Array;
}

/** The search for weights ends when the cost is proven to be this near to the least, or after so many steps. */
const closeEnough = 1e-7;
const mostSteps = 400;
/** The first step, in units of the worst cost; a step that gains is followed by a longer one. */
const steps = { first: 1, longer: 1.6, shorter: 0.4, least: 1e-6 };

/**
 * The centres of given clusters around which the worst-off group's mean cost is least. The largest of the costs is convex in the
 * centres, and its dual is: the weights of groups whose weighted means cost most. Weights grow by exp(step * cost): multiplicative
 * updates, of which only those that gain are kept. Every weighted sum of costs at its own means is a lower bound.
 */
export function fairestCentres(moments: GroupMoments, from: Float64Array, begin?: Float64Array): FairestCentres {
  const { members } = moments;
  const present = members.reduce((sum, people) => sum + (people > 0 ? 1 : 0), 0);
  // Weights of 0 would never grow again.
  let weights: Float64Array = members.map((people, g) =>
    people > 0 ? 0.99 * (begin?.[g] ?? 1 / present) + 0.01 / present : 0,
  );
  let centres: Float64Array = weightedMeans(moments, weights, from);
  let costs: Float64Array = costsAt(moments, centres);
  let bound = weighted(weights, costs);
  let best: Omit<FairestCentres, "least"> = { centres, worst: Math.max(...costs), weights };
  let step = steps.first;
  for (let count = 0; count < mostSteps && best.worst - bound > closeEnough * best.worst; count++) {
    const most = Math.max(...costs);
    const grown = normalised(weights.map((weight, g) => weight * Math.exp((step * (costs[g] - most)) / most)));
    const next = weightedMeans(moments, grown, from);
    const then = costsAt(moments, next);
    const worst = Math.max(...then);
    if (worst < best.worst) best = { centres: next, worst, weights: grown };
    const value = weighted(grown, then);
    if (value <= bound) {
      step *= steps.shorter;
      if (step < steps.least) break;
      continue;
    }
    step *= steps.longer;
    [weights, centres, costs, bound] = [grown, next, then, value];
  }
  return { ...best, least: Math.min(bound, best.worst) };
}

function normalised(weights: Float64Array): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function weighted(weights: Float64Array, costs: Float64Array): number {
  return weights.reduce((sum, weight, g) => sum + weight * costs[g], 0);
}

/** Of a cluster's weight in all: less decides over nobody, and the cluster's centre is then the mean of its people. */
const noWeight = 1e-12;

/** The means of the clusters when members of a group weigh `weights` of it together. A cluster without people keeps its centre. */
function weightedMeans(
  { k, dims, members, counts, sums }: GroupMoments,
  weights: Float64Array,
  from: Float64Array,
): Float64Array {
  const centres = from.slice();
  const total = new Float64Array(dims);
  for (let m = 0; m < k; m++) {
    for (const each of [weights, members]) {
      let weight = 0;
      total.fill(0);
      members.forEach((people, g) => {
        if (people === 0) return;
        const own = each[g] / people;
        const cell = g * k + m;
        weight += own * counts[cell];
        for (let j = 0; j < dims; j++) total[j] += own * sums[cell * dims + j];
      });
      if (weight < noWeight) continue;
      for (let j = 0; j < dims; j++) centres[m * dims + j] = total[j] / weight;
      break;
    }
  }
  return centres;
}
