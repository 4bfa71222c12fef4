import type { Assigner } from "../solver/assigner.js";
import type { OnPass, Outcome } from "../solver/lloyd.js";
import type { OnTrial } from "../solver/relocate-centres.js";
import type { People } from "../table/types.js";
import type { Settings } from "./settings.js";
import type { Progress } from "./types.js";

/** What one start of an algorithm works with. Its clusters and centres end up with the assigner's parties. */
export interface Start {
  readonly assigner: Assigner;
  readonly settings: Settings;
  /** Whether a group or a size is promised anything. */
  readonly promised: boolean;
  /** What everybody counts for, where the assigner works with a sample too. */
  readonly everybody: number;
  /** All data, where one process has them; absent in a federation. */
  readonly people?: People;
  /** Which of the starts it is, from 0. */
  readonly number: number;
  /** The seed of this start. */
  readonly seed: number;
  /** A listener for passes of a phase. */
  readonly watch: (phase: Progress["phase"]) => OnPass;
  /** Told of relocated centres on the way. */
  readonly onTrial: OnTrial;
  /** Called with the best clusters before any promise is kept: the reference for the price of fairness. */
  readonly unconstrained: (assigner: Assigner, outcome: Outcome) => Promise<void>;
  /** What led to those clusters in a run before this one, whose centres have been placed. */
  readonly begun?: Outcome;
  /** Called between seeding and solving, whose times are measured apart. */
  readonly seeded: () => void;
}

export type ColumnAlgorithm = (start: Start) => Promise<Outcome>;

/** The outcome of several stages in a row. */
export function inSequence(...stages: readonly Outcome[]): Outcome {
  return {
    passes: stages.reduce((total, stage) => total + stage.passes, 0),
    converged: stages.at(-1)?.converged ?? false,
  };
}
