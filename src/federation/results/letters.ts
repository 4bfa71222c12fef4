import type { RandomBytes } from "../../privacy/random.js";
import { letterKey, seal, unseal } from "../../privacy/seal.js";
import { type Identity, type Kit, memberOf } from "../identity/kit.js";

export type LetterKind = "part" | "labels";

/** A result for one reader: the coordinator carries and keeps it, and cannot open it. */
export function sealFor(
  kit: Kit,
  reader: Identity,
  kind: LetterKind,
  hash: string,
  content: Uint8Array,
  random: RandomBytes,
): Buffer {
  const key = letterKey(kit.agreementSecret, Buffer.from(memberOf(kit, reader).agreement, "base64"));
  return seal(key, ["result", kind, hash, kit.name, reader.name], content, random);
}

export function openFrom(kit: Kit, writer: Identity, kind: LetterKind, hash: string, sealed: Uint8Array): Buffer {
  const key = letterKey(kit.agreementSecret, Buffer.from(memberOf(kit, writer).agreement, "base64"));
  return unseal(key, ["result", kind, hash, writer.name, kit.name], sealed);
}
