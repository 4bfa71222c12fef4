/** The fields of `Job` in assembly/learning/index.ts, and of `Loss` in loss.ts, in the same order: 4 bytes each. */
export const jobFields = [
  "forward",
  "forwardCount",
  "backward",
  "backwardCount",
  "order",
  "people",
  "batch",
  "data",
  "features",
  "labels",
  "groups",
  "input",
  "loss",
  "scores",
  "parameters",
  "gradients",
  "parameterCount",
  "partials",
  "meeting",
  "skipped",
  "rate",
  "clip",
] as const;

export const lossFields = [
  "logits",
  "gradients",
  "kind",
  "groups",
  "classes",
  "reference",
  "entropyWeights",
  "rateWeights",
  "lambda",
  "scratch",
  "probabilities",
] as const;

/** Those that are not whole numbers, but single precision. */
export const singles: readonly (typeof jobFields)[number][] = ["rate", "clip"];
