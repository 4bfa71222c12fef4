import type { ClusterResult } from "../algorithms/types.js";
import type { NearestRequest } from "../errors.js";
import type { DescribedColumn, Predictor } from "../table/index.js";

/** What the explore page asks, and what it is answered: by a worker in its own tab, or by a server on the same machine. */
export type PageQuestion =
  | { readonly kind: "open"; readonly source: PageSource }
  | { readonly kind: "check"; readonly roles: ColumnRoles; readonly request: PageRequest }
  | { readonly kind: "cluster"; readonly roles: ColumnRoles; readonly request: PageRequest }
  | { readonly kind: "moved" }
  | {
      readonly kind: "sweep";
      readonly roles: ColumnRoles;
      readonly request: PageRequest;
      readonly along: "delta" | "k";
    }
  | { readonly kind: "file"; readonly name: SavedFile };

/** Each answer belongs to the question of its name. */
export interface PageAnswers {
  readonly open: TableView;
  readonly check: CheckView;
  readonly cluster: ClusterView;
  readonly moved: MovedView;
  readonly sweep: SectionsView;
  readonly file: FileView;
}

/** Where people come from: bytes of a file that was dropped, a path or query of the server's machine, or invented people. */
export type PageSource =
  | { readonly kind: "file"; readonly name: string; readonly bytes: Uint8Array }
  | {
      readonly kind: "place";
      readonly place: string /** What it is called, where its place says nothing. */;
      readonly shown?: string;
    }
  | { readonly kind: "sample" };

export type ColumnRole = "feature" | "category" | "protected" | "id" | "left out";
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

export interface ColumnView extends DescribedColumn {
  /** People in each of a few equal ranges of a number, from its least to its largest value. */
  readonly histogram?: { readonly counts: readonly number[]; readonly from: number; readonly to: number };
  /** The part that it would play here. */
  readonly proposed: ColumnRole;
}

export interface TableView {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly ColumnView[];
  readonly predictors: readonly Predictor[];
  readonly warnings: readonly string[];
  /** Rows with missing values would have to be left out. */
  readonly dropMissing: boolean;
}

/** Whether a request can be met, and how large groups are among those who would be clustered. */
export interface CheckView {
  readonly people: number;
  /** False: proven to be infeasible, or not to be asked for. */
  readonly feasible: boolean;
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

export interface ClusterView extends SectionsView {
  readonly result: ClusterResult;
  readonly map: MapView;
  /** The command line, and the program, that repeat it. */
  readonly command: string;
  readonly program: string;
}

/** Where people are on the two directions of largest variance, from 0 to 1 in both. */
export interface MapView {
  /** x and y of each person who is drawn. */
  readonly points: Float32Array;
  readonly clusters: Uint16Array;
  /** Of all people, where not all of them are drawn. */
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

export type SavedFile = "labels" | "model" | "report";
export interface FileView {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

export interface PageProgress {
  readonly phase: string;
  /** 0 to 1, as far as it can be told. */
  readonly part: number;
}
