import { type KeyObject, sign, verify } from "node:crypto";
import { failed } from "../../errors.js";
import { type Member, signingPublicKey } from "../identity/kit.js";

/** What a signature is about: nothing that is signed for one purpose passes for another. */
export type Purpose = "submit" | "consent" | "survivors" | "join" | "heads" | "policy";

/** Ed25519 over the purpose and the card's hash, in base64. */
export function signHash(key: KeyObject, purpose: Purpose, hash: string): string {
  return sign(null, message(purpose, hash), key).toString("base64");
}

/** Signatures that were found good: all consents are looked at more than once. Of many sites there are hundreds. */
const known = new Set<string>();
const mostKnown = 4096;

/** Throws "failed" when this is not the member's signature of that hash for that purpose. */
export function verifyHash(member: Member, purpose: Purpose, hash: string, signature: string): void {
  const all = `${member.signing} ${purpose} ${hash} ${signature}`;
  if (known.has(all)) return;
  const good = verify(null, message(purpose, hash), signingPublicKey(member.signing), Buffer.from(signature, "base64"));
  if (good) {
    if (known.size >= mostKnown) known.clear();
    known.add(all);
    return;
  }
  throw failed(`the signature of ${member.role} '${member.name}' does not belong to this card`);
}

function message(purpose: Purpose, hash: string): Buffer {
  return Buffer.from(`moiety ${purpose} 1 ${hash}`);
}
