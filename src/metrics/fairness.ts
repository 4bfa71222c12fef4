import { type Bounds, excess, lowerIn } from "../constraints/bounds.js";
import { MoietyError } from "../errors.js";
import type { Attribute } from "../table/types.js";
import { checkLabels, sum } from "./labelled-points.js";

/** Members of one attribute's groups, as [group][cluster]. */
export type GroupCounts = readonly (readonly number[])[];

/** attribute -> group -> share in each cluster */
export type GroupShares = Record<string, Record<string, number[]>>;

export interface Worst {
  readonly attribute: string;
  readonly group: string;
  readonly cluster: number;
}

export interface Violation {
  /** People beyond the bounds in the worst group and cluster, before any tolerance. */
  readonly people: number;
  /** The first such group and cluster; null when no group is beyond its bounds. */
  readonly worst: Worst | null;
}

export function groupCounts(attribute: Attribute, labels: Uint16Array, k: number): number[][] {
  checkLabels(labels, k);
  const { codes, groups, name, people } = attribute;
  if (codes.length !== labels.length) {
    throw new MoietyError("input", `labels=${labels.length} should equal people=${codes.length} of attribute ${name}`);
  }
  const counts = people ? new Float64Array(groups.length * k) : new Uint32Array(groups.length * k);
  if (people) for (let i = 0; i < codes.length; i++) counts[codes[i] * k + labels[i]] += people[i];
  else for (let i = 0; i < codes.length; i++) counts[codes[i] * k + labels[i]]++;
  return groups.map((_, group) => Array.from(counts.subarray(group * k, (group + 1) * k)));
}

/** The share of each group in each cluster; 0 in an empty cluster. `counts` is in the order of `attributes`. */
export function groupShares(
  attributes: readonly Attribute[],
  counts: readonly GroupCounts[],
  sizes: readonly number[],
): GroupShares {
  // fromEntries defines properties rather than assigning them, so that a group may even be called __proto__.
  return Object.fromEntries(
    attributes.map(({ name, groups }, at) => [
      name,
      Object.fromEntries(
        groups.map((group, index) => [
          group,
          counts[at][index].map((count, m) => (sizes[m] === 0 ? 0 : count / sizes[m])),
        ]),
      ),
    ]),
  );
}

/**
 * Each cluster's balance, F3KM section 5.1 (Chierichetti et al., Bera et al.): the minimum, over the groups of all
 * attributes, of min(ratio, 1/ratio), ratio being the group's share in the cluster over its share in the data.
 * 1 is a mirror of the data; 0 says that a group, or everybody, is absent. Without attributes there is nothing to
 * balance, and the list is empty.
 */
export function balance(counts: readonly GroupCounts[], sizes: readonly number[]): number[] {
  if (counts.length === 0) return [];
  const people = sum(sizes);
  const balances: number[] = sizes.map((size) => (size === 0 ? 0 : 1));
  for (const groups of counts) {
    for (const group of groups) {
      const members = sum(group);
      if (members === 0) continue;
      for (let m = 0; m < sizes.length; m++) {
        if (sizes[m] > 0) balances[m] = Math.min(balances[m], evenRatio(group[m], sizes[m], members, people));
      }
    }
  }
  return balances;
}

/** min(ratio, 1/ratio) in products of whole numbers, which are exact: a mirror of the data is exactly 1. */
function evenRatio(count: number, size: number, members: number, people: number): number {
  const inside = count * people;
  const overall = members * size;
  return Math.min(inside, overall) / Math.max(inside, overall);
}

/**
 * The 80% rule, by [group][cluster]: is the group's share in the cluster at least 80% and at most 125% of its share in
 * the data? This is how F3KM (section 5.2.3, delta = 0.2) reads the doctrine: all of a cluster's groups pass exactly
 * when its balance is 0.8 or more. An empty cluster, where nobody is represented, does not pass.
 */
export function eightyPercentRule(counts: GroupCounts, sizes: readonly number[]): boolean[][] {
  const people = sum(sizes);
  return counts.map((group) => {
    const members = sum(group);
    return group.map((count, m) => {
      const inside = count * people;
      const overall = members * sizes[m];
      return sizes[m] > 0 && 5 * inside >= 4 * overall && 4 * inside <= 5 * overall;
    });
  });
}

/** `counts` is in the order of `bounds`, and its groups in the order of each one's groups. */
export function violation(
  bounds: readonly Bounds[],
  counts: readonly GroupCounts[],
  sizes: readonly number[],
): Violation {
  let people = 0;
  let worst: Worst | null = null;
  for (let at = 0; at < bounds.length; at++) {
    const { attribute, groups, upper } = bounds[at];
    for (let group = 0; group < groups.length; group++) {
      for (let m = 0; m < sizes.length; m++) {
        const beyond = excess(counts[at][group][m], sizes[m], lowerIn(bounds[at], group, m), upper[group]);
        if (beyond > people) {
          people = beyond;
          worst = { attribute, group: groups[group], cluster: m };
        }
      }
    }
  }
  return { people, worst };
}

/**
 * Clusters so small that some lower bound asks for nobody: with a tolerance of 1, those of n_m <= 1/beta. They are
 * fair by the letter even where that group is absent, so results name them.
 */
export function clustersTooSmall(bounds: readonly Bounds[], sizes: readonly number[], tolerance: number): number[] {
  const isSmall = (size: number) =>
    bounds.some(({ lower }) => lower.some((share) => share > 0 && share * size <= tolerance));
  return sizes.flatMap((size, m) => (isSmall(size) ? [m] : []));
}
