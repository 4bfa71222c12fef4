import type { PeopleFile } from "./people-file.js";

/** What is measured in a process of its own: its memory is then its own too, and no other work has warmed it up. */
export type Task =
  | { readonly kind: "store-people"; readonly path: string; readonly n: number; readonly seed: number }
  | { readonly kind: "store-table"; readonly path: string; readonly n: number; readonly seed: number }
  | {
      readonly kind: "store-census";
      readonly path: string;
      readonly n: number;
      readonly seed: number;
      /** Numbers with all the digits of doubles instead of small whole ones. */
      readonly doubles?: boolean;
    }
  | { readonly kind: "stream"; readonly path: string; readonly threads: number }
  | ({ readonly kind: "from-file"; readonly labels: string; readonly seed: number } & Clustered)
  | ({ readonly kind: "pass"; readonly repeats: number } & Clustered)
  | ({ readonly kind: "whole"; readonly delta: number; readonly seed: number } & Clustered)
  | ({ readonly kind: "ml-kmeans" } & Clustered);

interface Clustered {
  readonly path: string;
  readonly k: number;
  readonly threads: number;
  /** Centres to begin from; without them by k-means++. */
  readonly from?: readonly (readonly number[])[];
}

/** What each kind of task answers. */
export interface Answers {
  readonly "store-people": PeopleFile;
  readonly "store-table": { readonly columns: number };
  /** Features, besides the id and the protected columns. */
  readonly "store-census": { readonly columns: number };
  readonly stream: { readonly seconds: number; readonly processor: number };
  readonly "from-file": {
    readonly read: number;
    readonly solve: number;
    readonly seconds: number;
    /** Seconds of all threads. */
    readonly processor: { readonly solve: number; readonly whole: number };
    readonly peak: number;
  };
  /** Seconds of the clock; `processor` are those of all threads in the dense pass. */
  readonly pass: { readonly first: number; readonly dense: number; readonly processor: number };
  readonly whole: Whole;
  readonly "ml-kmeans": {
    readonly seconds: number;
    readonly sse: number;
    readonly from: readonly (readonly number[])[];
  };
}

export interface Whole {
  readonly seconds: number;
  readonly sse: number;
  readonly fair: boolean;
  readonly converged: boolean;
  readonly passes: number;
  /** The most memory that the process has held, in bytes. */
  readonly peak: number;
}
