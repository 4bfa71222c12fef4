import * as z from "zod";
import { isReserved } from "../../table/names.js";

/** Letters, digits, dashes: names become folders, keys of stores and parts of certificates. */
export const memberName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,47}$/, "small letters, digits and dashes, at most 48, such as bank-a")
  .refine((name) => !isReserved(name), "no name that every object answers to, such as constructor");

export const role = z.enum(["coordinator", "party", "analyst"]);
export type Role = z.infer<typeof role>;

/** Who somebody is: certificates prove it. */
export interface Identity {
  readonly role: Role;
  readonly name: string;
}

export const member = z.strictObject({
  role,
  name: memberName,
  /** SHA-256 of the certificate, as TLS shows it. */
  fingerprint: z.string(),
  /** Of the certificate that this one replaces, which is good until it ends: so a new one can be put in place at any time. */
  former: z.string().exactOptional(),
  /** X25519, for masks and sealed letters. */
  agreement: z.string(),
  /** Ed25519, for consent. */
  signing: z.string(),
  /** When the certificate ends; kits of earlier versions do not say. */
  expires: z.string().optional(),
});

export type Member = z.infer<typeof member>;
