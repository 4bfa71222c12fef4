import type { Progress } from "../../algorithms/types.js";
import type { Grid } from "../../parties/grid.js";

/** A party that was away for some rounds of a run: from 1; null when it did not come back. */
export interface Absence {
  readonly party: string;
  readonly from: number;
  readonly to: number | null;
}

/**
 * Where a run with rows split goes on when parties have left or come back: everybody who is there begins anew from these
 * centres, on the grid of before. Within a stage its sums fit together.
 */
export interface Stage {
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

/** What is known of everybody before a training begins, and of the training after some rounds. */
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
  constructor(readonly stage: Stage | TrainStage) {
    super("parties have left or come back");
  }
}

/** Thrown by a group at rest. */
export class Regrouping extends Error {
  constructor(readonly centres: Float64Array) {
    super("parties have left or come back");
  }
}

/** The absences when these parties are there from the round after `rounds` on. */
export function absencesAfter(
  before: readonly Absence[],
  everybody: readonly string[],
  present: readonly string[],
  rounds: number,
): Absence[] {
  const still = before.map((absence) =>
    absence.to === null && present.includes(absence.party) ? { ...absence, to: rounds } : absence,
  );
  const missing = still.filter(({ to }) => to === null).map(({ party }) => party);
  const left = everybody.filter((party) => !present.includes(party) && !missing.includes(party));
  // Who came back within a round has missed none.
  const lasting = still.filter(({ from, to }) => to === null || to >= from);
  return [...lasting, ...left.map((party) => ({ party, from: rounds + 1, to: null }))];
}

/** "bank-b was away in rounds 3 to 7", for the result. */
export function describeAbsence({ party, from, to }: Absence, learns = false): string {
  const without = learns ? "the rest was learnt without its people" : "its people have no clusters";
  if (to === null) return `${party} left in round ${from} and did not come back: ${without}`;
  const rounds = from === to ? `round ${from}` : `rounds ${from} to ${to}`;
  const meanwhile = learns ? "the others learnt without its people" : "the centres were those of the others then";
  return `${party} was away in ${rounds}: ${meanwhile}`;
}
