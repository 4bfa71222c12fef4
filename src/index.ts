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
export * from "./entries/browser.js";
export * from "./entries/learning.js";
export * from "./entries/metrics.js";
export * from "./entries/report.js";
/** People who stay in a database or a cluster. */
export { clusterInEngine, type EngineOptions } from "./library/engines.js";
/** Tables in and out. */
export * from "./library/files.js";
/** The books of what private releases have spent. */
export { CheckedLedger as Ledger, CheckedLedgerFolder as LedgerFolder } from "./library/ledger.js";
/** Nearest neighbours of vectors. */
export * from "./library/neighbours.js";
/** People who may be more than memory holds. */
export { clusterSource, type SourceOptions } from "./library/sources.js";
export type { SearchOptions, SearchResult } from "./neighbours/neighbour-index.js";
export type { IndexFacts, IndexOptions, SearchSetting } from "./neighbours/types.js";
export type { BuildIndexOptions } from "./neighbours/vectors.js";
export type { LedgerRecord, LedgerStore, Release, Standing } from "./privacy/accounting/ledger.js";
export type { Guarantee, Loss } from "./privacy/accounting/loss.js";
export type { ColumnDescription, ReadOptions } from "./table/disk/index.js";
