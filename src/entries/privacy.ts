/**
 * What keeps data from whoever carries it, and the books of what private releases have spent. Nothing here uses a network, a
 * clock or randomness of its own.
 *
 * @packageDocumentation
 */
export { type ErrorCode, MoietyError } from "../errors.js";
export { type AuditText, verifyAudit } from "../library/audit.js";
export { CheckedLedger as Ledger, CheckedLedgerFolder as LedgerFolder } from "../library/ledger.js";
export type { LedgerRecord, LedgerStore, Release, Standing } from "../privacy/accounting/ledger.js";
export type { Guarantee, Loss } from "../privacy/accounting/loss.js";
export type { AuditedMember, LogVerdict } from "../privacy/audit/verify.js";
export * from "../privacy/index.js";
export type { NoiseSource } from "../privacy/noise/chance.js";
