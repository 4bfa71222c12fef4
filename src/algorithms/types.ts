import type { ExplicitBounds } from "../constraints/bounds.js";
import type { Judgement, NotionMeasures, NotionName } from "../metrics/index.js";
import type { SearchEffort } from "../solver/tuning.js";
import type { DistanceName } from "../table/distance.js";
import type { Origin } from "../table/origin.js";
import type { Encoding } from "../table/types.js";
import type { PrivacyOptions } from "./dp-fair/privacy-options.js";
import type { PrivacyStatement } from "./dp-fair/statement.js";
import type { clusterMethods } from "./methods.js";

export type AlgorithmName = (typeof clusterMethods)[number]["name"];

export interface ClusterOptions extends PrivacyOptions {
  readonly k: number;
  /** Default: f3km when something is protected, teb with a balance, else lloyd, or fkm-plus where rows are split. */
  readonly algorithm?: AlgorithmName;
  /**
   * What fair is to mean. "shares" (default): every group's share of every cluster is within bounds. "social": the worst-off group's
   * mean cost is as low as is found. "representation": every group has the share `represent` in at least `inClusters` clusters.
   * "individual": everybody's nearest centre is within `factor` times the distance to their n/k-th neighbour.
   */
  readonly notion?: NotionName;
  /** With the notion of representation: the least share. */
  readonly represent?: number;
  /** And in how many clusters. Default 1. */
  readonly inClusters?: number;
  /** With the individual notion: default 2, which can always be kept. */
  readonly factor?: number;
  /** Bounds from the data: lower = share (1 - delta), upper = share / (1 - delta). Default 0.2. */
  readonly delta?: number;
  /** Explicit bounds by attribute and group; they replace those from delta for the attributes that they name. */
  readonly bounds?: ExplicitBounds;
  /** People beyond the bounds that are allowed in each group and cluster. Default 1; 0 with the notion of representation. */
  readonly tolerance?: number;
  /**
   * The smallest cluster. "meaningful" is the size from which every bound means something, given the tolerance. Default:
   * that in fair runs where it is feasible, else 2 (no singletons); 1 where nothing is promised.
   */
  readonly minSize?: number | "meaningful";
  readonly maxSize?: number;
  /**
   * Even sizes. A number above 0 and up to 1 is eta of Teb-means: eta SSE + (1 - eta) balance loss is minimised; "hard"
   * promises sizes that differ by one at most. For teb, for f3km (fair and even at once), and a number for fcfc and bcls.
   * Default 0.8 for fcfc and bcls, and for teb without limits of sizes.
   */
  readonly balance?: number | "hard";
  /** teb only: prices (default), sequential counts inside blocks, or the paper's greedy choice of blocks. */
  readonly rule?: "prices" | "sequential" | "gbco";
  /** f3km only: prices always get there; admm is the paper's own method. Default prices. */
  readonly solver?: "prices" | "admm";
  /**
   * What is added up over columns: squared differences to a cluster's mean (k-means), or absolute ones to its median (k-medians),
   * which far outliers hardly move. Default euclidean.
   */
  readonly distance?: DistanceName;
  readonly init?: "kmeans++" | "random";
  /**
   * How long better centres are looked for before anything is promised: "quick" draws a few times, "normal" relocates
   * centres while that helps, "best" for about ten times as long. Default: quick where groups or sizes are promised anything, else normal.
   * For parties that hold columns.
   */
  readonly effort?: SearchEffort;
  /**
   * k centres in the scaled space to begin from instead of seeding, such as a clustering's `centres`; there is then one
   * start. Lloyd goes on from them; f3km takes them as they are and begins with its fair part.
   */
  readonly from?: readonly Float64Array[];
  /**
   * k centres in the scaled space that stay where they are (schools, clinics, offices), see `encodePlaces`: people go to the nearest as
   * far as bounds and sizes allow. `sse` is then around these centres.
   */
  readonly seats?: readonly Float64Array[];
  /** The fewest and the most people of each cluster, in the order of the clusters or seats; they replace `minSize` and `maxSize`. */
  readonly capacity?: readonly { readonly min?: number; readonly max?: number }[];
  /** Others who are in the clusters already, and count for bounds: by attribute, group and cluster. */
  readonly present?: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  readonly starts?: number;
  readonly maxIterations?: number;
  /**
   * Below 1 a fraction of n, else a number of people: how many are assigned before the centres move. Default 0.25; for
   * teb's rules 8 with gbco and everybody with sequential.
   */
  readonly block?: number;
  readonly seed?: number;
  /** Worker threads; default: as many as there are cores. The result does not depend on it. */
  readonly threads?: number;
  /** In-process parties. A result does not depend on how many hold the columns; see `split`. */
  readonly parties?: number;
  /**
   * What the parties hold: some columns of everybody, or everything of some people, who are then dealt out in stretches,
   * or as `people.holders` says. Default: columns; rows for fkm, fkm-plus and kfed, and where there are holders.
   */
  readonly split?: "columns" | "rows";
  /** Rows split: a party discloses nothing about fewer people. Default 5; 2 for fkm and kfed. */
  readonly minCount?: number;
  /** fkm only, and for reproduction only: the first messages are raw records, as in the paper's figures. */
  readonly bareSeeds?: boolean;
  /** kfed only: how many clusters each party makes of its own people. Default: k. */
  readonly localClusters?: number;
  /**
   * With rows split, for f3km and fkm-plus: "masked" (default) begins from sums over all parties, "means" from each
   * party's own means, which a coordinator then sees.
   */
  readonly protection?: "masked" | "means";
  readonly onProgress?: (progress: Progress) => void;
  /** Milliseconds, for the result's seconds; without one they are 0. */
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
}

