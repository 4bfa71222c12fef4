/**
 * Moiety without Node: for pages, workers and whatever else runs JavaScript and WebAssembly.
 *
 * ```ts
 * import { cluster, preparePeople, tableFromCsv } from "moiety/browser";
 *
 * const people = preparePeople(tableFromCsv(text), { protect: ["sex"] });
 * const { labels, result } = await cluster(people, { k: 5 });
 * ```
 *
 * The labels are those of the command line. A page that is isolated from other origins computes on several threads, any other
 * on one. Call it in a worker: a page does not answer while it computes.
 *
 * @packageDocumentation
 */
/** The algorithms that there are, with one line each and the paper. */

export type { AssignOptions, AssignResult } from "../algorithms/assign.js";
export { algorithms } from "../algorithms/catalogue.js";
/** Of private clusterings: what can be asked for, and what a result promises. */
export type { PrivacyOptions } from "../algorithms/dp-fair/privacy-options.js";
export type { PrivacyStatement } from "../algorithms/dp-fair/statement.js";
export type { Model, PredictOptions } from "../algorithms/model.js";
export type {
  FeasiblePoint,
  InfeasiblePoint,
  SweepKnee,
  SweepOptions,
  SweepPoint,
  SweepResult,
} from "../algorithms/sweep-types.js";
export type { AlgorithmName, ClusterOptions, ClusterResult, Progress } from "../algorithms/types.js";
export type { UpdateOptions, UpdateResult } from "../algorithms/update.js";
export { type ErrorCode, MoietyError } from "../errors.js";
export type { LotteryOptions, LotteryProgress, LotteryResult, QuotaResult } from "../grouping/lottery/types.js";
export type { AlikeDimension, TeamOptions, TeamProgress, TeamResult } from "../grouping/types.js";
/** Audit logs: `verifyAudit` checks every hash and signature, and whether a log was cut or written anew since others saw it. */
export { type AuditText, verifyAudit } from "../library/audit.js";
/**
 * Clusterings: `cluster` makes one, `sweep` many; `toModel` makes JSON of it, `parseModel` checks what was read back, `predict`
 * gives each row of a table the nearest centre, `assign` a cluster within the model's bounds, `update` lets a model follow those
 * who come, and `renderReport` writes a page.
 */
export * from "../library/clustering.js";
/** Teams that are alike to each other: `group` makes them, and `lottery` draws a panel. */
export * from "../library/grouping.js";
export type { AnyLabels, Clustering } from "../library/labels.js";
export { checkFeasible, evaluate, resolveBounds } from "../library/measures.js";
export { renderReport } from "../library/report.js";
/** Tables, and people made from them. */
export * from "../library/tables.js";
export type { AuditHead } from "../privacy/audit/log.js";
export type { AuditedMember, LogVerdict } from "../privacy/audit/verify.js";
export type { NoiseSource } from "../privacy/noise/chance.js";
export {
  type ArrowTable,
  type Attribute,
  type Cell,
  type Column,
  type ColumnData,
  type ColumnKind,
  type CsvOptions,
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
} from "../table/index.js";
export { version } from "../version.js";
