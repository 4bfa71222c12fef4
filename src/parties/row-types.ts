import type { RowScaling } from "./row-scaling.js";

/**
 * Numbers that are whole. Their sum over parties is exact, however the rows are split, and it is all that a coordinator
 * needs: in a federation only masked ones leave a party. Answers that are added up have fields of this type only.
 */
export type Whole = Float64Array;

/** The smallest and the largest value of each column. */
export interface Reach {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Of u = round((x - shift) / step) in each column: how many people have an x, the sums of u and of its squares. */
export interface RowMoments {
  readonly people: Whole;
  readonly sums: Whole;
  readonly squares: Whole;
}

/** What a party's own clusters look like: FKM's message. It shows this party's means, and cannot be masked. */
export interface Summary {
  /** [clusters][columns], in grid units. */
  readonly means: Float64Array;
  readonly counts: Float64Array;
  /** Clusters that stayed at home, being smaller than allowed. */
  readonly withheld: number;
  /** The squared distances of all its people to the centres that they were nearest to, in squared grid units. */
  readonly cost: number;
}

/** How a party clusters its own rows. */
export interface SummaryRequest {
  readonly clusters: number;
  /** There are at most rows / this many clusters. */
  readonly peopleEach: number;
  /** Clusters with fewer people are dropped, or merged into their neighbours. */
  readonly least: number;
  readonly small: "drop" | "merge";
  /** Raw records (k-means++ seeds); one Lloyd step from them; Lloyd to the end; or k-FED's spectral start and Lloyd. */
  readonly method: "seeds" | "step" | "lloyd" | "spectral";
  /** Of so many tries the one with the least squared distances is kept. */
  readonly starts: number;
  readonly seed: number;
}

/** Several sets of centres at once; each is known by its number from round to round. */
export interface Candidates {
  readonly numbers: Uint32Array;
  /** [cells][columns] each, in grid units; all of them have as many cells. */
  readonly centres: readonly Float64Array[];
}

export interface Placement {
  /** [candidates][cells]: by how many people a cell's sums would differ from those last given away. */
  readonly moved: Whole;
  /** [candidates][cells]: people in the cell. */
  readonly counts: Whole;
  /** [candidates]: the squared distances of everybody to the nearest centre. */
  readonly cost: Whole;
}

export interface Totals {
  /** [cells] */
  readonly counts: Whole;
  /** [cells][columns], in grid units. */
  readonly sums: Whole;
}

export interface Census {
  /** [patterns][k] */
  readonly counts: Whole;
  /** [1]: the squared distances of everybody to the centre of their cluster, jitter included. */
  readonly cost: Whole;
}

/**
 * Thresholds for moves of people of one pattern from one cluster to another. Someone is below a threshold when the gap,
 * their cost there less their cost here, is lower, or equal and their number is not above `person`: a total order, so
 * that any number of people can be told off.
 */
export interface Thresholds {
  /** (pattern * k + from) * k + to, all different. */
  readonly moves: Uint32Array;
  /** [moves][width], ascending for each move. */
  readonly gaps: Float64Array;
  readonly persons: Float64Array;
}

/**
 * A holder of some people's rows, with all columns. This is all that it can be asked, in one process or over a network.
 * Except for `summarise` and `refine`, answers are whole numbers to be added up; everybody's cluster stays at home.
 */
export interface RowParty {
  reach(request: Record<string, never>): Promise<Reach>;
  moments(request: { readonly shift: Float64Array; readonly step: Float64Array }): Promise<RowMoments>;
  /** For runs whose people are not scaled yet. Columns that are not kept, being 0 there, are left out from here on. */
  rescale(request: RowScaling & { readonly kept: Float64Array }): Promise<void>;
  /** Begins a clustering: coordinates become whole multiples of 2^-bits. [1]: the sum of all their squares. */
  open(request: { readonly k: number; readonly bits: number }): Promise<{ readonly squares: Whole }>;

  /** FKM's start: the party's own clusters. */
  summarise(request: SummaryRequest): Promise<Summary>;
  /** FKM's round: one Lloyd step from those of the centres that somebody here is nearest to. */
  refine(request: { readonly centres: Float64Array; readonly least: number }): Promise<Summary>;

  /** Everybody to the nearest centre of each candidate. */
  place(request: Candidates): Promise<Placement>;
  /** The sums of the cells that are due, [candidates][cells], as they were placed: 0 of the others. */
  totals(request: { readonly numbers: Uint32Array; readonly due: Uint8Array }): Promise<Totals>;

  /** Everybody's cost in each cluster: the squared distance, and a jitter that keeps duplicates apart. */
  measure(request: { readonly centres: Float64Array; readonly jitter: number }): Promise<void>;
  /** Everybody to the cluster of least cost and offset, lowest number first; offsets are [patterns][k]. */
  assign(request: { readonly offsets: Float64Array }): Promise<Census>;
  /** As `assign`, where the counts are known already: nothing is told. */
  settle(request: { readonly offsets: Float64Array }): Promise<void>;
  /** [moves][width]: how many people are below each threshold. */
  below(request: Thresholds): Promise<{ readonly counts: Whole }>;
  /** The people below a move's threshold (one each) make it. */
  transfer(request: Thresholds): Promise<void>;
  /** Sums and counts of the present clusters. */
  gather(request: Record<string, never>): Promise<Totals>;
  /** [1]: the simplified silhouettes of the present clusters around the measured centres, in units of 2^-20. */
  silhouette(request: { readonly sizes: Float64Array }): Promise<{ readonly total: Whole }>;

  /** Everybody's cluster is kept under a name, and comes back. */
  remember(request: { readonly slot: string }): Promise<void>;
  recall(request: { readonly slot: string }): Promise<void>;
}

export type RowQuestion = keyof RowParty;
export type RowRequest<Q extends RowQuestion> = Parameters<RowParty[Q]>[0];
export type RowAnswer<Q extends RowQuestion> = Awaited<ReturnType<RowParty[Q]>>;
/** The questions whose answers are added up. */
export type SummableQuestion = "moments" | "open" | "place" | "totals" | "assign" | "below" | "gather" | "silhouette";