export interface Progress {
  /**
   * Placing centres; the whole descent on a sample of many people; the descent; the fair and the even part of it; fitting a
   * mixture.
   */
  readonly phase: "seed" | "sample" | "descent" | "fair" | "even" | "mixture";
  /** 0-based; of how many. */
  readonly start: number;
  readonly starts: number;
  readonly pass: number;
  /** The most passes that this start can take. */
  readonly passes: number;
  /** The SSE, or the sum of distances with `distance: "manhattan"`. NaN while a mixture is fitted, which has no clusters yet. */
  readonly sse: number;
  /** People beyond the bounds, tolerance not counted; 0 when nothing is protected. */
  readonly violation: number;
  /** The part of this phase's work that seems to be done, from 0 to 1; absent from what is kept of a run. */
  readonly part?: number;
}

/** The result contract that scripts rely on; see docs/reference. Extend it, do not break it. */
export interface ClusterResult extends Origin, Judgement {
  readonly algorithm: AlgorithmName;
  readonly version: string;
  readonly seed: number;
  /** Where everybody was: in memory, streamed from a file, or in an engine that scanned. */
  readonly method: "in-memory" | "streamed" | "in-engine";
  readonly n: number;
  readonly d: number;
  readonly k: number;
  /** Where people have weights: `sizes`, shares, bounds, `tolerance` and `sse` are in weight; weights are whole multiples of `unit`. */
  readonly weights?: { readonly column: string; readonly total: number; readonly unit: number };
  /** Where people belong together; those who belong with nobody are households of their own. */
  readonly together?: { readonly column: string; readonly households: number };
  /** Where people are kept apart: no two with the same value share a cluster. */
  readonly apart?: { readonly column: string; readonly values: number };
  /**
   * Where weights or households move as a whole: how many there are, the heaviest, and whether some clustering is known to keep all
   * promises ("witnessed") or that was not decided within the effort. What is proven to be infeasible is refused.
   */
  readonly atoms?: {
    readonly count: number;
    readonly largest: number;
    readonly feasible?: "witnessed" | "undecided";
  };
  /** In the scaled space that was clustered: squared distances to the clusters' means. */
  readonly sse: number;
  /** Absent where distances are Euclidean. */
  readonly distance?: "manhattan";
  /**
   * With `distance: "manhattan"` only: the sum of everybody's distance to the median of their cluster, which is what was minimised; the least
   * that was found without promises; and what it is at a minimum size of 2. `unconstrainedSse` and `sseAtMinSize2` are then null.
   */
  readonly cost?: number;
  readonly unconstrainedCost?: number | null;
  readonly costAtMinSize2?: number | null;
  /**
   * The least SSE that was found without any promise, never above `sse`: the price of fairness is `sse` over this. It is
   * the best of all starts before promises were kept, and of the answer, each improved with all promises dropped. Null
   * when nothing was promised.
   */
  readonly unconstrainedSse: number | null;
  /**
   * How far the cost is above a certified lower bound of every assignment to these centres that keeps the promises, as a part of
   * it: 0.004 is 0.4%. Not of the clustering: other centres may be better. Null where nothing is promised, and where nobody has all of it
   * in one place.
   */
  readonly gap: number | null;
  /** Costs were given instead of distances: `sse` is their sum. */
  readonly givenCosts?: true;
  /** How long better centres were looked for; null where rows were split, and where centres were given. */
  readonly effort: SearchEffort | null;
  readonly iterations: number;
  readonly converged: boolean;
  /** Null when nothing is protected, and with the social notion, which has no threshold. */
  readonly fair: boolean | null;
  /** What `fair` and `verdict` mean and were judged by, where that is not bounds of shares. */
  readonly notion?: NotionMeasures;
  /** People beyond the bounds in the worst group and cluster. */
  readonly maxViolation: number;
  readonly tolerance: number;
  readonly minSize: number;
  /**
   * Where the minimum size comes from: a number was given; it is that from which every bound means something; that was not
   * feasible, so it is 2; or nothing is promised to groups.
   */
  readonly minSizeFrom: "request" | "meaningful" | "fallback" | "default";
  /** The SSE at a minimum size of 2, where the default minimum size was larger: the difference is its cost. Else null. */
  readonly sseAtMinSize2: number | null;
  readonly maxSize: number;
  /** The limits of each cluster's size, where they differ. */
  readonly capacity?: readonly { readonly min: number; readonly max: number }[];
  /** Whether all sizes are within their limits; null when none were asked for. */
  readonly sizesKept: boolean | null;
  /** The weight of the SSE against the balance loss; null when even sizes were not asked for, or were promised. */
  readonly eta: number | null;
  /** eta SSE + (1 - eta) balance loss: what was minimised; null without eta. */
  readonly objective: number | null;
  readonly balance: readonly number[];
  readonly sizes: readonly number[];
  /** attribute -> group -> share in each cluster */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  /**
   * Sizes and shares in the clusters of `unconstrainedSse`, each under the number of a cluster that it has many people in
   * common with. Absent where nothing was promised or is protected, in federations, and beyond 1,000 clusters.
   */
  readonly unconstrainedSizes?: readonly number[];
  readonly unconstrainedGroups?: ClusterResult["groups"];
  /** attribute -> group -> the bounds that were asked for */
  readonly bounds: Readonly<Record<string, Readonly<Record<string, { readonly min: number; readonly max: number }>>>>;
  readonly evenness: { readonly balanceLoss: number; readonly cv: number; readonly entropy: number };
  /** Where rows were split: how many people each party held, and the simplified silhouette, found without moving them. */
  readonly parties?: { readonly sizes: readonly number[]; readonly minCount: number };
  readonly simplifiedSilhouette?: number | null;
  /**
   * Where people were only scanned, not held in memory: how often everybody was looked at, the labels included; how many rounds of decisions about
   * everybody there were, none where the sample was everybody; how many people were sampled; the most who were looked at one by one because their
   * cluster was in doubt; and how many people are not where centres and prices send them. `unconstrainedSse` is then estimated from the sample.
   */
  readonly scanned?: {
    readonly scans: number;
    readonly rounds: number;
    readonly sample: number;
    readonly border: number;
    readonly movers: number;
  };
  readonly communication: { readonly rounds: number; readonly bytesUp: number; readonly bytesDown: number };
  readonly seconds: { readonly read: number; readonly seed: number; readonly solve: number; readonly total: number };
  readonly warnings: readonly string[];
  /** Private algorithms only: what is promised, and which fields may be shown to whom. */
  readonly privacy?: PrivacyStatement;
}

export interface PeopleClustering {
  /** The cluster of each person, 0 to k-1, in people's order. */
  readonly labels: Uint16Array;
  /** k rows of d coordinates in the scaled space: the centres that nearest-centre prediction uses. */
  readonly centres: readonly Float64Array[];
  /** The grid of the exact arithmetic: coordinates are whole multiples of 2^-gridBits. */
  readonly gridBits: number;
  /** Where clusters are made of several cells: their centres in [-1, 1], each one's cluster, and how columns get there. */
  readonly cells?: {
    readonly centres: readonly Float64Array[];
    /** With `labelling: density` the highest log density decides, not the nearest centre: of each cell, over 1, x and its products. */
    readonly densities?: readonly Float64Array[];
    readonly clusters: Uint16Array;
    readonly encodings: readonly Encoding[];
  };
  /** What a person of each group pays in each cluster at the last prices: by attribute, [groups][k], in units of distance. */
  readonly prices?: Readonly<Record<string, readonly (readonly number[])[]>>;
  /** How the start that won came about, pass by pass. */
  readonly history: readonly Progress[];
  readonly result: ClusterResult;
}
