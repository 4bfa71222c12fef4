import { type Bounds, excess } from "../constraints/bounds.js";

/**
 * What `fair` is worth. "fair-to-rounding": some share is beyond its bounds, by no more than the tolerance.
 * "fair-without-meaning": in some cluster the tolerance covers a whole bound, which therefore asks for nothing there.
 * Of the worst-off group's cost, which has no threshold: "least-found", a local optimum; "not-least", another round would lower it.
 */
export type Verdict = "fair" | "fair-to-rounding" | "fair-without-meaning" | "unfair" | "least-found" | "not-least";

/** The share that a group may have in each cluster; a least share of 0 and a largest one of 1 are no bounds. */
interface Shares {
  readonly min: number;
  readonly max: number;
}

/** What a verdict is read off: nothing else, so that it tells nothing that these do not tell. */
export interface Judged {
  readonly sizes: readonly number[];
  /** attribute -> group -> share in each cluster; null where it is not shown. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;
  /** attribute -> group -> bounds; groups whose bounds are not shown are not named. */
  readonly bounds: Readonly<Record<string, Readonly<Record<string, Shares>>>>;
  readonly tolerance: number;
  /** Null when nothing is protected. */
  readonly fair: boolean | null;
  readonly maxViolation: number;
}

export interface GroupName {
  readonly attribute: string;
  readonly group: string;
}

/** Beside the verdict: who and where. Lists hold at most 200 cells (groups in clusters); `count` says how many there are. */
export interface VerdictDetails {
  /** Cells beyond their bounds by no more than the tolerance, the furthest first. */
  readonly rounding: {
    readonly count: number;
    readonly cells: readonly (GroupName & { readonly cluster: number; readonly people: number })[];
  };
  /** Cells in which a bound means nothing, by group. */
  readonly withoutMeaning: {
    readonly count: number;
    readonly groups: readonly (GroupName & { readonly clusters: readonly number[] })[];
  };
  /** In clusters of so many people or more every bound means something, but for the groups that are too few. */
  readonly meaningfulSize: number;
  /** Groups too rare for any bound on them to mean something in a cluster of average size. */
  readonly tooFew: readonly GroupName[];
}

export interface Judgement {
  readonly verdict: Verdict | null;
  readonly verdictDetails: VerdictDetails | null;
}

/** Enough to look up every cell of an ordinary result; thousands of them say no more than their number. */
const mostListed = 200;

/** `unit` is what numbers of people are whole multiples of. */
export function judge(judged: Judged, unit = 1): Judgement {
  const { sizes, tolerance, fair, maxViolation } = judged;
  if (fair === null) return { verdict: null, verdictDetails: null };
  const n = sizes.reduce((sum, size) => sum + size, 0);
  const everyGroup = Object.entries(judged.bounds).flatMap(([attribute, groups]) =>
    Object.entries(groups).map(([group, shares]) => ({ attribute, group, shares })),
  );
  const few = ({ shares }: { shares: Shares }) => isTooFew(shares, n, sizes.length, tolerance);
  const judgeable = everyGroup.filter((group) => !few(group));
  const rounded = everyGroup.flatMap(({ attribute, group, shares: { min, max } }) =>
    sizes.flatMap((size, cluster) => {
      const share = judged.groups[attribute]?.[group]?.[cluster] ?? null;
      // A share is a number of people over the size: their product is that number, but for the last digit.
      const people = share === null ? 0 : excess(unit * Math.round((share * size) / unit), size, min, max);
      return people > 0 && people <= tolerance ? [{ attribute, group, cluster, people }] : [];
    }),
  );
  const covered = judgeable.flatMap(({ attribute, group, shares }) => {
    const clusters = sizes.flatMap((size, m) => (isSwallowed(shares, size, tolerance) ? [m] : []));
    return clusters.length > 0 ? [{ attribute, group, clusters }] : [];
  });
  const verdict = !fair
    ? "unfair"
    : covered.length > 0
      ? "fair-without-meaning"
      : rounded.length > 0 || maxViolation > 0
        ? "fair-to-rounding"
        : "fair";
  return {
    verdict,
    verdictDetails: {
      rounding: {
        count: rounded.length,
        cells: rounded
          .sort((a, b) => b.people - a.people)
          .slice(0, mostListed)
          .map((cell) => ({ ...cell, people: Number(cell.people.toPrecision(9)) })),
      },
      withoutMeaning: {
        count: covered.reduce((sum, { clusters }) => sum + clusters.length, 0),
        groups: firstCells(covered),
      },
      meaningfulSize: smallestMeaningful(
        judgeable.map(({ shares }) => shares),
        tolerance,
      ),
      tooFew: everyGroup.filter(few).map(({ attribute, group }) => ({ attribute, group })),
    },
  };
}

function firstCells<G extends { readonly clusters: readonly number[] }>(groups: readonly G[]): G[] {
  let room = mostListed;
  return groups.flatMap((group) => {
    const clusters = group.clusters.slice(0, Math.max(0, room));
    room -= clusters.length;
    return clusters.length > 0 ? [{ ...group, clusters }] : [];
  });
}

/** The smallest size of clusters in which every bound means something, but for groups that are too few. */
export function meaningfulSize(bounds: readonly Bounds[], n: number, k: number, tolerance: number): number {
  const shares = bounds.flatMap(({ lower, upper }) => lower.map((min, l) => ({ min, max: upper[l] })));
  return smallestMeaningful(
    shares.filter((each) => !isTooFew(each, n, k, tolerance)),
    tolerance,
  );
}

/** In a cluster of average size a group may be missing. */
function isTooFew({ min }: Shares, n: number, k: number, tolerance: number): boolean {
  return min > 0 && excess(0, n / k, min, 1) <= tolerance;
}

/**
 * beta n_m or (1 - alpha) n_m is at most the tolerance: a cluster with nobody of the group, or with nobody else, passes. A
 * cluster without people has no shares, so nothing is promised about it.
 */
function isSwallowed({ min, max }: Shares, size: number, tolerance: number): boolean {
  if (size === 0) return false;
  return (min > 0 && excess(0, size, min, 1) <= tolerance) || (max < 1 && excess(size, size, 0, max) <= tolerance);
}

function smallestMeaningful(groups: readonly Shares[], tolerance: number): number {
  return groups.reduce((size, shares) => Math.max(size, sizeBeyond(shares, tolerance)), 1);
}

/** No cluster has so many people: beyond this a size need not be exact. */
const largestExactSize = 1e9;

/** The smallest whole size at which the tolerance swallows neither bound. */
function sizeBeyond(shares: Shares, tolerance: number): number {
  const { min, max } = shares;
  const share = Math.min(min > 0 ? min : 1, max < 1 ? 1 - max : 1);
  let size = Math.floor(tolerance / share) + 1;
  if (size > largestExactSize) return Math.min(size, Number.MAX_SAFE_INTEGER);
  // The quotient is rounded: the comparison that judges has the last word.
  while (size > 1 && !isSwallowed(shares, size - 1, tolerance)) size--;
  while (isSwallowed(shares, size, tolerance)) size++;
  return size;
}
