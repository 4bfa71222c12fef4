import * as z from "zod";
import type { Announcement, Commitment, Disclosure } from "../../privacy/masks/double.js";
import type { RingShares } from "../../privacy/masks/ring-masks.js";
import { hashOf } from "../canonical.js";

/** More sites than any card has. */
const mostSites = 10_000;
const text = z.string().max(400);
const byName = z.record(z.string().max(100), text);
const named = { job: z.string(), epoch: z.number().int().min(0), round: z.number().int().min(0) };
const round = z.strictObject(named);

/** Which run and round is spoken of; the rest is for the round itself to check. */
export const roundSchema = z.object(named);

/** What is said about masks, beside the question that they are for. All but signatures is base64. */
export const announceSchema = round;
export const vouchSchema = round.extend({ survivors: z.array(z.string()).max(100) });

export const discloseSchema = vouchSchema.extend({
  /** Signatures of the survivors under their very list; none are needed where no party dropped out. */
  vouchers: byName,
  /** Whether another round is to follow. */
  next: z.number().int().min(0),
});
export const lettersSchema = byName;
/** Beside the numbers: what they answer. */
export const maskedAnswerSchema = z.strictObject({ asked: text });

/** Of many sites: which round a sum is of, and who of the attempt has left before it. */
export const listSchema = z.strictObject({ round: named.round, absent: z.array(z.string().max(100)).max(mostSites) });
/** The numbers of the last question once more, under the masks of another round. */
export const againSchema = round.extend(listSchema.shape);
/** The numbers of all members of the round are in. */
export const openSchema = round;
/** Beside the numbers of a round. */
const ringSharesSchema = z.strictObject({ seed: text, shares: z.string().max(100_000) });
/** They do not come where the same was summed over others. */
export const ringAnswerSchema = z.union([ringSharesSchema, z.strictObject({ refused: z.literal(true) })]);
/** False where the same was summed over others; else what opens the round is the body. */
export const ringOpeningSchema = z.strictObject({ opened: z.boolean() });

export type RoundList = z.infer<typeof listSchema>;

export type RoundName = z.infer<typeof round>;

const announcementSchema = z.strictObject({ publicKey: text, seed: text, letters: byName });
const opened = z.strictObject({ selfMasks: byName, pairKeys: byName });
const disclosureSchema = z.strictObject({ opened: opened.nullable(), next: announcementSchema });
export const vouchedSchema = z.strictObject({ signature: text });

export type SentAnnouncement = z.infer<typeof announcementSchema>;
export { announcementSchema, disclosureSchema };

export function packAnnouncement({ publicKey, seed, letters }: Announcement): SentAnnouncement {
  return { publicKey: base64(publicKey), seed: base64(seed), letters: mapped(letters, base64) };
}

export function unpackCommitment({ publicKey, seed }: SentAnnouncement): Commitment {
  return { publicKey: bytes(publicKey), seed: bytes(seed) };
}

export function packDisclosure({ selfMasks, pairKeys }: Disclosure) {
  return {
    selfMasks: mapped(selfMasks, (share) => base64(share.value)),
    pairKeys: mapped(pairKeys, (share) => base64(share.value)),
  };
}

/** The shares are the discloser's own: `at` is its place among the participants, from 1. */
export function unpackDisclosure({ selfMasks, pairKeys }: z.infer<typeof opened>, at: number): Disclosure {
  const shares = (given: Record<string, string>) =>
    new Map(Object.entries(given).map(([id, value]) => [id, { at, value: bytes(value) }]));
  return { selfMasks: shares(selfMasks), pairKeys: shares(pairKeys) };
}

export function packRingShares({ seed, shares }: RingShares): z.infer<typeof ringSharesSchema> {
  return { seed: base64(seed), shares: base64(shares) };
}

export function unpackRingShares({ seed, shares }: z.infer<typeof ringSharesSchema>): RingShares {
  return { seed: bytes(seed), shares: bytes(shares) };
}

export function unpackLetters(letters: Readonly<Record<string, string>>): Map<string, Uint8Array> {
  return new Map(Object.entries(letters).map(([from, letter]) => [from, bytes(letter)]));
}

/** What a survivor signs: that in this round, of this very attempt, the numbers of exactly these parties have arrived. */
export function survivorsHash(
  { job, epoch, round, attempt }: RoundName & { readonly attempt: string },
  survivors: readonly string[],
): string {
  // Of the wire format: the field has this name in all versions.
  return hashOf({ job, epoch, round, life: attempt, survivors: [...survivors].sort() });
}

function mapped<T>(values: ReadonlyMap<string, T>, pack: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Array.from(values, ([id, value]) => [id, pack(value)]));
}

function base64(value: Uint8Array): string {
  return Buffer.from(value).toString("base64");
}

function bytes(value: string): Uint8Array {
  return new Uint8Array(Buffer.from(value, "base64"));
}
