import { createHash } from "node:crypto";
import { pairKeysOfAll, type RandomBytes } from "../../src/entries/privacy.js";
import { align } from "../../src/privacy/alignment/align.js";
import { pointsOf } from "../../src/privacy/alignment/elligator.js";
import { putLayer } from "../../src/privacy/alignment/layer.js";
import { AlignmentParty } from "../../src/privacy/alignment/party.js";
import { distinctIds } from "../../src/table/order.js";

const digestBytes = 16;

/** All ids that there could be: an attacker can list them. */
export function possibleIds(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `AB${String(at).padStart(6, "0")}`);
}

/** Digests of ids without a key, as they are often exchanged. */
export function hashedIds(ids: readonly string[]): Set<string> {
  return new Set(ids.map((id) => createHash("sha256").update(id).digest().subarray(0, digestBytes).toString("hex")));
}

/** What the coordinator of a real alignment sees: letters and digests, cut into pieces of a digest's length. */
export async function alignedIds(sets: readonly (readonly string[])[], random: RandomBytes): Promise<Set<string>> {
  const keys = pairKeysOfAll(
    sets.map((_, at) => `party-${at}`),
    random,
  );
  const seen = new Set<string>();
  const note = (message: Uint8Array) => {
    const bytes = Buffer.from(message);
    for (let at = 0; at + digestBytes <= bytes.length; at++) seen.add(bytes.toString("hex", at, at + digestBytes));
    return message;
  };
  const distinct = await Promise.all(sets.map((ids) => distinctIds(ids)));
  const peers = sets.map((_, at) => {
    const party = new AlignmentParty(distinct[at], keys[at], async (task) => putLayer(task), random);
    return {
      id: party.id,
      size: party.size,
      chunk: async (number: number) => note(await party.chunk(number)),
      relay: async (owner: string, number: number, letter: Uint8Array) =>
        note(await party.relay(owner, number, letter)),
      accept: (common: Uint8Array) => party.accept(common),
    };
  });
  await align(peers);
  return seen;
}

/**
 * Tries every possible id against what was seen: as a plain digest, as a point, and as a point under a layer of the
 * attacker's own. The share of a party's ids that it finds.
 */
export function byDictionary(
  possible: readonly string[],
  seen: ReadonlySet<string>,
  held: readonly string[],
  random: RandomBytes,
): number {
  const points = pointsOf(possible);
  const layered = putLayer({ secretKey: random(32), on: points });
  const plain = [...hashedIdsInOrder(possible)];
  const has = (bytes: Uint8Array, at: number) => {
    return seen.has(Buffer.from(bytes.subarray(32 * at, 32 * at + digestBytes)).toString("hex"));
  };
  const found = new Set(possible.filter((_, at) => seen.has(plain[at]) || has(points, at) || has(layered, at)));
  return held.filter((id) => found.has(id)).length / held.length;
}

function* hashedIdsInOrder(ids: readonly string[]): Iterable<string> {
  for (const id of ids) yield* hashedIds([id]);
}
