import { createCipheriv, createDecipheriv } from "node:crypto";
import { MoietyError } from "../errors.js";
import { deriveKey, encodeLabel, type LabelPart } from "./derive.js";
import { agree } from "./keys.js";
import type { RandomBytes } from "./random.js";

const nonceBytes = 12;
const tagBytes = 16;

/** The key of the sealed letters between two parties, from one's secret and the other's pinned public key. */
export function letterKey(secretKey: Uint8Array, publicKey: Uint8Array): Buffer {
  return deriveKey(agree(secretKey, publicKey), ["letter"], 32);
}

/**
 * Promise: whoever carries a sealed letter (the coordinator) can neither read nor change it, nor pass it off under
 * another label (AES-256-GCM). It sees the length. A replay under the same label is for the reader to notice.
 */
export function seal(key: Uint8Array, label: readonly LabelPart[], content: Uint8Array, random: RandomBytes): Buffer {
  const nonce = random(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(encodeLabel(label));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

export function unseal(key: Uint8Array, label: readonly LabelPart[], sealed: Uint8Array): Buffer {
  try {
    const end = sealed.length - tagBytes;
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(encodeLabel(label)).setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
  } catch (cause) {
    throw new MoietyError("failed", "a sealed letter was changed, or is not meant for here", { cause });
  }
}
