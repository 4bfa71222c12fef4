import { MoietyError } from "../errors.js";
import type { OidcSettings } from "./oidc-settings.js";

/** What a provider says of somebody who logged in. */
export interface Claims {
  readonly sub?: unknown;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly groups?: unknown;
}

/** Somebody who may use a page. */
export interface PagePerson {
  /** The provider's own name, which stays theirs. */
  readonly subject: string;
  /** As people know them: the verified address, else the subject. */
  readonly name: string;
}

/** Names go into logs and cards: one line, and not longer than the standards of subjects and addresses allow. */
const subjects = /^[\x20-\x7e]{1,255}$/;
const addresses = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const longestAddress = 254;

/** Throws where nothing in `allow` names this person. An address counts only if the provider has verified that it is theirs. */
export function personOf(claims: Claims, allow: OidcSettings["allow"]): PagePerson {
  const { sub, email_verified: verified } = claims;
  if (typeof sub !== "string" || !subjects.test(sub)) throw new MoietyError("input", "the provider names nobody");
  const email = verified === true ? addressIn(claims.email) : undefined;
  const groups = Array.isArray(claims.groups) ? claims.groups : [];
  const allowed =
    allow.subjects?.includes(sub) ||
    (email !== undefined && allow.emails?.some((each) => each.toLowerCase() === email.toLowerCase())) ||
    allow.groups?.some((each) => groups.includes(each));
  const name = email ?? sub;
  if (!allowed)
    throw new MoietyError("input", `${name} (subject ${sub}) may not use this page: nothing in allow names them`);
  return { subject: sub, name };
}

function addressIn(email: unknown): string | undefined {
  return typeof email === "string" && email.length <= longestAddress && addresses.test(email) ? email : undefined;
}
