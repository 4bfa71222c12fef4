/** What keeps data from whoever carries it. Nothing here uses a network, a clock, a disk or randomness of its own. */

export { type AlignmentOptions, type AlignmentPeer, align } from "./alignment/align.js";
export { type Alignment, alignLocally, type NamedIds } from "./alignment/local.js";
export { AlignmentParty } from "./alignment/party.js";
export { LayerPool } from "./alignment/pool.js";
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
} from "./audit/log.js";
export { type BlindedRows, Blinding, type BlindPass, smallestPositions, type TieOrder } from "./blinding/pass.js";
export { GroupKey } from "./group-key.js";
export { addInto, bytesOf, type Integers, integersOf, toIntegers, toNumbers } from "./integers.js";
export { type AgreementKeys, agreementKeysOf, newAgreementKeys } from "./keys.js";
export { type Announcement, type Commitment, type Disclosure, DoubleMasks, safeThreshold } from "./masks/double.js";
export { type Promised, proveHeadroom } from "./masks/headroom.js";
export { beginEpoch, type EpochMemory, type MaskLabel } from "./masks/labels.js";
export { type FreshKeys, type MaskJob, PairKeys, type PinnedParty, pairKeysOfAll } from "./masks/pair-keys.js";
export { PairwiseMasks } from "./masks/pairwise.js";
export { type MaskedRound, MaskRecovery } from "./masks/recovery.js";
export { type ColumnDigest, columnDigest, findOverlaps, type Overlap, partitionDigest } from "./overlap.js";
export type { RandomBytes } from "./random.js";
