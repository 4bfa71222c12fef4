import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from "node:crypto";
import { MoietyError } from "../errors.js";
import type { RandomBytes } from "./random.js";

/** An X25519 key pair, 32 bytes each (RFC 7748). */
export interface AgreementKeys {
  readonly secretKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

export function newAgreementKeys(random: RandomBytes): AgreementKeys {
  return agreementKeysOf(random(32));
}

/** The pair that belongs to a secret key. */
export function agreementKeysOf(secretKey: Uint8Array): AgreementKeys {
  const { x } = createPublicKey(secretKeyObject(secretKey)).export({ format: "jwk" });
  return { secretKey, publicKey: Buffer.from(x as string, "base64url") };
}

/**
 * Promise: the secret is known only to the two holders of the secret keys, provided that each took the other's public
 * key from provisioning. A key that came through the coordinator may be the coordinator's own. Refuses public keys of
 * small order, with which everybody would agree on zero.
 */
export function agree(secretKey: Uint8Array, publicKey: Uint8Array): Buffer {
  try {
    return diffieHellman({ privateKey: secretKeyObject(secretKey), publicKey: publicKeyObject(publicKey) });
  } catch (cause) {
    throw new MoietyError("input", "a peer's public key is not usable: provision the federation again", { cause });
  }
}

/** Keys that were imported before: a site agrees with many others by the same one. */
const imported = new WeakMap<Uint8Array, KeyObject>();

/** Importing keys as JWK is three times as fast as DER. The public half is not needed, but the format wants a text. */
export function secretKeyObject(secretKey: Uint8Array): KeyObject {
  const jwk = () => ({ kty: "OKP", crv: "X25519", d: text(secretKey), x: "" });
  const key = imported.get(secretKey) ?? createPrivateKey({ key: jwk(), format: "jwk" });
  imported.set(secretKey, key);
  return key;
}

export function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "X25519", x: text(publicKey) }, format: "jwk" });
}

function text(key: Uint8Array): string {
  if (key.length !== 32) throw new MoietyError("input", `a key has ${key.length} bytes and must have 32`);
  return Buffer.from(key.buffer, key.byteOffset, 32).toString("base64url");
}
