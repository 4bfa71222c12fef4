export { adjustedMutualInformation, adjustedRandIndex, partyRandIndex } from "./agreement.js";
export {
  type Classification,
  type ClassificationRequest,
  type ClassRates,
  classification,
  classifications,
  type GroupRates,
  type Rate,
  thresholdFor,
} from "./classification.js";
export { comparedClasses } from "./compared-classes.js";
export { daviesBouldin } from "./davies-bouldin.js";
export {
  type Evaluation,
  type EvaluationRequest,
  evaluate,
  type FairnessMeasures,
  type MeasureRequest,
  measureCounts,
  measureFairness,
} from "./evaluate.js";
export { balanceLoss, coefficientOfVariation, type Evenness, evenness, normalisedEntropy } from "./evenness.js";
export {
  balance,
  clustersTooSmall,
  eightyPercentRule,
  type GroupCounts,
  type GroupShares,
  groupCounts,
  groupShares,
  type Violation,
  violation,
  type Worst,
} from "./fairness.js";
export type { Points } from "./labelled-points.js";
export { clusterMedians, sumOfDistances } from "./manhattan.js";
export { neighbourRadii } from "./neighbourhoods.js";
export {
  type IndividualMeasures,
  measureIndividual,
  measureRepresentation,
  measureSocial,
  type Notion,
  type NotionJudgement,
  type NotionMeasures,
  type NotionName,
  notionNames,
  type RepresentationMeasures,
  type SocialMeasures,
} from "./notion.js";
export { type Silhouette, type SilhouetteOptions, silhouette, silhouetteSamples } from "./silhouette.js";
export { simplifiedSilhouette } from "./simplified-silhouette.js";
export { clusterMeans, clusterSizes, relativeError, sse } from "./sse.js";
export { type Judged, type Judgement, judge, meaningfulSize, type Verdict, type VerdictDetails } from "./verdict.js";
