import type { Model } from "../algorithms/model.js";
import { judgeNewcomers } from "../algorithms/newcomers.js";
import type { FairnessMeasures } from "../metrics/index.js";
import { countedPeople, type InModelOptions, nobody, openInModel, prepareInModel } from "./in-model.js";
import type { Everybody } from "./prepare.js";
import type { LabelSink, Scanner } from "./scanner.js";

export interface ScannedPrediction extends Pick<Everybody, "n" | "leftOut" | "warnings">, Partial<FairnessMeasures> {
  readonly sizes: number[];
}

/** Labels people who are only scanned by the nearest centre of a model, as `predict` does. */
export async function predictScanned(
  scanner: Scanner,
  model: Model,
  options: Pick<InModelOptions, "id" | "protect" | "missing">,
  sink: LabelSink,
): Promise<ScannedPrediction> {
  const prepared = await prepareInModel(scanner, model, { ...options, idsDecide: false });
  const { people, nearest } = await openInModel(scanner, prepared, model);
  const { everybody } = prepared;
  let judged: FairnessMeasures | undefined;
  if (everybody.attributes.length > 0) {
    const { counts } = await people.sums(nearest, nobody);
    const counted = countedPeople(everybody, counts, model.k);
    judged = judgeNewcomers(model, counted.people, counted.labels);
  }
  const { n, leftOut, warnings } = everybody;
  return { n, leftOut, warnings, ...judged, sizes: Array.from(await people.labels(nearest, nobody, sink)) };
}
