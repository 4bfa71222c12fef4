import type { Origin } from "../table/origin.js";
import type { PrivacyStatement } from "./dp-fair/statement.js";
import type { Knee } from "./knee.js";
import type { ClusterOptions, ClusterResult, PeopleClustering } from "./types.js";

/** Options whose values a sweep varies, or that are for one run. */
type SweepLess =
  | ("k" | "delta" | "balance" | "from" | "seats" | "capacity" | "present" | "onProgress")
  | ("notion" | "represent" | "inClusters" | "factor");

export interface SweepOptions extends Omit<ClusterOptions, SweepLess> {
  /** Numbers of clusters, in any order. */
  readonly k: readonly number[];
  /** Deltas, in any order; default 0.2 alone. Only where something is protected. */
  readonly delta?: readonly number[];
  /** Degrees of evenness, in any order, or one of them. */
  readonly balance?: Balance | readonly Balance[];
  /** Told before each value. */
  readonly onValue?: (value: SweepValue & { readonly done: number }) => void;
}

export type Balance = NonNullable<ClusterOptions["balance"]>;

/** One value of k, balance and delta. What is not feasible says why, and has no figures. */
export type SweepPoint = FeasiblePoint | InfeasiblePoint;

export interface SweepValue {
  readonly k: number;
  /** What was asked for as `balance`; null when nothing was. */
  readonly eta: Balance | null;
  /** Null when nothing is protected. */
  readonly delta: number | null;
}

/** What was asked for, in words. */
export function placeOf({ k, eta, delta }: SweepValue): string {
  return `k ${k}${eta === null ? "" : `, balance ${eta}`}${delta === null ? "" : `, delta ${delta}`}`;
}

export interface InfeasiblePoint extends SweepValue {
  readonly feasible: false;
  readonly reason: string;
}

type PointFacts = "sse" | "fair" | "verdict" | "maxViolation" | "sizes" | "evenness" | "iterations" | "converged";

export interface FeasiblePoint extends SweepValue, Pick<ClusterResult, PointFacts> {
  readonly feasible: true;
  /** The least SSE found without any promise, at any value of this k; null when nothing was promised. */
  readonly unconstrainedSse: number | null;
  /** With `distance: "manhattan"`, as in a result: `unconstrainedSse` is then null. */
  readonly distance?: "manhattan";
  readonly cost?: number;
  readonly unconstrainedCost?: number | null;
  /** How much more than that, as a fraction: 0.068 is 6.8% more. */
  readonly price: number | null;
  /** The smallest size that was asked for here: "meaningful", the default of fair runs, is another one at every value. */
  readonly minSize: number;
  /** The smallest balance of any cluster; null when nothing is protected. */
  readonly balance: number | null;
  /** Where no bound is promised but balance is sought: how well the clusters hold together all the same. */
  readonly silhouette?: number | null;
  readonly daviesBouldin?: number | null;
  /** What was best: a fresh start, a start from the value before, or the very clusters of a smaller delta. */
  readonly start: "fresh" | "warm" | "tighter";
}

export interface SweepKnee extends Knee {
  /** The curve along delta at one k and balance, or along k at one balance and delta. */
  readonly along: "delta" | "k";
  readonly k: number | null;
  readonly eta: Balance | null;
  readonly delta: number | null;
}

type SweepFacts = "algorithm" | "version" | "seed" | "n" | "d" | "tolerance" | "warnings";

/** What `moiety sweep --json` prints; fields may be added, none will be renamed. */
export interface SweepResult extends Origin, Pick<ClusterResult, SweepFacts> {
  /** By k, then by balance (hard first), then by delta, all rising. */
  readonly points: readonly SweepPoint[];
  readonly knees: readonly SweepKnee[];
  readonly seconds: { readonly read: number; readonly total: number };
  /** Private algorithms only: what all points together promise, with the counts of the largest k. */
  readonly privacy?: PrivacyStatement;
}

export interface PeopleSweep {
  readonly result: SweepResult;
  /** The clustering of each point, in their order; null where it is not feasible. */
  readonly clusterings: readonly (PeopleClustering | null)[];
}
