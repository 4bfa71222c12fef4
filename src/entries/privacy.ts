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
export { type AlignmentOptions, type AlignmentPeer, align } from "../privacy/alignment/align.js";
export { type Alignment, alignLocally, type NamedIds } from "../privacy/alignment/local.js";
export { AlignmentParty } from "../privacy/alignment/party.js";
export { LayerPool } from "../privacy/alignment/pool.js";
export {
  type AuditDetails,
  type AuditEntry,
  type AuditHead,
  AuditLog,
  type AuditReading,
  type AuditSigner,
  type AuditStorage,
  checkHead,
  checkSignature,
  readAudit,
} from "../privacy/audit/log.js";
export type { AuditedMember, LogVerdict } from "../privacy/audit/verify.js";
export {
  type BlindedRows,
  Blinding,
  type BlindPass,
  smallestPositions,
  type TieOrder,
} from "../privacy/blinding/pass.js";
export { GroupKey } from "../privacy/group-key.js";
export { addInto, bytesOf, type Integers, integersOf, toIntegers, toNumbers } from "../privacy/integers.js";
export { type AgreementKeys, agreementKeysOf, newAgreementKeys } from "../privacy/keys.js";
export {
  type Announcement,
  type Commitment,
  type Disclosure,
  DoubleMasks,
} from "../privacy/masks/double.js";
export { type Promised, proveHeadroom } from "../privacy/masks/headroom.js";
export { beginEpoch, type EpochMemory, type MaskLabel } from "../privacy/masks/labels.js";
export { type FreshKeys, type MaskJob, PairKeys, type PinnedParty, pairKeysOfAll } from "../privacy/masks/pair-keys.js";
export { PairwiseMasks } from "../privacy/masks/pairwise.js";
export { type MaskedRound, MaskRecovery } from "../privacy/masks/recovery.js";
export { safeThreshold } from "../privacy/masks/threshold.js";
export type { NoiseSource } from "../privacy/noise/chance.js";
export { type ColumnDigest, columnDigest, findOverlaps, type Overlap, partitionDigest } from "../privacy/overlap.js";
export type { RandomBytes } from "../privacy/random.js";
