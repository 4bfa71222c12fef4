import type { Answer, GapOrder, TrainOrder } from "../learner.js";
import type { Tally } from "../tally.js";
import type { LossTerm } from "../trainer.js";

/** What the coordinator of a method decides from sums over all parties, round by round. */
export interface Method {
  /** The term of this round's local steps, given what the model that is sent out does. */
  plan(tally: Tally, round: number): LossTerm;
  /** FairFed only: what parties are asked before they train, and how their updates are then weighed. */
  question?(tally: Tally): GapOrder;
  weighting?(meanGap: number, tally: Tally): TrainOrder["weighting"];
  /** After the parties have trained. */
  learn?(answer: Answer, round: number): void;
  /** All that a method remembers between rounds, to go on from after an interruption. */
  memory: number[];
}

/** No fairness term. */
export function plainLoss(groups: number): LossTerm & { kind: "given" } {
  return {
    kind: "given",
    entropyWeights: new Float64Array(2 * groups).fill(1),
    rateWeights: new Float64Array(2 * groups),
  };
}
