import type { ClusterResult } from "../algorithms/types.js";
import type { NearestRequest } from "../errors.js";
import type { Fairness } from "../learning/tally.js";
import type { Language } from "../report/language.js";
import type { DescribedColumn, Predictor } from "../table/index.js";

/** What the explore page asks, and what it is answered: by a worker in its own tab, or by a server on the same machine. */
export type PageQuestion =
  | {
      readonly kind: "open";
      readonly source: PageSource /** That reports are to be in: the page's own. */;
      readonly language?: Language;
    }
  | { readonly kind: "proxies"; readonly roles: ColumnRoles }
  | ({
      readonly kind: "check" /** Only what can be told in milliseconds, and no advice. */;
      readonly quick?: boolean;
    } & Asking)
  | ({ readonly kind: "cluster" } & Asking)
  | { readonly kind: "moved" }
  | ({ readonly kind: "sweep"; readonly along: "delta" | "k" } & Asking)
  | ({ readonly kind: "newcomers" } & NewcomersRequest)
  | ({ readonly kind: "budget" } & Asking & PrivateRequest)
  | ({
      readonly kind: "private" /** Epsilon as it was typed once more: without it nothing is spent. */;
      readonly confirmed: string;
    } & Asking &
      PrivateRequest)
  | ({ readonly kind: "train"; readonly roles: ColumnRoles } & ClassifierRequest)
  | ({ readonly kind: "file" } & SavedFile);

/** Each answer belongs to the question of its name. */
export interface PageAnswers {
  readonly open: TableView;
  readonly proxies: readonly Predictor[];
  readonly check: CheckView;
  readonly cluster: ClusterView;
  readonly moved: MovedView;
  readonly sweep: TradeOffView;
  readonly newcomers: RepeatedView;
  readonly budget: BudgetOutlook;
  readonly private: RepeatedView;
  readonly train: RepeatedView;
  readonly file: FileView;
}

/** What columns and solver are asked for. */
export interface Asking {
  readonly roles: ColumnRoles;
  readonly request: PageRequest;
}

/** Where people come from: a file that was dropped, a path or query of the server's machine, or invented people. */
export type PageSource =
  | { readonly kind: "file"; readonly name: string; readonly content: Blob }
  | {
      readonly kind: "place";
      readonly place: string /** What it is called, where its place says nothing. */;
      readonly shown?: string;
    }
  | { readonly kind: "sample" };

export type ColumnRole = "feature" | "category" | "protected" | "id" | "weight" | "left out";
/** The part that each column plays, by its name. */
export type ColumnRoles = Readonly<Record<string, ColumnRole>>;

/** What is asked of the solver. What is undefined has the default of `moiety cluster`. */
export interface PageRequest {
  readonly k: number;
  readonly delta: number;
  readonly tolerance: number;
  readonly seed: number;
  /** Even sizes: a weight of the SSE above 0 and up to 1, or sizes that differ by one at most. */
  readonly balance?: number | "hard";
  readonly minSize?: number;
  readonly maxSize?: number;
  /** Rows with missing values are left out, rather than refused. */
  readonly dropMissing: boolean;
}

/** Other people, and whether they join the clusters within their bounds or go to the nearest centre. */
export interface NewcomersRequest {
  readonly source: PageSource;
  readonly how: "within" | "together" | "nearest";
  /** How many people a group may be beyond its bounds; default: as the clusters were asked for. */
  readonly tolerance?: number;
}

export interface PrivateRequest {
  readonly epsilon: number;
  /** Whose budget is spent, where the source has no place of its own. */
  readonly dataset: string;
}

export interface ClassifierRequest {
  /** The column to learn, and which of its values is a yes; without one, the last of two, or every value is a class. */
  readonly label: string;
  readonly positive?: string;
  /** One protected column. */
  readonly protect: string;
  readonly fairness: Fairness;
  readonly seed: number;
  readonly dropMissing: boolean;
}

export interface ColumnView extends DescribedColumn {
  /** People in each of a few equal ranges of a number, from its least to its largest value. */
  readonly histogram?: { readonly counts: readonly number[]; readonly from: number; readonly to: number };
  /** The part that it would play here. */
  readonly proposed: ColumnRole;
  /** It looks like an id, or like numbers that cannot be read as such. */
  readonly doubt?: "id" | "numbers";
}

