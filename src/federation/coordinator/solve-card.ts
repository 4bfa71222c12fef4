import type { Solution } from "../../algorithms/solve-columns.js";
import type { Progress } from "../../algorithms/types.js";
import type { Traffic } from "../../parties/traffic.js";
import type { Ring } from "../../privacy/masks/ring.js";
import type { Card } from "../consent/card.js";
import { isPrivate } from "../consent/private-card.js";
import type { Absence } from "../results/absences.js";
import type { FederatedPrivacy } from "../results/federated-privacy.js";
import type { WholeSummary } from "../results/part.js";
import type { PartyHandle } from "../transport/types.js";
import { relayCard } from "./relay.js";
import type { RowStage } from "./run-stage.js";
import { solvePrivateCard } from "./solve-private-card.js";
import { solveRowCard } from "./solve-row-card.js";

export interface CardRun {
  readonly card: Card;
  readonly hash: string;
  readonly epoch: number;
  /** People, all together. */
  readonly rows: number;
  /** The people of each party: with columns split all hold all. */
  readonly counts: readonly number[];
  readonly handles: readonly PartyHandle[];
  /** Of many parties with rows split: who is whose neighbour. */
  readonly ring?: Ring | undefined;
  /** What an earlier epoch has received, up to its last checkpoint. */
  readonly results: readonly unknown[];
  /** With columns split: how many answers beyond the checkpoint all parties have from an earlier epoch. */
  readonly answered?: number;
  /** With columns split: called when the run has come further than any epoch before. */
  readonly onFurther?: () => void;
  /** Keeps the results since the last checkpoint, which these parties have (all of the run, by default); durable when it resolves. */
  readonly keep: (position: number, results: readonly unknown[], keepers?: readonly string[]) => Promise<void>;
  /** Of a private run: from now on it goes on with these parties alone; durable when it resolves. */
  readonly narrow?: (keepers: readonly string[]) => Promise<void>;
  readonly onProgress?: (progress: Progress) => void;
  /** With rows split: where an earlier stage of the run has ended. */
  readonly stage?: RowStage | undefined;
  /** With rows split: whether parties who are not among these could join. */
  readonly returned?: (present: readonly string[]) => boolean;
  readonly onDeparture?: (present: readonly string[]) => void;
  readonly signal?: AbortSignal;
  readonly clock: () => number;
}

export interface CardSolution extends Solution {
  readonly sse: number;
  readonly communication: Traffic;
  /** How often all people were asked about: a question about half of them is half a pass. */
  readonly passes: number;
  /** With rows split: what the parties' people are like all together. */
  readonly whole?: WholeSummary;
  readonly warnings?: readonly string[];
  /** With rows split: who was away in which rounds, and who was connected at the end. */
  readonly absences?: readonly Absence[];
  readonly present?: readonly string[];
  /** Of a private job: what it promises, and what it released. */
  readonly privacy?: FederatedPrivacy;
}

/** With columns split the solver runs at the parties, and the coordinator carries what they hand to each other. */
export function solveCard(run: CardRun): Promise<CardSolution> {
  if (run.card.split === "columns") return relayCard(run);
  return isPrivate(run.card) ? solvePrivateCard(run) : solveRowCard(run);
}
