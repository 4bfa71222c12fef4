import type { Attribute } from "../table/types.js";

/**
 * The share that each group of one protected attribute may have in each cluster.
 * Restricted dominance is the upper bound (alpha of the papers), minority protection the lower one (beta).
 */
export interface Bounds {
  readonly attribute: string;
  readonly groups: readonly string[];
  /** Members of each group among all people. */
  readonly counts: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** By group and cluster: where the lower bound holds. Absent where it holds in every cluster. */
  readonly where?: readonly (readonly boolean[])[];
  /** Others who are in the clusters already and count too: by group and cluster. */
  readonly present?: readonly (readonly number[])[];
}

/** How large a cluster may be, in people. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** How large the clusters may be; where they differ, `each` says it of every one, and `min` and `max` of all. */
export interface SizeLimits extends SizeRange {
  readonly each?: readonly SizeRange[];
}

/** The limits of cluster m. */
export function sizesIn(sizes: SizeLimits, m: number): SizeRange {
  return sizes.each?.[m] ?? sizes;
}

/** Whether any cluster is limited: to more people than it has anyway (one, or nobody where places may stay empty), or to fewer than all. */
export function limitsSizes(sizes: SizeLimits, n: number, least: 0 | 1): boolean {
  return (sizes.each ?? [sizes]).some(({ min, max }) => min > least || max < n);
}

/** The same limits for a part of the people. */
export function shrinkSizes({ min, max, each }: SizeLimits, part: number): SizeLimits {
  const shrink = (range: SizeRange) => ({ min: range.min * part, max: range.max * part });
  return { ...shrink({ min, max }), ...(each ? { each: each.map(shrink) } : {}) };
}

/** Explicit bounds as users write them: attribute, group, min and max share; what is left out is unbounded. */
export type ExplicitBounds = Record<string, Record<string, { min?: number; max?: number }>>;

export function countGroups(attribute: Attribute): number[] {
  const counts = new Array<number>(attribute.groups.length).fill(0);
  const { codes, people } = attribute;
  for (let i = 0; i < codes.length; i++) counts[codes[i]] += people?.[i] ?? 1;
  return counts;
}

/** Where nobody says how far shares may be from those in the data: four fifths of them, as in the papers. */
export const defaultDelta = 0.2;

/** Bera et al. 2019: beta = share (1 - delta), alpha = share / (1 - delta), at most 1. */
export function shareLimits(share: number, delta: number): { readonly lower: number; readonly upper: number } {
  return { lower: share * (1 - delta), upper: Math.min(1, share / (1 - delta)) };
}

export function boundsFromDelta(attribute: Attribute, delta: number): Bounds {
  const counts = countGroups(attribute);
  const everybody = counts.reduce((sum, count) => sum + count, 0);
  const limits = counts.map((count) => shareLimits(count / everybody, delta));
  return {
    attribute: attribute.name,
    groups: attribute.groups,
    counts,
    lower: limits.map(({ lower }) => lower),
    upper: limits.map(({ upper }) => upper),
  };
}

/** The lower bound of a group in cluster m. */
export function lowerIn({ lower, where }: Pick<Bounds, "lower" | "where">, group: number, m: number): number {
  return where?.[group][m] === false ? 0 : lower[group];
}

/** Bounds that forbid nothing. */
export function freeBounds(attribute: Attribute): Bounds {
  const { name, groups } = attribute;
  const each = (share: number) => groups.map(() => share);
  return { attribute: name, groups, counts: countGroups(attribute), lower: each(0), upper: each(1) };
}

/**
 * People beyond the bounds of one group in one cluster, before any tolerance: positive is too many or too few.
 * The 1e-9 forgives the rounding of `share * size` where the count equals the bound exactly.
 */
export function excess(count: number, size: number, lower: number, upper: number): number {
  return Math.max(0, count - upper * size - 1e-9, lower * size - count - 1e-9);
}
