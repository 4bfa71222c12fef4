import type { Progress } from "../../algorithms/types.js";
import type { Grid } from "../../parties/grid.js";
import type { Absence } from "../results/absences.js";

/**
 * Where a run with rows split goes on when parties have left or come back: those that are connected begin anew from these
 * centres, on the grid of before. All sums of a stage are over the same parties.
 */
export interface RowStage {
  readonly number: number;
  /** Row after row, in the scaled columns' units. */
  readonly centres: readonly number[];
  /** What the first sites have agreed on, for each column as it is at the sites. */
  readonly space: Readonly<Record<"shift" | "scale" | "mean" | "kept", readonly number[]>>;
  readonly grid: Grid;
  /** Where people lie, in grid units. */
  readonly box: { readonly least: readonly number[]; readonly most: readonly number[] };
  /** All rounds so far. */
  readonly history: readonly Progress[];
  readonly absences: readonly Absence[];
}

/** Where a training goes on: with the model and the duals of the last round. */
export interface TrainStage {
  readonly number: number;
  readonly training: KeptTraining;
  readonly absences: readonly Absence[];
}

/** What is known of all people before a training begins, and of the training after some rounds. */
export interface KeptTraining {
  readonly survey: {
    /** People of [group][label], to learn from and to measure on. */
    readonly train: readonly number[];
    readonly test: readonly number[];
    /** x, or the mean where it is missing, becomes (x - shift) / scale, for each numeric column; null where nothing does. */
    readonly scaling: Readonly<Record<"shift" | "scale" | "mean", readonly number[]>> | null;
  };
  /** A checkpoint of the runs, as JSON has it. */
  readonly runs: unknown;
}

/** Thrown through the solver: the present stage is over. */
export class StageEnded extends Error {
  constructor(readonly stage: RowStage | TrainStage) {
    super("parties have left or come back");
  }
}

/** Thrown by a group between two rounds. */
export class Regrouping extends Error {
  constructor(readonly centres: Float64Array) {
    super("parties have left or come back");
  }
}

/** The numbers of a stage are lists in JSON, and typed arrays in a run. */
export const toFloats = (values: readonly number[]) => Float64Array.from(values);
export const toList = (values: ArrayLike<number>) => Array.from(values);

/** The same fields, with each value turned into another. */
export function mapValues<Key extends string, From, To>(fields: Readonly<Record<Key, From>>, to: (value: From) => To) {
  const entries = Object.entries<From>(fields).map(([key, value]) => [key, to(value)]);
  return Object.fromEntries(entries) as Record<Key, To>;
}
