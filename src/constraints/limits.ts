import type { Bounds, SizeLimits } from "./bounds.js";

/**
 * One linear limit on every cluster: member * N + everyone * n + constant <= 0, where N counts the cluster's people of
 * one group and n all its people. Restricted dominance is N - alpha n - tolerance <= 0, minority protection
 * beta n - N - tolerance <= 0, a smallest size min - n <= 0: all that the solver promises has this form.
 */
export interface Limit {
  /** An index into the groups of the attribute; -1 where only the size matters. */
  readonly group: number;
  readonly member: number;
  readonly everyone: number;
  readonly constant: number;
  /** How much of the constant is tolerance: what is reported as a violation does not forgive it. */
  readonly tolerance: number;
}

/** The limits that one holder answers for: those of one attribute, or the sizes. `groups` is 1 for sizes. */
export interface Limits {
  readonly groups: number;
  readonly list: readonly Limit[];
}

/** Bounds that forbid nothing are left out: they would only cost time. */
export function fairLimits(bounds: Bounds, tolerance: number): Limits {
  const list: Limit[] = [];
  bounds.groups.forEach((_, group) => {
    const upper = bounds.upper[group]!;
    const lower = bounds.lower[group]!;
    if (upper < 1) list.push({ group, member: 1, everyone: -upper, constant: -tolerance, tolerance });
    if (lower > 0) list.push({ group, member: -1, everyone: lower, constant: -tolerance, tolerance });
  });
  return { groups: bounds.groups.length, list };
}

export function sizeLimits(sizes: SizeLimits): Limits {
  const list: Limit[] = [];
  const common = { group: -1, member: 0, tolerance: 0 };
  if (sizes.min > 0) list.push({ ...common, everyone: -1, constant: sizes.min });
  if (Number.isFinite(sizes.max)) list.push({ ...common, everyone: 1, constant: -sizes.max });
  return { groups: 1, list };
}

/** By how much a limit's left side changes when a person of this group joins the cluster. */
export function weightOf(limit: Limit, group: number): number {
  return limit.everyone + (limit.group === group ? limit.member : 0);
}

/** The rounding of share * size must not count as a violation where a bound is met exactly. */
const forgiven = 1e-9;

/** What the clusters hold of the limits' groups: counts [groups][k] and sizes [k]. */
export interface Tally {
  readonly counts: Float64Array;
  readonly sizes: Float64Array;
}

/** The left side of a limit in cluster m: above 0 is beyond the limit. */
export function leftSide(limit: Limit, tally: Tally, m: number): number {
  const members = limit.group < 0 ? 0 : tally.counts[limit.group * tally.sizes.length + m]!;
  return limit.member * members + limit.everyone * tally.sizes[m]! + limit.constant;
}

function beyond(value: number): number {
  return Math.max(0, value - forgiven);
}

/** People beyond the bounds in the worst group and cluster, before tolerance. */
export function worstViolation(limits: Limits, tally: Tally): number {
  let worst = 0;
  for (const limit of limits.list) {
    for (let m = 0; m < tally.sizes.length; m++)
      worst = Math.max(worst, beyond(leftSide(limit, tally, m) + limit.tolerance));
  }
  return worst;
}

/** People beyond the limits, tolerance forgiven, over all limits and clusters: 0 when every promise is kept. */
export function totalExcess(limits: Limits, tally: Tally): number {
  let total = 0;
  for (const limit of limits.list) {
    for (let m = 0; m < tally.sizes.length; m++) total += beyond(leftSide(limit, tally, m));
  }
  return total;
}

/** How the total excess changes when one person of a group joins or leaves a cluster: two tables [groups][k]. */
export function excessChanges(limits: Limits, tally: Tally): { joining: Float64Array; leaving: Float64Array } {
  const k = tally.sizes.length;
  const joining = new Float64Array(limits.groups * k);
  const leaving = new Float64Array(limits.groups * k);
  for (const limit of limits.list) {
    for (let m = 0; m < k; m++) {
      const value = leftSide(limit, tally, m);
      for (let group = 0; group < limits.groups; group++) {
        const weight = weightOf(limit, group);
        joining[group * k + m]! += beyond(value + weight) - beyond(value);
        leaving[group * k + m]! += beyond(value - weight) - beyond(value);
      }
    }
  }
  return { joining, leaving };
}

/** How each move changes the total excess when all of them happen, one after another. */
export function judgeMoves(
  limits: Limits,
  tally: Tally,
  moves: readonly { readonly group: number; readonly from: number; readonly to: number }[],
): Float64Array {
  const k = tally.sizes.length;
  const present = { counts: tally.counts.slice(), sizes: tally.sizes.slice() };
  const excessOf = (m: number) => limits.list.reduce((sum, limit) => sum + beyond(leftSide(limit, present, m)), 0);
  return Float64Array.from(moves, ({ group, from, to }) => {
    const before = excessOf(from) + excessOf(to);
    present.counts[group * k + from]!--;
    present.counts[group * k + to]!++;
    present.sizes[from]!--;
    present.sizes[to]!++;
    return excessOf(from) + excessOf(to) - before;
  });
}

/**
 * Which of the proposed moves may all happen, judged in order. Only what a move uses up is counted, never what another
 * one frees, so that any part of the permitted moves keeps the limits too: several holders can judge the same list
 * apart from each other, and the moves that all of them permit are safe.
 */
export function permitMoves(
  limits: Limits,
  tally: Tally,
  moves: readonly { readonly group: number; readonly from: number; readonly to: number }[],
): boolean[] {
  const k = tally.sizes.length;
  const used = new Float64Array(limits.list.length * k);
  return moves.map(({ group, from, to }) => {
    const uses = (index: number, limit: Limit, m: number, sign: number) => {
      const weight = sign * weightOf(limit, group);
      if (weight <= 0) return true;
      return beyond(leftSide(limit, tally, m) + used[index * k + m]! + weight) === 0;
    };
    const allowed = limits.list.every((limit, index) => uses(index, limit, from, -1) && uses(index, limit, to, 1));
    if (!allowed) return false;
    limits.list.forEach((limit, index) => {
      const weight = weightOf(limit, group);
      if (weight > 0) used[index * k + to]! += weight;
      else used[index * k + from]! -= weight;
    });
    return true;
  });
}
