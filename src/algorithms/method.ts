import type { NotionName } from "../metrics/index.js";
import type { MixtureSite, MixtureTerms } from "../parties/mixture-site.js";
import type { Group, Question } from "../parties/questions.js";
import type { Sharing } from "../privacy/noise/noise-shares.js";
import type { Attribute } from "../table/types.js";
import type { PrivacyOptions } from "./dp-fair/privacy-options.js";
import type { Comparison, PrivacyCosts, ReleasedCounts } from "./dp-fair/statement.js";
import type { RowMethod } from "./row-start.js";
import type { Settings } from "./settings.js";
import type { ColumnAlgorithm } from "./start.js";
import type { ClusterOptions, Progress } from "./types.js";
import type { WholeAlgorithm } from "./whole-start.js";

/** What a clusterer can do: all that settings, job cards, sweeps, the command line, reports and docs know about it. */
export interface ClusterMethod<Name extends string = string> {
  readonly name: Name;
  /** One line. */
  readonly summary: string;
  readonly paper: string;
  /** The need for which it is the default, see `needOf`. */
  readonly defaultFor?: Need;
  /** Whether it works on parties that hold columns, or rows. */
  readonly columns?: ColumnSupport;
  readonly rows?: RowSupport;
  /** It works on everybody in one place, and on no parties. */
  readonly whole?: WholeSupport;
  /** The notion of fairness that it keeps, where that is not bounds of shares. */
  readonly notion?: Exclude<NotionName, "shares">;
  /** It also works on people who are only scanned: it descends on a sample and then looks at everybody. */
  readonly scanned?: true;
  /** The limits that it keeps; where it cannot, the result says so. What it does not promise is only measured. */
  readonly promises: { readonly groups: boolean; readonly sizes: boolean };
  /** Whether people may have weights, belong together or be kept apart; or weights only. */
  readonly links?: true | "weights";
  /** It refuses people without protected attributes. */
  readonly needsGroups?: true;
  /** The phases of its progress, in order: "fair" only where groups are protected, "even" only where sizes are to be even. */
  readonly phases: readonly Progress["phase"][];
  /** Its own options: those that not every method has. */
  readonly options: { readonly [Option in MethodOption]?: MethodOptionFacts };
  /** Why these options cannot be combined; undefined when they can. */
  readonly objection?: (options: ClusterOptions) => string | undefined;
  /** Defaults that depend on its other options. */
  readonly defaults?: (options: ClusterOptions) => Pick<ClusterOptions, "block">;
  readonly privacy?: PrivateMethod;
}

/** What decides the default method: another notion than shares, protected groups, even sizes, or none of these with rows or columns split. */
export type Need = "social" | "individual" | "groups" | "balance" | "rows" | "columns";

/** The options that some methods have and others do not. */
export const ownOptions = [
  "minSize",
  "maxSize",
  "capacity",
  "seats",
  "balance",
  "distance",
  "solver",
  "rule",
  "bareSeeds",
  "localClusters",
  "epsilon",
  "private",
  "deltaDp",
  "components",
  "epsilonLabel",
  "balanceTarget",
  "lambda",
  "minCellShare",
  "refine",
  "labelling",
] as const satisfies readonly (keyof ClusterOptions)[];
export type MethodOption = (typeof ownOptions)[number];

interface MethodOptionFacts {
  /** The values that it may have. */
  readonly values?: readonly string[];
  /** Its default. */
  readonly default?: number | string;
  /** One line for the help, where its meaning is special to this method. */
  readonly help?: string;
}

interface ColumnSupport {
  readonly load: () => Promise<ColumnAlgorithm>;
  /** Whether it may run at several sites. */
  readonly federated: boolean;
}

interface WholeSupport {
  readonly load: () => Promise<WholeAlgorithm>;
  /** Why its people cannot be split over parties. */
  readonly why: string;
}

export interface RowSupport {
  /** Absent where every run is private. */
  readonly load?: () => Promise<RowMethod>;
  readonly federated: boolean;
  /** The default of `minCount`: a party discloses nothing about fewer people. */
  readonly minCount: number;
  /** Small counts are protected by noise instead. */
  readonly countsAreNoisy?: true;
  /** The values of `protection` that it has, the default first. */
  readonly protections: readonly Settings["protection"][];
}

