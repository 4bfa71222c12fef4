import { checkFeasible as check } from "../constraints/feasibility/index.js";
import { resolveBounds as resolve } from "../constraints/resolve-bounds.js";
import * as metrics from "../metrics/index.js";
import { seededNoise as seeded } from "../privacy/noise/chance.js";
import type { People } from "../table/index.js";
import { guarded, guardedLater } from "./guard.js";
import { type AnyLabels, byPerson } from "./labels.js";
import {
  type ArgumentRule,
  anything,
  choice,
  count,
  each,
  isNumbers,
  isObject,
  number,
  numbers,
  type OptionRules,
  object,
  optional,
  options,
  texts,
} from "./rules.js";
import { attribute, attributes, bounds, counts, grouped, people, points, tallies } from "./things.js";

/** A label for each person; those by row belong to functions that know the people. */
const labels: ArgumentRule = object(
  "a Uint16Array, one label for each person, such as a clustering's assignment",
  (value) => value instanceof Uint16Array || Array.isArray(value),
);
const measured = { points, labels, k: number };
const compared = each(numbers, "truth", "labels");
const counted = { counts: tallies, sizes: numbers };
const sized = { sizes: numbers };
const judged = object("sizes, groups, bounds, tolerance, fair and maxViolation", (value) => {
  const { sizes, groups, bounds: limits } = value;
  const isMap = (each: unknown) => isObject(each) && Object.values(each).every(isObject);
  return isNumbers(sizes) && isMap(groups) && isMap(limits) && Object.values(limits as object).every(isMap);
});

type ByRowToo<Request extends { readonly labels: Uint16Array; readonly people: unknown }> = Omit<
  Request,
  "labels" | "people"
> & {
  /** By row, as `cluster` gives them, or by person. */
  readonly labels: AnyLabels;
  readonly people: Request["people"] & Pick<People, "sourceRows">;
};
/** What a metric of any labelling is asked for. Labels may be those of `cluster`, by row, or by person. */
export type EvaluateRequest = ByRowToo<metrics.EvaluationRequest>;
export type FairnessRequest = ByRowToo<metrics.MeasureRequest>;

const fairness: OptionRules<FairnessRequest> = {
  people: grouped,
  labels: anything,
  k: number,
  bounds,
  tolerance: number,
};
const evaluating: OptionRules<EvaluateRequest> = { ...fairness, people, truth: numbers, seed: number };

/** Every metric of any labelling, ready for JSON. Cluster ids that nobody has are empty clusters. */
export const evaluate = guarded(
  "evaluate",
  (request: EvaluateRequest) => metrics.evaluate({ ...request, labels: byPerson(request.labels, request.people) }),
  { request: options(evaluating, ["people", "labels", "bounds", "tolerance"]) },
);

/** All that concerns fairness, without touching the points. */
export const measureFairness = guarded(
  "measureFairness",
  (request: FairnessRequest) =>
    metrics.measureFairness({ ...request, labels: byPerson(request.labels, request.people) }),
  { request: options(fairness, ["people", "labels", "k", "bounds", "tolerance"]) },
);

/** The bounds of each attribute, from a delta or from explicit shares. */
export const resolveBounds = guarded("resolveBounds", resolve, {
  attributes,
  options: options({ delta: number, bounds: object("an object of shares") }, ["delta"]),
});

const request = { n: number, k: number, sizes: object("a min and a max"), bounds, tolerance: number };
/** Throws "infeasible", naming what binds and the nearest feasible request, when no clustering can meet this one. */
export const checkFeasible = guardedLater("checkFeasible", check, {
  request: options({ ...request, attributes, patterns: object("people by their groups") }, Object.keys(request)),
  options: optional(options({ effort: choice("usual", "thorough"), signal: object("an AbortSignal") })),
});

const classified: OptionRules<metrics.ClassificationRequest> = {
  ...each(numbers, "scores", "answers", "labels", "codes"),
  threshold: number,
  ...each(texts, "groups", "classes"),
};
export const classification = guarded("classification", metrics.classification, {
  request: options(classified, ["scores", "labels", "groups", "codes"]),
});

export const adjustedMutualInformation = guarded(
  "adjustedMutualInformation",
  metrics.adjustedMutualInformation,
  compared,
);
export const adjustedRandIndex = guarded("adjustedRandIndex", metrics.adjustedRandIndex, compared);
export const partyRandIndex = guarded("partyRandIndex", metrics.partyRandIndex, { ...compared, parties: numbers });
export const balance = guarded("balance", metrics.balance, counted);
export const balanceLoss = guarded("balanceLoss", metrics.balanceLoss, sized);
export const coefficientOfVariation = guarded("coefficientOfVariation", metrics.coefficientOfVariation, sized);
export const normalisedEntropy = guarded("normalisedEntropy", metrics.normalisedEntropy, sized);
export const evenness = guarded("evenness", metrics.evenness, sized);
export const clusterMeans = guarded("clusterMeans", metrics.clusterMeans, measured);
export const clusterSizes = guarded("clusterSizes", metrics.clusterSizes, { labels, k: number });
export const clustersTooSmall = guarded("clustersTooSmall", metrics.clustersTooSmall, {
  bounds,
  ...sized,
  tolerance: number,
});
export const meaningfulSize = guarded("meaningfulSize", metrics.meaningfulSize, {
  bounds,
  ...each(number, "n", "k", "tolerance"),
});
export const judge = guarded("judge", metrics.judge, { judged });
export const daviesBouldin = guarded("daviesBouldin", metrics.daviesBouldin, measured);
export const eightyPercentRule = guarded("eightyPercentRule", metrics.eightyPercentRule, { counts, ...sized });
export const groupCounts = guarded("groupCounts", metrics.groupCounts, { attribute, labels, k: number });
export const groupShares = guarded("groupShares", metrics.groupShares, { attributes, ...counted });
export const violation = guarded("violation", metrics.violation, { bounds, ...counted });
export const relativeError = guarded("relativeError", metrics.relativeError, { value: number, reference: number });
export const silhouette = guarded("silhouette", metrics.silhouette, {
  ...measured,
  options: optional(options({ sample: count, seed: number })),
});
export const silhouetteSamples = guarded("silhouetteSamples", metrics.silhouetteSamples, measured);
export const simplifiedSilhouette = guarded("simplifiedSilhouette", metrics.simplifiedSilhouette, measured);
export const sse = guarded("sse", metrics.sse, measured);

/** Noise that repeats itself, for tests: results made with it say that they are not private. */
export const seededNoise = guarded("seededNoise", seeded, { seed: number });
