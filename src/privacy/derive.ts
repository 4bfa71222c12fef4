import { createHmac, hkdfSync } from "node:crypto";

/** A part of a label: texts and bytes as they are, whole numbers below 2^53. */
export type LabelPart = string | number | Uint8Array;

/**
 * A label as bytes that no other label has: each part carries its kind and its length.
 */
export function encodeLabel(parts: readonly LabelPart[]): Buffer {
  return Buffer.concat(parts.flatMap(encodePart));
}

function encodePart(part: LabelPart): Uint8Array[] {
  const kind = typeof part === "string" ? 1 : typeof part === "number" ? 2 : 3;
  const body = typeof part === "string" ? Buffer.from(part) : typeof part === "number" ? numberBytes(part) : part;
  const head = Buffer.alloc(5);
  head[0] = kind;
  head.writeUInt32LE(body.length, 1);
  return [head, body];
}

function numberBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/**
 * Promise: keys of different labels tell nothing about each other or about the secret (HKDF with SHA-256, RFC 5869),
 * as long as the secret is one that nobody can guess.
 */
export function deriveKey(secret: Uint8Array, label: readonly LabelPart[], bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, new Uint8Array(0), encodeLabel(["moiety", 1, ...label]), bytes));
}

const first = Uint8Array.of(1);

/**
 * 32 bytes from what `deriveKey` has made: HKDF's second step alone, which is all that an even key needs, and several
 * times as fast where there is a key for every message.
 */
export function expandKey(key: Uint8Array, label: readonly LabelPart[]): Buffer {
  return createHmac("sha256", key)
    .update(encodeLabel(["moiety", 1, ...label]))
    .update(first)
    .digest();
}
