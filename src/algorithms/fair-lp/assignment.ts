import { type Bounds, excess } from "../../constraints/bounds.js";
import { MoietyError } from "../../errors.js";
import type { Attribute } from "../../table/types.js";
import { type Crowds, gatherCrowds } from "./crowds.js";
import type { Assignment } from "./relaxation.js";
import { roundAssignment } from "./rounding.js";
import { solveBySifting } from "./sifting.js";

export interface FairAssignment {
  /** The cluster of each person. */
  readonly labels: Uint16Array;
  /** The fractional optimum: no assignment that meets the bounds exactly costs less. */
  readonly lowerBound: number;
}

/**
 * The cheapest assignment to given centres in which every group has its share of each cluster, after Bera et al.
 * 2019: a linear program, then a rounding that leaves the bounds by a few people. The bounds are exact shares, without
 * a tolerance and without sizes; clusters may end empty. See NOTES.md.
 *
 * `costs` are squared distances, n rows of k.
 */
export async function fairAssignment(
  costs: Float64Array,
  n: number,
  k: number,
  attributes: readonly Attribute[],
  bounds: readonly Bounds[],
  signal?: AbortSignal,
): Promise<FairAssignment> {
  for (const { attribute, groups, counts, lower, upper } of bounds) {
    for (let l = 0; l < groups.length; l++) {
      if (excess(counts[l], n, lower[l] - 1e-12, upper[l] + 1e-12) <= 0) continue;
      const share = Number((counts[l] / n).toPrecision(4));
      throw new MoietyError(
        "infeasible",
        `${attribute} ${groups[l]} cannot be ${lower[l]} to ${upper[l]} of each cluster: it is ${share} of all ${n} people, and fair-lp knows no tolerance: use bounds around ${share}`,
      );
    }
  }
  const nearest = assignNearest(costs, n, k);
  if (meetsExactly(nearest.labels, n, k, attributes, bounds)) return nearest;

  const crowds = gatherCrowds(costs, n, k, attributes);
  // The solver's tolerances are absolute: costs of about one suit them.
  const scale = costs.reduce((sum, cost) => sum + cost, 0) / (n * k) || 1;
  const crowdCosts = new Float64Array(crowds.count * k);
  for (let crowd = 0; crowd < crowds.count; crowd++) {
    for (let m = 0; m < k; m++) crowdCosts[crowd * k + m] = costs[crowds.examples[crowd] * k + m] / scale;
  }
  const { weights, examples } = crowds;
  const assignment: Assignment = { k, attributes, bounds, costs: crowdCosts, weights, examples };
  const fractional = await solveBySifting(assignment, signal);
  const people = await roundAssignment(assignment, fractional, signal);
  const labels = labelPeople(n, k, crowds, fractional.home, fractional.crowds, people);
  return { labels, lowerBound: fractional.objective * scale };
}

function assignNearest(costs: Float64Array, n: number, k: number): FairAssignment {
  const labels = new Uint16Array(n);
  let total = 0;
  for (let i = 0; i < n; i++) {
    let best = 0;
    for (let m = 1; m < k; m++) if (costs[i * k + m] < costs[i * k + best]) best = m;
    labels[i] = best;
    total += costs[i * k + best];
  }
  return { labels, lowerBound: total };
}

function meetsExactly(
  labels: Uint16Array,
  n: number,
  k: number,
  attributes: readonly Attribute[],
  bounds: readonly Bounds[],
): boolean {
  const sizes = new Float64Array(k);
  for (const label of labels) sizes[label]++;
  return bounds.every(({ groups, lower, upper }, a) => {
    const members = new Float64Array(groups.length * k);
    for (let i = 0; i < n; i++) members[attributes[a].codes[i] * k + labels[i]]++;
    return members.every((count, cell) => {
      const l = Math.floor(cell / k);
      return excess(count, sizes[cell % k], lower[l], upper[l]) <= 0;
    });
  });
}

/** Hands each crowd's places to its people in their order. */
function labelPeople(
  n: number,
  k: number,
  crowds: Crowds,
  home: Uint16Array,
  decided: Uint32Array,
  people: Float64Array,
): Uint16Array {
  const placeOf = new Int32Array(crowds.count).fill(-1);
  decided.forEach((crowd, at) => {
    placeOf[crowd] = at;
  });
  const left = Float64Array.from(people);
  const labels = new Uint16Array(n);
  for (let i = 0; i < n; i++) {
    const crowd = crowds.crowdOf[i];
    const at = placeOf[crowd];
    let label = home[crowd];
    if (at >= 0) {
      label = 0;
      while (left[at * k + label] < 0.5) label++;
      left[at * k + label]--;
    }
    labels[i] = label;
  }
  return labels;
}