export interface TableView {
  readonly name: string;
  /** Where it lies, where that names it for others too: its budget is kept by that. */
  readonly place?: string;
  /** It was read out of an engine, where rows have no numbers of their own. */
  readonly inEngine: boolean;
  /** Its address has a password or a token, which is not shown. */
  readonly hasSecret: boolean;
  readonly rows: number;
  readonly columns: readonly ColumnView[];
  readonly warnings: readonly string[];
  /** Rows with missing values would have to be left out. */
  readonly dropMissing: boolean;
}

/** Whether a request can be met, and how large groups are among those who would be clustered. */
export interface CheckView {
  readonly people: number;
  /** What everybody counts for: with weights something else than the number of people. */
  readonly total: number;
  /** False: proven to be infeasible, or not to be asked for. */
  readonly feasible: boolean | "undecided";
  /** Why not, in one line, and what could be asked for instead. */
  readonly why?: string;
  readonly nearest: readonly NearestRequest[];
  readonly groups: readonly { readonly attribute: string; readonly group: string; readonly people: number }[];
}

/** A part of a report, as markup that was made by it. */
interface SectionView {
  readonly id: string;
  readonly link: string;
  readonly markup: string;
}

export interface SectionsView {
  readonly opening: string;
  readonly sections: readonly SectionView[];
}

/** Parts of a report, and what makes it again. */
export interface RepeatedView extends SectionsView {
  readonly command: string;
  /** Absent where noise is drawn anew each time. */
  readonly program?: string;
}

export interface ClusterView extends RepeatedView {
  readonly result: ClusterResult;
  readonly map: MapView;
  readonly program: string;
}

/** What values of one option cost, and which of them can be asked for. */
export interface TradeOffView extends SectionsView {
  readonly values: readonly {
    /** What points of plots know it by. */
    readonly place: string;
    readonly k: number;
    readonly delta: number | null;
    readonly feasible: boolean;
    /** How much more than without promises, as a fraction. */
    readonly price: number | null;
    readonly sse: number | null;
  }[];
}

/** Where people are on the two directions of largest variance, from 0 to 1 in both. */
export type MapView = PointMap | DensityMap;

/** Everybody as a point. */
export interface PointMap {
  readonly kind: "points";
  /** x and y of each person. */
  readonly points: Float32Array;
  readonly clusters: Uint16Array;
  readonly people: number;
}

/** Everybody, counted in small squares: how many people of which cluster are in which square, by row from the bottom. */
export interface DensityMap {
  readonly kind: "density";
  readonly width: number;
  readonly height: number;
  readonly squares: Uint32Array;
  readonly clusters: Uint16Array;
  readonly counts: Uint32Array;
  readonly people: number;
}

/** Who is in another cluster than without promises. */
export interface MovedView {
  readonly people: number;
  /** From each cluster (rows) to each (columns); people who stayed are on the diagonal. */
  readonly flows: readonly (readonly number[])[];
  readonly groups: readonly {
    readonly attribute: string;
    readonly group: string;
    readonly people: number;
    readonly moved: number;
    /** Mean squared distance to the centre of the own cluster, with and without promises. */
    readonly cost: number;
    readonly costWithout: number;
  }[];
  readonly map: MapView;
}

/** What a private run would cost and bring, before anything is spent. Epsilons are at `delta`. */
export interface BudgetOutlook {
  readonly dataset: string;
  readonly budget: number | null;
  readonly delta: number;
  readonly spent: number;
  readonly spentAfter: number;
  readonly releases: number;
  /** Why it cannot be afforded, where it cannot. */
  readonly refused?: string;
  /** How far a group's count in a cluster of the usual size is off, for 95 of 100 counts. */
  readonly countError: number;
  readonly clusterSize: number;
  /** Protected columns that a private run cannot look at. */
  readonly without: readonly string[];
}

/** Which file, and of which run: `csv` and `parquet` are labels. */
export interface SavedFile {
  readonly of: "clusters" | "newcomers" | "private" | "classifier";
  readonly format: "csv" | "parquet" | "model" | "report";
  /** With labels: the source's columns beside them. */
  readonly withColumns?: boolean;
}

export interface FileView {
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array;
}

export interface PageProgress {
  readonly phase: string;
  /** 0 to 1, as far as it can be told. */
  readonly part: number;
}
