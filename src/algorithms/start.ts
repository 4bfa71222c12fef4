import type { Assigner } from "../solver/assigner.js";
import type { OnPass, Outcome } from "../solver/lloyd.js";
import type { People } from "../table/types.js";
import type { Settings } from "./settings.js";
import type { Progress } from "./types.js";

/** One start of an algorithm: what it works with. It leaves its clusters and centres with the assigner's parties. */
export interface Start {
  readonly assigner: Assigner;
  readonly settings: Settings;
  /** Whether a group or a size is promised anything. */
  readonly promised: boolean;
  /** Everybody, where one process sees everybody: a federation's assigner sees nobody. */
  readonly people?: People;
  /** The seed of this start. */
  readonly seed: number;
  /** A listener for passes of a phase. */
  readonly watch: (phase: Progress["phase"]) => OnPass;
  /** Told when the clusters are as good as they get before any promise is kept: what fairness is paid for with. */
  readonly unconstrained: (assigner: Assigner) => Promise<void>;
  /** Called between seeding and solving, to tell their times apart. */
  readonly seeded: () => void;
}

export type ColumnAlgorithm = (start: Start) => Promise<Outcome>;

/** Several stages as one outcome. */
export function together(...stages: readonly Outcome[]): Outcome {
  return {
    passes: stages.reduce((total, stage) => total + stage.passes, 0),
    converged: stages.at(-1)?.converged ?? false,
  };
}
