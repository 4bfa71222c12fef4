import { type Bounds, excess } from "../../constraints/bounds.js";
import { MoietyError } from "../../errors.js";
import { clusterSizes, groupCounts } from "../../metrics/index.js";
import type { Attribute } from "../../table/types.js";
import { type Crowds, gatherCrowds } from "./crowds.js";
import type { Assignment } from "./relaxation.js";
import { roundAssignment } from "./rounding.js";
import { type FractionalAssignment, solveBySifting } from "./sifting.js";

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
  k: number,
  attributes: readonly Attribute[],
  bounds: readonly Bounds[],
  signal?: AbortSignal,
): Promise<FairAssignment> {
  const n = costs.length / k;
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
  const nearest = assignNearest(costs, k);
  if (meetsExactly(nearest.labels, k, attributes, bounds)) return nearest;

  const crowds = gatherCrowds(costs, k, attributes);
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
  const labels = labelPeople(crowds, fractional, people, k);
  return { labels, lowerBound: fractional.objective * scale };
}

function assignNearest(costs: Float64Array, k: number): FairAssignment {
  const labels = new Uint16Array(costs.length / k);
  let total = 0;
  for (let i = 0; i < labels.length; i++) {
    let best = 0;
    for (let m = 1; m < k; m++) if (costs[i * k + m] < costs[i * k + best]) best = m;
    labels[i] = best;
    total += costs[i * k + best];
  }
  return { labels, lowerBound: total };
}

function meetsExactly(
  labels: Uint16Array,
  k: number,
  attributes: readonly Attribute[],
  bounds: readonly Bounds[],
): boolean {
  const sizes = clusterSizes(labels, k);
  return bounds.every(({ lower, upper }, a) =>
    groupCounts(attributes[a], labels, k).every((members, l) =>
      members.every((count, m) => excess(count, sizes[m], lower[l], upper[l]) <= 0),
    ),
  );
}

/** The people of a crowd take its places in the order of the table. */
function labelPeople(
  { count, crowdOf }: Crowds,
  { home, crowds: decided }: FractionalAssignment,
  people: Float64Array,
  k: number,
): Uint16Array {
  const placeOf = new Int32Array(count).fill(-1);
  decided.forEach((crowd, at) => {
    placeOf[crowd] = at;
  });
  const left = Float64Array.from(people);
  return Uint16Array.from(crowdOf, (crowd) => {
    const at = placeOf[crowd];
    if (at < 0) return home[crowd];
    let label = 0;
    while (left[at * k + label] < 0.5) label++;
    left[at * k + label]--;
    return label;
  });
}
