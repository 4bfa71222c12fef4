/** Measures of any labelling, and the bounds that it is measured against; runs in browsers too. @packageDocumentation */
export type { Bounds, ExplicitBounds, SizeLimits } from "../constraints/bounds.js";
export type { FeasibilityRequest } from "../constraints/feasibility/index.js";
export { type ErrorCode, MoietyError } from "../errors.js";
/**
 * Metrics of any labelling: `evaluate` for all of them, and each by itself. `resolveBounds` turns a delta or explicit shares into
 * the bounds of each attribute; `checkFeasible` throws, naming what binds and the nearest feasible request, when no clustering
 * can meet them.
 */
export * from "../library/measures.js";
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
} from "../metrics/index.js";
