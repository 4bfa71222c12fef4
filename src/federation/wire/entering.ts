import { z } from "zod";
import type { AuditHead } from "../../privacy/audit/log.js";
import { hashOf } from "../consent/canonical.js";
import { memberName } from "../identity/kit.js";

const attempt = {
  job: z.string().regex(/^[0-9a-f]{64}$/),
  epoch: z.number().int().min(0),
};
const signature = z.string().max(200);

export const auditHead = z.strictObject({
  site: z.string().max(100),
  entries: z.number().int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  signature,
});

/** How an attempt of a run begins: every site joins it, attests to the others what it has seen of them, and enters. */
export const joinSchema = z.strictObject({ ...attempt, consents: z.record(memberName, z.string().max(200)) });

export const joinedSchema = z.strictObject({
  /** An X25519 public key that was drawn for this attempt; base64. */
  key: z.string().max(60),
  /** How far this site's log is, now that it says that this attempt was joined. */
  head: auditHead,
  /** Marks of heads that are in this log: see `markOf`. */
  marks: z.array(z.string().max(40)).max(1000),
  signature,
});

export const attestSchema = z.strictObject({
  ...attempt,
  /** What the others have answered. */
  joined: z.record(memberName, joinedSchema),
  /** The coordinator's own log, and what it had seen of this site's before. */
  head: auditHead,
  seen: auditHead.optional(),
});

const statementSchema = z.strictObject({
  heads: z.array(auditHead).max(1000),
  /** Of a private job: digests of the noisy questions whose sums, with that site's numbers, this one has helped to open. */
  opened: z.array(z.string().max(60)).max(2000),
  signature,
});
/** For each other site, all that this one holds of its log, and knows of its part in the job. */
export const attestedSchema = z.strictObject({ statements: z.record(memberName, statementSchema) });

export const enterSchema = z.strictObject({ ...attempt, statements: z.record(memberName, statementSchema) });
/** Null where it has entered; else what the others have to see before it does. */
export const enteredSchema = z.strictObject({ again: joinedSchema.nullable() });

export type Joined = z.infer<typeof joinedSchema>;
export type Statement = z.infer<typeof statementSchema>;

/** Which attempt, and who speaks. */
interface Speaker {
  readonly job: string;
  readonly epoch: number;
  readonly party: string;
}

/** What a site signs when it joins. */
export function joinedHash({ job, epoch, party }: Speaker, { key, head, marks }: Omit<Joined, "signature">): string {
  return hashOf({ job, epoch, party, key, head: markOf(head), marks });
}

/** What a site signs about another one's log. That one's key was drawn for this attempt, so that nothing older passes. */
export function statementHash(
  { job, epoch, party }: Speaker,
  of: { readonly party: string; readonly key: string },
  { heads, opened }: Omit<Statement, "signature">,
): string {
  return hashOf({ job, epoch, party, of: of.party, key: of.key, heads: heads.map(markOf), opened });
}

/** Bytes of a hash that tell it from all others of as long a log. */
const markDigits = 24;

/** A head in short. */
export function markOf({ entries, hash }: Pick<AuditHead, "entries" | "hash">): string {
  return `${entries}:${hash.slice(0, markDigits)}`;
}
