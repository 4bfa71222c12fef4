import type { MixtureSite, MixtureTerms } from "../parties/mixture-site.js";
import type { Question } from "../parties/questions.js";
import type { Sharing } from "../privacy/noise/noise-shares.js";
import type { People } from "../table/types.js";
import type { PrivacyOptions } from "./dp-fair/privacy-options.js";
import type { Planned, PrivacyPlan } from "./dp-fair/privacy-plan.js";
import type { PrivateProblem } from "./dp-fair/solve-privately.js";
import type { PrivacyStatement, ReleasedCounts } from "./dp-fair/statement.js";
import type { RowMethod } from "./row-start.js";
import type { Settings } from "./settings.js";
import type { ColumnAlgorithm } from "./start.js";
import type { ClusterOptions, PeopleClustering, Progress } from "./types.js";

/**
 * What a clusterer can do. Settings, job cards, sweeps, the command line, reports and docs know of a method what stands
 * here, and nothing else.
 */
export interface ClusterMethod<Name extends string = string> {
  readonly name: Name;
  /** One line. */
  readonly summary: string;
  readonly paper: string;
  /** When nobody names an algorithm: the first of these needs that a request has decides. */
  readonly defaultFor?: Need;
  /** What it works on: parties that hold columns, parties that hold rows. */
  readonly columns?: ColumnSupport;
  readonly rows?: RowSupport;
  /** The limits that it keeps, or says that it could not. What it does not promise is measured. */
  readonly promises: { readonly groups: boolean; readonly sizes: boolean };
  /** Without protected attributes it has nothing to do. */
  readonly needsGroups?: true;
  /** What its progress reports name, in order: "fair" where groups are protected, "even" where sizes are to be even. */
  readonly phases: readonly Progress["phase"][];
  /** Which of the options that not every method has. */
  readonly options: { readonly [Option in MethodOption]?: MethodOptionFacts };
  /** Why these options do not go together; undefined when they do. */
  readonly objection?: (options: ClusterOptions) => string | undefined;
  /** Defaults that depend on its other options. */
  readonly defaults?: (options: ClusterOptions) => Pick<ClusterOptions, "block">;
  readonly privacy?: PrivateMethod;
}

/** Protected groups, even sizes, or neither with rows or columns split. */
export type Need = "groups" | "balance" | "rows" | "columns";

/** The options that some methods have and others do not. */
export const ownOptions = [
  "minSize",
  "maxSize",
  "balance",
  "solver",
  "rule",
  "bareSeeds",
  "epsilon",
  "private",
  "deltaDp",
  "components",
  "epsilonLabel",
  "lambda",
  "minCellShare",
  "refine",
] as const satisfies readonly (keyof ClusterOptions)[];
export type MethodOption = (typeof ownOptions)[number];

interface MethodOptionFacts {
  /** The values that it may have. */
  readonly values?: readonly string[];
  /** What it is when it is not given. */
  readonly usual?: number | string;
  /** One line for the help, where it means something in this method that it does not mean elsewhere. */
  readonly help?: string;
}

interface ColumnSupport {
  readonly load: () => Promise<ColumnAlgorithm>;
  /** Whether it may run at several sites. */
  readonly federated: boolean;
}

export interface RowSupport {
  /** Absent where every run is private. */
  readonly load?: () => Promise<RowMethod>;
  readonly federated: boolean;
  /** A party tells nothing of fewer people, unless it is told otherwise. */
  readonly minCount: number;
  /** Whether noise takes the place of that limit. */
  readonly countsAreNoisy?: true;
  /** How its start may be protected, the default first: by sums over all parties, or not, from each party's own means. */
  readonly protections: readonly Settings["protection"][];
}

/** How a method adds noise. */
export interface PrivateMethod {
  /** Whether every run does, and needs an epsilon; else those that are given one. */
  readonly always: boolean;
  /** Whom it can make its promise about; the first is the default. */
  readonly about: readonly NonNullable<ClusterOptions["private"]>[];
  /** Whether one fit and one draw of noise serve every k of a sweep. */
  readonly sharesFit: boolean;
  /** What it seeks, for reports. */
  readonly seeks: string;
  readonly load: () => Promise<PrivateAlgorithm>;
  /** At several sites. */
  readonly plan: () => Promise<PrivatePlanner>;
}

/** What a private job will do and what that costs: every site works it out from the job's card by itself. */
export type PrivatePlanner = (people: Planned, k: number, options: PrivacyOptions, sharing: Sharing) => FederatedPlan;

export interface FederatedPlan {
  readonly costs: Pick<PrivacyPlan, "mode" | "parts" | "loss" | "delta"> & Pick<PrivacyStatement, "lambda">;
  /** What a site may be asked, and the noise of each answer. */
  readonly terms: MixtureTerms;
  readonly questions: readonly Question<MixtureSite, unknown>[];
  solve(problem: Omit<PrivateProblem, "people" | "ks" | "plan">): Promise<PrivateClusters>;
}

interface PrivateClusters {
  readonly centres: Float64Array;
  /** The cluster of each centre's cell. */
  readonly clusters: ArrayLike<number>;
  readonly released: ReleasedCounts;
  readonly rounds: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
}

/** A clustering for each k. */
export type PrivateAlgorithm = (
  people: People,
  ks: readonly number[],
  settings: Settings,
  options: ClusterOptions,
) => Promise<PeopleClustering[]>;
