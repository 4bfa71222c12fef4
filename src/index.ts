/**
 * Moiety: fair clustering of people.
 *
 * ```ts
 * import { cluster, preparePeople, readTable, writeLabels } from "moiety";
 *
 * const people = preparePeople(await readTable("people.csv"), { protect: ["sex"], id: "person" });
 * const { labels, result } = await cluster(people, { k: 5 });
 * console.log(result.fair, result.sse);
 * await writeLabels("labels.csv", people, labels);
 * ```
 *
 * Everything fails with a {@link MoietyError} whose message is one line that says what to do.
 *
 * @packageDocumentation
 */
/** The algorithms that there are, with one line each and the paper. */
export { algorithms } from "./algorithms/catalogue.js";
/** Of private clusterings: what can be asked for, and what a result promises. */
export type { PrivacyOptions } from "./algorithms/dp-fair/options.js";
export type { PrivacyStatement } from "./algorithms/dp-fair/statement.js";
export type { Model, PredictOptions } from "./algorithms/model.js";
export type {
  FeasiblePoint,
  InfeasiblePoint,
  SweepKnee,
  SweepOptions,
  SweepPoint,
  SweepResult,
} from "./algorithms/sweep-types.js";
export type { AlgorithmName, ClusterOptions, ClusterResult, Progress } from "./algorithms/types.js";
export type { Bounds, ExplicitBounds, SizeLimits } from "./constraints/bounds.js";
export type { FeasibilityRequest } from "./constraints/feasibility/index.js";
export { type ErrorCode, MoietyError } from "./errors.js";
/** The methods that train classifiers, with one line each and the paper. */
export { type MethodName, methods } from "./learning/catalogue.js";
export type { Classifier, ClassifyOptions } from "./learning/model.js";
export type { NetName, Shape } from "./learning/net/nets.js";
export type { ModelInput, Prepared, PrepareOptions } from "./learning/prepare.js";
export type { CurveValues, Fairness } from "./learning/tally.js";
export type { Examples } from "./learning/trainer.js";
export type {
  Checkpoint,
  CurvePoint,
  LearningData,
  Trained,
  TrainOptions,
  TrainProgress,
  TrainResult,
} from "./learning/types.js";
/**
 * Clusterings: `cluster` makes one, `sweep` many; `toModel` makes JSON of it, `parseModel` checks what was read back, `predict`
 * gives each row of a table the nearest centre, and `renderReport` writes a page.
 */
export {
  cluster,
  type Prediction,
  parseModel,
  predict,
  renderReport,
  type Sweep,
  sweep,
  toModel,
} from "./library/clustering.js";
/** Tables in and out. */
export {
  describeSource,
  readImages,
  readLabels,
  readTable,
  writeLabels,
  writeTable,
} from "./library/files.js";
export type { AnyLabels, Clustering } from "./library/labels.js";
/** Classifiers: `prepareLearning` and `train` make one, `classify` asks it about the rows of a table. */
export {
  type ClassifierPrediction,
  classify,
  parseClassifier,
  prepareLearning,
  toClassifier,
  train,
} from "./library/learning.js";
export { Ledger, LedgerFolder } from "./library/ledger.js";
/**
 * Metrics of any labelling: `evaluate` for all of them, and each by itself. `resolveBounds` turns a delta or explicit shares into
 * the bounds of each attribute; `checkFeasible` throws, naming what binds and the nearest feasible request, when no clustering
 * can meet them.
 */
export {
  adjustedMutualInformation,
  adjustedRandIndex,
  balance,
  balanceLoss,
  checkFeasible,
  classification,
  clusterMeans,
  clusterSizes,
  clustersTooSmall,
  coefficientOfVariation,
  daviesBouldin,
  type EvaluateRequest,
  eightyPercentRule,
  evaluate,
  evenness,
  type FairnessRequest,
  groupCounts,
  groupShares,
  judge,
  meaningfulSize,
  measureFairness,
  normalisedEntropy,
  partyRandIndex,
  relativeError,
  resolveBounds,
  seededNoise,
  silhouette,
  silhouetteSamples,
  simplifiedSilhouette,
  sse,
  violation,
} from "./library/measures.js";
/** Tables, and people made from them. */
export {
  describeTable,
  encodePeople,
  generateTable,
  joinLabels,
  kindOf,
  preparePeople,
  tableFromArrow,
  tableFromColumns,
  tableFromRecords,
} from "./library/tables.js";
export type {
  Classification,
  ClassificationRequest,
  Evaluation,
  Evenness,
  FairnessMeasures,
  GroupCounts,
  GroupRates,
  GroupShares,
  Judged,
  Judgement,
  Points,
  Rate,
  Silhouette,
  SilhouetteOptions,
  Verdict,
  VerdictDetails,
  Violation,
  Worst,
} from "./metrics/index.js";
export type { LedgerRecord, LedgerStore, Release, Standing } from "./privacy/accounting/ledger.js";
export type { Guarantee, Loss } from "./privacy/accounting/loss.js";
export type { NoiseSource } from "./privacy/noise/chance.js";
export type { ColumnDescription, ReadOptions } from "./table/disk/index.js";
export {
  type ArrowTable,
  type Attribute,
  type Cell,
  type Column,
  type ColumnData,
  type ColumnKind,
  type DescribedColumn,
  type Dropped,
  type DroppedGroup,
  type EncodeOptions,
  type Encoding,
  type GenerateOptions,
  type GeneratorKind,
  generatorKinds,
  type Labels,
  type LeftOut,
  type MissingRule,
  type NumericColumn,
  type Origin,
  type People,
  type PeopleOptions,
  type Pictures,
  type Predictor,
  type PublicBox,
  type Scaling,
  type Suggestion,
  type Table,
  type TableDescription,
  type TextColumn,
} from "./table/index.js";
export { version } from "./version.js";
