import type { ExplicitBounds } from "../../constraints/bounds.js";

export interface LotteryOptions {
  /** Members of the panel. */
  readonly seats: number;
  /**
   * The fewest and the most members of each group, by attribute and group: whole numbers are people, numbers between 0 and 1 are shares of
   * the seats. Groups that are left out are free.
   */
  readonly quotas: ExplicitBounds;
  /** Draws the panel by a seed that anybody can repeat, instead of by `chance`. */
  readonly seed?: number;
  /** Numbers from 0 to below 1 that nobody can foresee. The library and the command line take the operating system's. */
  readonly chance?: () => number;
  readonly onProgress?: (progress: LotteryProgress) => void;
  /** Milliseconds, for the result's seconds; without one they are 0. */
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
}

export interface LotteryProgress {
  /** Chances that are settled, of all kinds of people; then panels that have been found. */
  readonly phase: "chances" | "panels";
  readonly done: number;
  readonly of: number;
}

/** One group's quota, and what became of it. */
export interface QuotaResult {
  readonly min: number;
  readonly max: number;
  /** Among the volunteers, and among those who were drawn. */
  readonly pool: number;
  readonly drawn: number;
  /** The mean chance of its members. */
  readonly chance: number;
}

/** As `moiety group --lottery --json` prints it. */
export interface LotteryResult {
  readonly version: string;
  readonly n: number;
  readonly seats: number;
  /** What everybody's chance would be without quotas. */
  readonly equalChance: number;
  readonly leastChance: number;
  readonly greatestChance: number;
  /** No lottery that keeps the quotas gives everybody a larger chance than this: certified by `certificate`. */
  readonly bound: number;
  /** Weights of kinds of people, which sum to 1: in no panel that keeps the quotas is the weighted mean of their parts above `bound`. */
  readonly certificate: readonly {
    readonly groups: Readonly<Record<string, string>>;
    readonly people: number;
    readonly weight: number;
  }[];
  /** Whether, after the least chance, the next least is as large as it can be too, and so on; false where the work that is allowed ended first. */
  readonly leximin: boolean;
  /** People who can be in no panel that keeps the quotas. */
  readonly withoutChance: number;
  /** Kinds of people: those of one kind are alike in all quotas, and have the same chance. */
  readonly kinds: number;
  /** Panels, by numbers of each kind, among which one is drawn. */
  readonly panels: number;
  /** Where the draw comes from: a seed, or the operating system's randomness, which nobody can repeat. */
  readonly drawnBy: { readonly seed: number } | "operating system";
  /** attribute -> group */
  readonly quotas: Readonly<Record<string, Readonly<Record<string, QuotaResult>>>>;
  readonly seconds: { readonly read: number; readonly solve: number; readonly total: number };
  readonly warnings: readonly string[];
}

export interface Lottery {
  /** Who was drawn: people's numbers, ascending. */
  readonly panel: Uint32Array;
  /** Everybody's chance of being drawn. */
  readonly chances: Float64Array;
  readonly result: LotteryResult;
}
