import { diffieHellman } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { publicKeyObject, secretKeyObject } from "../keys.js";
import { pointsOf } from "./elligator.js";

/** Some ids or points, and the secret key of the layer that goes on them. */
export interface LayerTask {
  readonly secretKey: Uint8Array;
  /** Texts, or points of 32 bytes each. */
  readonly on: readonly string[] | Uint8Array;
}

/** Puts layers on, on this thread or on others. */
export type LayerWork = (task: LayerTask) => Promise<Uint8Array>;

/**
 * Multiplies every point by a secret factor (X25519). Layers of several parties commute: in whatever order they go on, equal
 * ids end as equal points.
 *
 * Promise: without the factor nobody can take the layer off, put it on, or tell whether two points of different layers are
 * the same id (the decisional Diffie-Hellman assumption on Curve25519). X25519 makes factors multiples of 8, which clears the
 * small subgroups of curve and twist, so that no part of a factor leaks through a point of small order; such points, with
 * which every product is 0, are refused.
 */
export function putLayer({ secretKey, on }: LayerTask): Uint8Array {
  const points = on instanceof Uint8Array ? on : pointsOf(on);
  if (points.length % 32 !== 0) throw new MoietyError("failed", `${points.length} bytes are not whole points`);
  const privateKey = secretKeyObject(secretKey);
  const out = new Uint8Array(points.length);
  try {
    for (let at = 0; at < points.length; at += 32) {
      out.set(diffieHellman({ privateKey, publicKey: publicKeyObject(points.subarray(at, at + 32)) }), at);
    }
  } catch (cause) {
    throw new MoietyError("failed", "an encrypted id is no usable point", { cause });
  }
  return out;
}
