import { asKeys } from "../../errors.js";
import { standIns } from "../../learning/histogram.js";
import { fromBase64, toBase64 } from "../../learning/model.js";
import type { CurvePoint, LearningData, Trained, TrainResult } from "../../learning/types.js";
import type { JournalEntry } from "../audit/journal.js";
import { type Card, jobId } from "../consent/card.js";
import { cellsOnCard, shapeOfCard } from "../consent/training-card.js";
import type { Absence } from "./absences.js";
import { labelledOnCard, ratesAtSites } from "./at-sites.js";
import type { ResultPart } from "./part.js";

/** All that the coordinator knows of a finished training, beside the model. */
export interface TrainFacts {
  readonly n: number;
  readonly communication: { readonly rounds: number; readonly bytesUp: number; readonly bytesDown: number };
  readonly epochs: number;
  /** Who was away in which rounds, the control's counted first. */
  readonly absences: readonly Absence[];
  readonly training: {
    readonly result: TrainResult;
    readonly controlCurve: readonly CurvePoint[];
    /** Of stand-ins for the people to measure on, single precision, base64: a step of the histogram each. */
    readonly scores: string;
    readonly controlScores: string;
    /** People of [group][label]. */
    readonly cells: { readonly train: readonly number[]; readonly test: readonly number[] };
  };
}

/** The result of a training at several sites: that of `moiety train`, and what left each site. */
export interface FederatedTraining extends TrainResult {
  readonly job: string;
  readonly communication: TrainFacts["communication"];
  readonly epochs: number;
  readonly absences: TrainFacts["absences"];
  readonly sites: Readonly<Record<string, readonly JournalEntry[]>>;
}

export function factsOfTraining(
  { scores, controlScores, controlCurve, result }: Trained,
  cells: TrainFacts["training"]["cells"],
): TrainFacts["training"] {
  const asOnCard = { doubts: result.doubts.map(asKeys), warnings: result.warnings.map(asKeys) };
  return {
    result: { ...result, ...asOnCard },
    controlCurve,
    cells,
    scores: toBase64(scores),
    controlScores: toBase64(controlScores),
  };
}

export function summariseTraining(
  card: Card,
  hash: string,
  { training, communication, epochs, absences }: TrainFacts,
  parts: readonly ResultPart[],
): FederatedTraining {
  const sites = Object.fromEntries(parts.map(({ party, journal }) => [party, journal]));
  const perParty = card.siteShares ? ratesAtSites(card, hash, parts) : training.result.perParty;
  const hidden = card.siteShares && perParty === null;
  const warnings = hidden ? [...training.result.warnings, ratesHidden(card)] : training.result.warnings;
  return { ...training.result, perParty, warnings, job: jobId(hash), communication, epochs, absences, sites };
}

function ratesHidden({ minCount }: Card): string {
  return `what the model does at each site is not shown: a site has fewer than ${minCount} people of a group and label to measure on, or was not there to the end`;
}

/** Stand-ins for everybody: as many of each group and label as there are. */
export function peopleOfTraining(card: Card, { train, test }: TrainFacts["training"]["cells"]): LearningData {
  const cells = cellsOnCard(card);
  return {
    shape: shapeOfCard(card),
    ...labelledOnCard(card),
    train: standIns(train, cells),
    test: standIns(test, cells),
  };
}

/** What a page about the classifier needs. The model is not on it. */
export function forReport(
  card: Card,
  { training }: TrainFacts,
): { readonly trained: Trained; readonly data: LearningData } {
  const { result, controlCurve, scores, controlScores, cells } = training;
  const data = peopleOfTraining(card, cells);
  return {
    data,
    trained: {
      attribute: data.attribute,
      model: new Float32Array(0),
      result,
      scores: fromBase64(scores),
      controlScores: fromBase64(controlScores),
      controlCurve,
    },
  };
}
