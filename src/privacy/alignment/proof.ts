import { createHmac, type Hash, type Hmac } from "node:crypto";
import { inTurns } from "../../turns.js";
import { encodeLabel } from "../derive.js";

/** Feeds ids to a digest, each with its length, so that no two lists look alike. */
export function updateWithIds(digest: Hash | Hmac, ids: readonly string[]): Promise<void> {
  return inTurns(ids, (part) => {
    digest.update(part.map((id) => `${Buffer.byteLength(id)}:${id}`).join(""));
  });
}

/** A digest of the common ids, in order, under a key that the parties share and the coordinator lacks. */
export async function digestOfPeople(common: readonly string[], groupKey: Uint8Array): Promise<Buffer> {
  const digest = createHmac("sha256", groupKey).update("moiety alignment 2");
  await updateWithIds(digest, common);
  return digest.digest();
}

/**
 * What a party shows the others of that digest, each party its own. They compare them: a right one means the same people in
 * the same order, whatever the coordinator answered or passed on.
 */
export function proofOf(people: Uint8Array, groupKey: Uint8Array, prover: string): Buffer {
  return createHmac("sha256", groupKey)
    .update(encodeLabel(["moiety proof of people", people, prover]))
    .digest();
}
