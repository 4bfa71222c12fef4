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
import { randomFillSync } from "node:crypto";
import { cluster as clusterWith } from "./algorithms/cluster.js";
import { sweep as sweepWith } from "./algorithms/sweep.js";
import type { Sweep, SweepOptions } from "./algorithms/sweep-types.js";
import type { Clustering, ClusterOptions } from "./algorithms/types.js";
import { train as trainWith } from "./learning/train.js";
import type { LearningData, Trained, TrainOptions } from "./learning/types.js";
import type { NoiseSource } from "./privacy/noise/chance.js";
import type { People } from "./table/index.js";

/** Privacy's noise is never seeded by `seed`: it comes from the operating system. */
const operatingSystem: NoiseSource = { secret: true, fill: (bytes) => void randomFillSync(bytes) };

/**
 * Divides people into k clusters, with every protected group within its bounds in each of them. The labels depend on
 * the people, the options and the seed: not on threads, on parties or on the machine.
 *
 * @param people - from {@link preparePeople}
 * @param options - k, and what is not to be as by default
 * @returns the labels, the centres and the result as `moiety cluster --json` prints it
 * @throws MoietyError "infeasible" before the run when no clustering can meet the request; "cancelled" on an abort
 */
export function cluster(people: People, options: ClusterOptions): Promise<Clustering> {
  return clusterWith(people, { clock: () => performance.now(), noise: operatingSystem, ...options });
}

/**
 * What fairness costs: every k with every delta, each started afresh and from the value before, whichever is better.
 *
 * @param people - from {@link preparePeople}
 * @param options - the values of k and delta, and what is not to be as by default
 * @returns the curve as `moiety sweep --json` prints it, and the clustering of each value
 * @throws MoietyError "infeasible" when no value is feasible; "cancelled" on an abort
 */
export function sweep(people: People, options: SweepOptions): Promise<Sweep> {
  return sweepWith(people, { clock: () => performance.now(), noise: operatingSystem, ...options });
}

/**
 * Trains a classifier over in-process parties, with FedAvg beside it as the control. The model depends on the people, the
 * options and the seed: not on threads or on the machine.
 *
 * @param data - from {@link prepareLearning}
 * @param options - the method, the fairness, and what is not to be as by default
 * @returns the model, and the result as `moiety train --json` prints it
 * @throws MoietyError "cancelled" on an abort
 */
export function train(data: LearningData, options: TrainOptions = {}): Promise<Trained> {
  return trainWith(data, { clock: () => performance.now(), ...options });
}

/** The algorithms that there are, with one line each and the paper. */
export { algorithms } from "./algorithms/catalogue.js";
/** Of private clusterings: what can be asked for, and what a result promises. */
export type { PrivacyOptions } from "./algorithms/dp-fair/options.js";
export type { PrivacyStatement } from "./algorithms/dp-fair/statement.js";
/**
 * A clustering as JSON that can label new people: `toModel` makes it, `parseModel` checks what was read back, `predict`
 * gives each person of a table the nearest centre.
 */
export { type Model, type Prediction, type PredictOptions, parseModel, predict, toModel } from "./algorithms/model.js";
export type {
  FeasiblePoint,
  InfeasiblePoint,
  Sweep,
  SweepKnee,
  SweepOptions,
  SweepPoint,
  SweepResult,
} from "./algorithms/sweep-types.js";
export type { AlgorithmName, Clustering, ClusterOptions, ClusterResult, Progress } from "./algorithms/types.js";
export type { Bounds, ExplicitBounds, SizeLimits } from "./constraints/bounds.js";
/**
 * `resolveBounds` turns a delta or explicit shares into the bounds of each attribute; `checkFeasible` throws, naming
 * what binds and the nearest feasible request, when no clustering can meet them.
 */
export { checkFeasible, type FeasibilityRequest, resolveBounds } from "./constraints/feasibility.js";
export { type ErrorCode, MoietyError } from "./errors.js";
/** Privacy budgets on disk: `new Ledger(new LedgerFolder("ledger"), "people", () => new Date().toISOString())`. */
export { LedgerFolder } from "./federation/ledger-store.js";
/** The methods that train classifiers, with one line each and the paper. */
export { type MethodName, methods } from "./learning/catalogue.js";
/** A classifier as JSON that can answer about new people. */
export {
  type Classifier,
  type ClassifierPrediction,
  type ClassifyOptions,
  classify,
  parseClassifier,
  toClassifier,
} from "./learning/model.js";
export type { NetName, Shape } from "./learning/net/nets.js";
/** A table as people to learn from and others to measure on. */
export { type ModelInput, type Prepared, type PrepareOptions, prepareLearning } from "./learning/prepare.js";
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
/** Metrics of any labelling: `evaluate` for all of them, and each by itself. */
export {
  adjustedMutualInformation,
  adjustedRandIndex,
  balance,
  balanceLoss,
  type Classification,
  type ClassificationRequest,
  classification,
  clusterMeans,
  clusterSizes,
  clustersTooSmall,
  coefficientOfVariation,
  daviesBouldin,
  type EvaluateRequest,
  type Evaluation,
  type Evenness,
  eightyPercentRule,
  evaluate,
  evenness,
  type FairnessMeasures,
  type FairnessRequest,
  type GroupCounts,
  type GroupRates,
  type GroupShares,
  groupCounts,
  groupShares,
  type Judged,
  type Judgement,
  judge,
  meaningfulSize,
  measureFairness,
  normalisedEntropy,
  type Points,
  partyRandIndex,
  type Rate,
  relativeError,
  type Silhouette,
  type SilhouetteOptions,
  silhouette,
  silhouetteSamples,
  simplifiedSilhouette,
  sse,
  type Verdict,
  type VerdictDetails,
  type Violation,
  violation,
  type Worst,
} from "./metrics/index.js";
export {
  Ledger,
  type LedgerRecord,
  type LedgerStore,
  type Release,
  type Standing,
} from "./privacy/accounting/ledger.js";
export type { Guarantee, Loss } from "./privacy/accounting/loss.js";
/** Noise that repeats itself, for tests: results made with it say that they are not private. */
export { type NoiseSource, seededNoise } from "./privacy/noise/chance.js";
/** A clustering as one self-contained HTML page. */
export { renderReport } from "./report/report.js";
/** Tables in and out, and people made from them. */
export {
  type Attribute,
  type Column,
  type ColumnDescription,
  type ColumnKind,
  type DescribedColumn,
  type Dropped,
  type DroppedGroup,
  describeSource,
  describeTable,
  type EncodeOptions,
  type Encoding,
  encodePeople,
  type GenerateOptions,
  type GeneratorKind,
  generateTable,
  generatorKinds,
  joinLabels,
  kindOf,
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
  preparePeople,
  type ReadOptions,
  readImages,
  readLabels,
  readTable,
  type Scaling,
  type Suggestion,
  type Table,
  type TableDescription,
  type TextColumn,
  writeLabels,
  writeTable,
} from "./table/index.js";
export { version } from "./version.js";
