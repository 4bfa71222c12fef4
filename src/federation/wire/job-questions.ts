import * as z from "zod";
import type { AuditHead } from "../../privacy/audit/log.js";
import { hashOf } from "../canonical.js";
import { memberName } from "../identity/kit.js";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const attempt = { job: hash, epoch: z.number().int().min(0) };
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
  /** Of many sites: a commitment to a draw for the order of all of them, signed with the key. */
  draw: z.strictObject({ commitment: z.string().max(60), signature }).optional(),
});

/** Of many sites, before any of them has shown its draw: what each has committed itself to. */
const committedSchema = z.strictObject({ key: z.string().max(60), draw: z.string().max(60), signature });
export const revealSchema = z.strictObject({ ...attempt, committed: z.record(memberName, committedSchema) });
export const revealedSchema = z.strictObject({ draw: z.string().max(60) });

export type Committed = z.infer<typeof committedSchema>;

export const attestSchema = z.strictObject({
  ...attempt,
  /** What the others have answered. */
  joined: z.record(memberName, joinedSchema),
  /** The coordinator's own log, and what it had seen of this site's before. */
  head: auditHead,
  seen: auditHead.optional(),
  /** Of many sites, the first time: what everybody drew. `joined` has only those near this site then. */
  draws: z.record(memberName, z.string().max(60)).optional(),
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
export function joinedHash({ job, epoch, party }: Speaker, { key, head, marks }: Omit<Joined, "signature" | "draw">) {
  return hashOf({ job, epoch, party, key, head: markOf(head), marks });
}

/** What a site of many signs beside it, short enough for all to get all of them. */
export function committedHash({ job, epoch, party }: Speaker, { key, draw }: Omit<Committed, "signature">): string {
  return hashOf({ job, epoch, party, key, draw });
}

/** What a site signs about another one's log. That one's key was drawn for this attempt, so that nothing older passes. */
export function statementHash(
  { job, epoch, party }: Speaker,
  of: { readonly party: string; readonly key: string },
  { heads, opened }: Omit<Statement, "signature">,
): string {
  return hashOf({ job, epoch, party, of: of.party, key: of.key, heads: heads.map(markOf), opened });
}

/** Digits of a hash that are enough to tell logs of the same length apart. */
const markDigits = 24;

/** A short name of a head. */
export function markOf({ entries, hash }: Pick<AuditHead, "entries" | "hash">): string {
  return `${entries}:${hash.slice(0, markDigits)}`;
}

/** What a party is asked of a job as a whole, beside the questions of its preparation and of its run. */
export const considerSchema = z.strictObject({ card: z.unknown(), signature: z.string() });

export const beginSchema = z.strictObject({
  ...attempt,
  consents: z.record(z.string(), z.string()),
  /** Of the checkpoint to go on from; null to begin anew. */
  position: z.number().int().min(0).nullable(),
});

/** How many people a party holds, as far as that may be known, and how many answers it has beyond the checkpoint. */
export const begunSchema = z.object({ rows: z.number().int().min(1), answered: z.number().int().min(0) });

const challenge = z.string().regex(/^[0-9a-f]{32}$/);
/** An analyst wants to know what sites allow: the coordinator passes it on, and the signed answers back. */
export const policySchema = z.strictObject({ challenge });
/** Null where a site does not publish its policy. */
export const publishedSchema = z.strictObject({ policy: z.unknown(), signature }).nullable();
export const policiesSchema = z.strictObject({ policies: z.record(memberName, publishedSchema) });

/** Asked of a site that paused a job, until it has nothing against going on. */
export const recheckSchema = z.strictObject({ job: hash });

/** With rows split the coordinator alone can say what everybody is like together; kept beside the labels. */
export const finishSchema = z.strictObject({ job: hash, whole: z.record(z.string(), z.unknown()).optional() });

export const releaseSchema = z.strictObject({ job: hash, state: z.enum(["done", "failed"]) });

export type Begin = z.infer<typeof beginSchema>;
export type Begun = z.infer<typeof begunSchema>;
export type Finish = z.infer<typeof finishSchema>;
export type ReleaseRequest = z.infer<typeof releaseSchema>;
