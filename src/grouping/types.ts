import type { ExplicitBounds } from "../constraints/bounds.js";
import type { FairnessMeasures } from "../metrics/index.js";
import type { Origin } from "../table/origin.js";

export interface TeamOptions {
  /** People in each team: as many teams as come nearest to it, whose sizes differ by at most one. */
  readonly size?: number;
  /** The number of teams; their sizes differ by at most one. */
  readonly teams?: number;
  /** The fewest and the most people of each team. */
  readonly capacity?: readonly { readonly min?: number; readonly max?: number }[];
  /** What is to be alike: the means of each column, or its spread inside the teams too. Default spread. */
  readonly alike?: "means" | "spread";
  /** Bounds from the data: lower = share (1 - delta), upper = share / (1 - delta). Default 0.2. */
  readonly delta?: number;
  /** Explicit bounds by attribute and group; they replace those from delta for the attributes that they name. */
  readonly bounds?: ExplicitBounds;
  /** People beyond the bounds that are allowed in each group and team. Default 1. */
  readonly tolerance?: number;
  /** Default 1. */
  readonly seed?: number;
  readonly onProgress?: (progress: TeamProgress) => void;
  /** Milliseconds, for the result's seconds; without one they are 0. */
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
}

export interface TeamProgress {
  /** Finding teams that keep the promises, then making them alike. */
  readonly phase: "promises" | "exchanges";
  /** The part of the work that is allowed, from 0 to 1. */
  readonly done: number;
  /** People beyond the promises, in the first phase; how far teams are apart as a part of random teams' in the second. */
  readonly value: number;
}

/** How alike the teams are in one dimension. */
export interface AlikeDimension {
  /** A column, or a category of one: job=clerk. */
  readonly name: string;
  /** Of everybody, in the column's own unit; a category has its share of the people. */
  readonly mean: number;
  readonly deviation: number;
  /** The lowest and the highest mean of a team, or share of a category in a team. */
  readonly lowest: number;
  readonly highest: number;
  /** Root mean square of the teams' means around that of everybody, by people, in deviations of the column. */
  readonly spread: number;
  /** The same of the squared distances from everybody's mean, which say how mixed each team is inside; null where it says no more. */
  readonly inside: number | null;
}

/** As `moiety group --json` prints it. */
export interface TeamResult extends Origin, FairnessMeasures {
  readonly version: string;
  readonly seed: number;
  readonly n: number;
  readonly d: number;
  /** The number of teams. */
  readonly k: number;
  readonly alike: "means" | "spread";
  /** Sum over teams of people times the squared distance of their mean from everybody's: what was minimised. */
  readonly objective: number;
  /** The same in random teams of these sizes, on average over all of them. */
  readonly randomObjective: number;
  readonly dimensions: readonly AlikeDimension[];
  /** `spread` of every dimension in random teams of these sizes. */
  readonly randomSpread: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly sizesKept: boolean;
  /** People who have to share a team with others, and people who must be apart from others; null where nobody asked. */
  readonly links: { readonly together: number; readonly apart: number } | null;
  /** Exchanges that were made, and those that were tried. */
  readonly exchanges: number;
  readonly tried: number;
  /** Whether no exchange of two that was looked at last would make the teams more alike. */
  readonly converged: boolean;
  readonly seconds: { readonly read: number; readonly solve: number; readonly total: number };
  readonly warnings: readonly string[];
}

export interface Teams {
  /** The team of each person, 0 to k-1. */
  readonly labels: Uint16Array;
  readonly result: TeamResult;
}
