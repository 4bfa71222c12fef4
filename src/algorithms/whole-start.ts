import type { NotionJudgement } from "../metrics/index.js";
import type { Outcome } from "../solver/lloyd.js";
import type { People } from "../table/types.js";
import type { Settings } from "./settings.js";
import type { PeopleClustering } from "./types.js";

/** What an algorithm works with that needs everybody, with all columns and groups, in one place. */
export interface WholeStart {
  readonly people: People;
  readonly settings: Settings;
  /** Plain k-means of each start, from which it goes on. */
  readonly plain: readonly PeopleClustering[];
  /** The one of the least SSE. */
  readonly best: PeopleClustering;
  /** Called after every pass of a start, with the cost and with how many people are beyond what is promised. */
  readonly watch: (start: number, pass: number, sse: number, beyond: number) => void;
  readonly signal?: AbortSignal | undefined;
}

interface WholeOutcome extends Outcome {
  /** Everybody is in the cluster of the nearest. */
  readonly centres: readonly Float64Array[];
  readonly judgement: NotionJudgement;
}

export type WholeAlgorithm = (start: WholeStart) => Promise<WholeOutcome>;
