import { excess } from "../../constraints/bounds.js";

/** The shares that a group of so many people may have in a cluster. */
export type LimitsOf = (group: number, total: number) => { readonly lower: number; readonly upper: number };

export interface GroupTable {
  /** [group][cluster] */
  readonly counts: readonly (readonly number[])[];
  readonly sizes: readonly number[];
  /** Counts below this, but for 0, are too small to show. */
  readonly smallest: number;
  readonly limitsOf: LimitsOf;
  readonly tolerance: number;
  /** Whether a group with these counts is not what was promised, where that is not a matter of limits in every cluster. */
  readonly breaks?: ((row: readonly number[]) => boolean) | undefined;
}

/**
 * Which groups of an attribute are left out of a result: each with all its shares and its bounds.
 *
 * Promise: whoever knows all that is shown (sizes, the other groups' counts and totals, the bounds that were asked for, and
 * whether all is within the tolerance) can tell a count that is left out neither from 0 nor from `smallest` or more. Where the
 * groups that are left out are all there are, nothing else can be.
 *
 * Proof: S_m people of cluster m belong to the groups that are left out, as anybody can compute, and `isConcealed` has found S_m
 * to be `smallest` or more. One of these groups may have all of them and the others nobody; in a result that is not within the
 * tolerance, and shows nothing that is beyond it, one of them may have all of cluster m and another one the rest. `isConcealed`
 * has found that this fits. Any of the groups may be the one, so each count is 0 in one table that fits and S_m in another.
 */
export function groupsLeftOut(table: GroupTable): ReadonlySet<number> {
  const { counts, smallest } = table;
  const isSmall = (count: number) => count > 0 && count < smallest;
  const totals = counts.map(sum);
  const hidden = new Set([...counts.keys()].filter((l) => counts[l].some(isSmall) || isSmall(totals[l])));
  if (hidden.size === 0) return hidden;
  const others = [...counts.keys()].filter((l) => !hidden.has(l)).sort((a, b) => totals[a] - totals[b]);
  for (const next of others) {
    if (isConcealed(table, hidden)) break;
    hidden.add(next);
  }
  return hidden;
}

function isConcealed(table: GroupTable, hidden: ReadonlySet<number>): boolean {
  const { counts, sizes, smallest, tolerance } = table;
  if (hidden.size < 2) return false;
  const together = sizes.map((_, m) => [...hidden].reduce((people, l) => people + counts[l][m], 0));
  if (together.some((people, m) => people < Math.min(smallest, sizes[m]))) return false;
  const beyond = (l: number, row: readonly number[]) => table.breaks?.(row) ?? furthest(table, l, row) > tolerance;
  if (!counts.some((row, l) => beyond(l, row))) {
    const nobody = sizes.map(() => 0);
    return [...hidden].every((l) => !beyond(l, together) && !beyond(l, nobody));
  }
  if (counts.some((row, l) => !hidden.has(l) && beyond(l, row))) return true;
  return sizes.every((_, m) => {
    const alone = together.map((people, at) => (at === m ? people : 0));
    const rest = together.map((people, at) => (at === m ? 0 : people));
    return [...hidden].every((l) => beyond(l, alone) || beyond(l, rest));
  });
}

/** People beyond the limits of a group, in its worst cluster. */
export function furthest({ sizes, limitsOf }: GroupTable, group: number, row: readonly number[]): number {
  const { lower, upper } = limitsOf(group, sum(row));
  return Math.max(0, ...row.map((count, m) => excess(count, sizes[m], lower, upper)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
