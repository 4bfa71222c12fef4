/** Fair classifiers, trained over parties; runs in browsers too. @packageDocumentation */
export { type ErrorCode, MoietyError } from "../errors.js";
/** The methods that train classifiers, with one line each and the paper. */
export { type MethodName, methods } from "../learning/catalogue.js";
export type { Checkpoint } from "../learning/checkpoint.js";
export type { Classifier, ClassifyOptions } from "../learning/model.js";
export type { NetName, Shape } from "../learning/net/nets.js";
export type { ModelInput, Prepared, PrepareOptions } from "../learning/prepare.js";
export type { CurveValues, Fairness } from "../learning/tally.js";
export type { Examples } from "../learning/trainer.js";
export type {
  CurvePoint,
  LearningData,
  Trained,
  TrainOptions,
  TrainProgress,
  TrainResult,
} from "../learning/types.js";
/** Classifiers: `prepareLearning` and `train` make one, `classify` asks it about the rows of a table. */
export * from "../library/learning.js";
