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
  readonly scaling: { readonly shift: readonly number[]; readonly scale: readonly number[] } | null;
  readonly grid: Grid;
  /** Where people lie, in grid units. */
  readonly box: { readonly least: readonly number[]; readonly most: readonly number[] };
  /** All rounds so far. */
  readonly history: readonly Progress[];
  readonly absences: readonly Absence[];
}

/** Thrown through the solver: the present stage is over. */
export class StageEnded extends Error {
  constructor(readonly stage: Stage) {
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
export function describeAbsence({ party, from, to }: Absence): string {
  if (to === null) return `${party} left in round ${from} and did not come back: its people have no clusters`;
  const rounds = from === to ? `round ${from}` : `rounds ${from} to ${to}`;
  return `${party} was away in ${rounds}: the centres were those of the others then`;
}
