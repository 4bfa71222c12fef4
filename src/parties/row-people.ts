import type { WideSum } from "../kernels/wide-sums.js";
import type { Attribute, People } from "../table/types.js";
import type { AssignmentCounts } from "./cheapest-clusters.js";
import type { GridPoints } from "./grid-points.js";
import type { Thresholds } from "./row-clusters.js";
import type { ColumnMoments, RowScaling } from "./row-scaling.js";

/** Who a site's people are among everybody. */
export interface Enrolment {
  /** A number for each person, unique over all parties, for jitter and ties; or the first, where the others follow it. */
  readonly persons: Float64Array | number;
  /** The combinations of groups that occur anywhere, ascending. */
  readonly occurring: Uint32Array;
}

/** Columns with `kept` 0 are left out. */
export type RowSpace = RowScaling & { readonly kept: Float64Array };

/** What everybody's costs are computed from. */
export interface Measurement {
  readonly centres: Float64Array;
  readonly jitter: number;
}

/** Everybody at the nearest of a candidate's centres. */
export interface PeopleOnGrid {
  /** [cells]: by how many people a cell's sums would differ from those last released, and how many are there: people, whatever they count for. */
  readonly moved: Float64Array;
  readonly people: Float64Array;
  /** The sum of the squared distances. */
  readonly cost: WideSum;
}

/** [clusters] and [clusters][columns]: as often as everybody counts. */
export interface ClusterSums {
  readonly counts: Float64Array;
  readonly sums: Float64Array;
}

type Soon<T> = T | Promise<T>;

/**
 * The people of one holder of rows, in its memory or in its database: whatever questions compute from them. All answers are whole
 * numbers, the same wherever the people are; where people have weights, in units of these, but for `place` and what is asked of
 * combinations and columns, where people are counted. Arrays belong to the caller.
 */
export interface RowPeople {
  readonly n: number;
  /** How many columns of numbers there are; after `rescale`, those that were kept. */
  readonly columns: number;
  /** How many people there are of each combination of groups. */
  countCombinations(): Float64Array;
  enrol(enrolment: Enrolment): void;
  /** The smallest and the largest value of each column, missing ones left out. */
  reach(): readonly (readonly [number, number])[];
  moments(shift: Float64Array, step: Float64Array): Soon<ColumnMoments>;
  rescale(space: RowSpace): void;
  /** Begins a clustering: coordinates become whole multiples of 2^-bits. The sum of all their squares. */
  open(k: number, bits: number): Promise<WideSum>;
  /** The points of the present clustering, where they are in memory. */
  readonly points: GridPoints;
  place(candidate: number, centres: Float64Array): Promise<PeopleOnGrid>;
  /** The sums of the cells that are due, as people were last placed; 0 for the others. They are released by that. */
  release(candidate: number, due: Uint8Array): ClusterSums;
  measure(measurement: Measurement): Soon<void>;
  assign(offsets: Float64Array): Soon<AssignmentCounts>;
  /** As `assign`, where nobody asks for the counts. */
  settle(offsets: Float64Array): Soon<void>;
  below(thresholds: Thresholds): Soon<Float64Array>;
  transfer(thresholds: Thresholds): Soon<void>;
  gather(): Promise<ClusterSums>;
  /** The sum of the silhouettes, in units of `silhouetteUnit`. */
  silhouette(sizes: Float64Array): Soon<number>;
  /** [patterns][k]: how many people of each combination are in each cluster. */
  countClusters(): Soon<Float64Array>;
  remember(slot: string): void;
  remembers(slot: string): boolean;
  recall(slot: string): void;
  /** Everybody's cluster. */
  readonly labels: Soon<Uint16Array>;
  /** The same numbers for the same clusters of everybody, and others for others. */
  labelsMark(): Soon<ArrayBufferView>;
  /** Everybody's id in the same order, where only the holder's database has it. */
  ids?(): Promise<readonly string[]>;
  /** For a checkpoint: clusters, what is remembered, and what was released. */
  save(): object;
  /** After the same enrolment, scaling and measurement. */
  restore(saved: unknown): Promise<void>;
  close(): Promise<void>;
}

/** What is known of a site's people while they stay in its database: dimensions hold no numbers, attributes have a code for each pattern. */
export interface PeopleElsewhere extends People {
  readonly attributes: readonly Attribute[];
  /** The patterns that occur here. */
  readonly patterns: number;
  /** Changes with the people. */
  readonly fingerprint: string;
  /** Connects; `combinations` are of the patterns. Closed by its holder. */
  readonly hold: (combinations: Combinations) => Promise<RowPeople>;
}

/** The combination of protected groups of each person, among all that there could be. */
export interface Combinations {
  readonly codes: ArrayLike<number>;
  readonly count: number;
}

export function isElsewhere(people: People): people is PeopleElsewhere {
  return "hold" in people;
}

/** By the place of each combination among those that occur anywhere. */
export function patternsOf({ codes }: Combinations, occurring: Uint32Array): Uint16Array {
  const place = new Map(Array.from(occurring, (code, index) => [code, index]));
  return Uint16Array.from(codes, (code) => place.get(code)!);
}
