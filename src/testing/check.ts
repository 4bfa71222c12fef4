import type { Bounds } from "../constraints/bounds.js";
import type { ClusterTally } from "../constraints/limits.js";
import type { People } from "../table/types.js";

/** People beyond the bounds in the worst group and cluster, by plain counting. */
export function worstExcess(
  people: Pick<People, "attributes">,
  bounds: readonly Pick<Bounds, "lower" | "upper">[],
  labels: ArrayLike<number>,
  k: number,
): number {
  let worst = 0;
  people.attributes.forEach(({ groups, codes }, a) => {
    for (let m = 0; m < k; m++) {
      let size = 0;
      const members = groups.map(() => 0);
      for (let i = 0; i < labels.length; i++) {
        if (labels[i] !== m) continue;
        size++;
        members[codes[i]]++;
      }
      members.forEach((count, l) => {
        worst = Math.max(worst, count - bounds[a].upper[l] * size, bounds[a].lower[l] * size - count);
      });
    }
  });
  return worst;
}

export function sizesOf(labels: ArrayLike<number>, k: number): number[] {
  const sizes = new Array<number>(k).fill(0);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]]++;
  return sizes;
}

/** The sum of squared distances to the means, by plain loops. */
export function plainSse(dimensions: readonly ArrayLike<number>[], labels: ArrayLike<number>, k: number): number {
  const sizes = sizesOf(labels, k);
  let total = 0;
  for (const column of dimensions) {
    const sums = new Array<number>(k).fill(0);
    for (let i = 0; i < labels.length; i++) sums[labels[i]] += column[i];
    for (let i = 0; i < labels.length; i++) total += (column[i] - sums[labels[i]] / sizes[labels[i]]) ** 2;
  }
  return total;
}

export function tallyOf(codes: readonly number[], labels: readonly number[], groups: number, k: number): ClusterTally {
  const counts = new Float64Array(groups * k);
  const sizes = new Float64Array(k);
  labels.forEach((label, i) => {
    counts[codes[i] * k + label]++;
    sizes[label]++;
  });
  return { counts, sizes };
}

/** Equation 1 of DP-fair clustering: the smaller group over the larger, in the worst cluster. */
export function paperBalance(people: Pick<People, "attributes">, labels: Uint16Array, k: number): number {
  const counts = Array.from({ length: k }, () => [0, 0]);
  labels.forEach((label, i) => {
    counts[label][people.attributes[0].codes[i]]++;
  });
  return Math.min(...counts.map(([a, b]) => Math.min(a / b, b / a)));
}