/** How a method adds noise. */
export interface PrivateMethod {
  /** Whether every run is private, and needs an epsilon; else only runs that are given one. */
  readonly always: boolean;
  /** Whom it can make its promise about; the first is the default. */
  readonly about: readonly NonNullable<ClusterOptions["private"]>[];
  /** It may also run at sites that hold columns; then its promise is about protected attributes alone, and its cells have so many people at least. */
  readonly overColumns?: { readonly minSize: number };
  /** Whether one fit and one draw of noise serve every k of a sweep. */
  readonly sharesFit: boolean;
  /** What it seeks, for reports. */
  readonly seeks: string;
  readonly plan: () => Promise<PrivatePlanner>;
}

/**
 * Plans a private run from what is known before anybody's data are looked at. In a federation every site computes the plan
 * from the job's card. Throws "usage" on options that make no sense together, saying what would fit.
 */
export type PrivatePlanner = (
  people: PlannedPeople,
  ks: readonly number[],
  options: PrivacyOptions,
  sharing: Sharing,
) => PrivatePlan;

/** What a plan depends on. How many people there are decides nothing where that is private. */
export interface PlannedPeople {
  readonly n: number;
  readonly dimensions: { readonly length: number };
  /** How many columns these are of: a category is several dimensions, and everybody is in one of them, see `columnsIn`. Default: as many as dimensions. */
  readonly columns?: number;
  readonly attributes: readonly Pick<Attribute, "name" | "groups">[];
  readonly publicBounds?: true;
  /** They are at sites of a federation, and what leaves these is seen by its coordinator. */
  readonly atSites?: true;
  /** Several hold their columns: everybody there knows who is among them. */
  readonly split?: "columns";
}

/** What a private run will do, and what that costs. */
export interface PrivatePlan {
  readonly costs: PrivacyCosts;
  /** Whether distances count: then all features are scaled alike where no bounds are given. */
  readonly keepsDistances: boolean;
  /** What a site may be asked, and the noise of each answer. */
  readonly terms: MixtureTerms;
  readonly questions: readonly Question<MixtureSite, unknown>[];
  /** Gaussians of the mixture that is fitted. */
  readonly components: number;
  /** Warnings where noise is large against so few people. */
  readonly doubts: readonly string[];
  readonly solve: (problem: PrivateProblem) => Promise<PrivateSolution>;
  /** Over split columns where everything is private: the whole run, from noisy sums. */
  readonly solveColumns?: (columns: NoisyColumns, problem: Omit<PrivateProblem, "group">) => Promise<PrivateSolution>;
  /** Over split columns where features are not private: clusters, for the first k, of cells that the parties have found, from counts of groups in them as `terms.census` has them. */
  readonly divide?: (cells: JointCells, counts: Float64Array, seed: number) => PrivateClusters;
}

/** What a planned run works with, wherever the rows are. */
export interface PrivateProblem {
  readonly group: Group<MixtureSite>;
  readonly seed: number;
  readonly maxIterations: number;
  /** How long a length of 1 among the cells is among the people. Default 1. */
  readonly unit?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * People whose columns several hold, and what these may be asked together: as often as the plan says, each time with its noise. Centres
 * are on the private grid, [cells][columns]; a person is in the cell of the nearest one, of the first among equals.
 */
export interface NoisyColumns {
  /** The next round: counts and sums of the people of each cell, [cells][1 + columns]. */
  sums(centres: Float64Array, round: number): Promise<Float64Array>;
  /** Groups in cells, once, as `terms.census` has them. */
  census(centres: Float64Array): Promise<Float64Array>;
}

/** Cells of people whose columns several parties hold: all that these know of them together. */
export interface JointCells {
  /** People of each cell. */
  readonly sizes: Float64Array;
  /** [cells][cells]: squared distances between the means of the cells' people, over all columns. */
  readonly spacing: Float64Array;
}

export interface PrivateClusters {
  readonly clusters: Uint16Array;
  readonly released: ReleasedCounts;
  /** The least balance of any cluster by the noisy counts, less a margin; null where none is aimed at. */
  readonly noisyBalance: number | null;
  /** What the noisy counts say about the request. */
  readonly warnings: readonly string[];
}

export interface PrivateSolution {
  /** [cells][dims], in [-1, 1]: a person is in the cell of the nearest centre. */
  readonly centres: Float64Array;
  /** Where the highest of these decides instead: [cells][terms], log densities as linear functions of 1, x and its products. */
  readonly densities?: Float64Array;
  /** For each k in the order of the request: the cluster of each cell, and the noisy counts of the clusters. */
  readonly clusterings: readonly PrivateClusters[];
  readonly rounds: number;
  readonly converged: boolean;
  /** The same cells at other epsilons, where all rows are in one process. */
  readonly compare?: (
    groupUnder: (terms: MixtureTerms) => Group<MixtureSite>,
    leastBalance: (clusters: Uint16Array, k: number) => number,
  ) => Promise<Comparison[]>;
}
