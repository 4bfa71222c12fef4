import { createHash } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { deriveKey, type LabelPart } from "../../privacy/derive.js";
import type { RandomBytes } from "../../privacy/random.js";
import { letterKey, seal, unseal } from "../../privacy/seal.js";
import { type Kit, memberOf } from "../identity/kit.js";

/** Numbers about one site's own people, for the readers of a result; `small` where some count too few people. */
export interface SiteTable {
  readonly name: string;
  readonly numbers: Float64Array;
  readonly small: boolean;
}

/** A site's tables as they travel in its letters, and its words for those of the others: [table], [other site][table], base64. */
export interface LockedTables {
  readonly tables: Readonly<Record<string, string>>;
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const wordBytes = 32;

/** Whose tables of which job they are: all sites on the card, in its order, and a digest of all that the coordinator told them. */
export interface TablesOf {
  readonly job: string;
  readonly sites: readonly string[];
  readonly told: string;
}

/**
 * A site's own tables, each locked with a word of every other site.
 *
 * Promise: readers open tables of one name either of all sites or of none, and of none where some site's has a count of too few
 * people. Nobody can then subtract what the others show from what all have together; nor does anybody learn which site it was.
 *
 * Proof: the key of a site's table follows from words that it shares with one other site each (from the two sites' pinned keys), and
 * which that other site gives to readers only if its own table of this name has no small count. A site whose table has one gives
 * words, and locks its own table with a key, that follow from its secret alone and look the same, each time it is asked. Without all right words a key is unknown. A
 * coordinator that tells sites different things, so that some look at other clusters, makes their words differ: `told` is in each.
 */
export function lockTables(
  kit: Kit,
  { job, sites, told }: TablesOf,
  tables: readonly SiteTable[],
  random: RandomBytes,
): LockedTables {
  const others = sites.filter((site) => site !== kit.name);
  const pairs = new Map(
    others.map((other) => {
      const { agreement } = memberOf(kit, { role: "party", name: other });
      return [other, letterKey(kit.agreementSecret, Buffer.from(agreement, "base64"))];
    }),
  );
  /** What `giver` gives for the table of `owner`: this site is one of the two. */
  const word = (owner: string, giver: string, table: string) =>
    deriveKey(pairs.get(owner === kit.name ? giver : owner)!, ["table", job, told, owner, giver, table], wordBytes);
  const noWord = (owner: string, table: string) =>
    deriveKey(kit.agreementSecret, ["no table", job, told, owner, table], wordBytes);
  const locked = tables.map(({ name, numbers, small }) => {
    const key = small ? noWord(kit.name, name) : keyOf(others.map((other) => word(kit.name, other, name)));
    const content = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    const sealed = seal(key, labelOf(job, kit.name, name), content, random);
    return [name, sealed.toString("base64")] as const;
  });
  const given = others.map((other) => {
    const words = tables.map(({ name, small }) => {
      return [name, (small ? noWord(other, name) : word(other, kit.name, name)).toString("base64")] as const;
    });
    return [other, Object.fromEntries(words)] as const;
  });
  return { tables: Object.fromEntries(locked), words: Object.fromEntries(given) };
}

/** The tables of this name by site; undefined where they cannot be opened. */
export function openTables(
  job: string,
  sites: readonly string[],
  locked: ReadonlyMap<string, LockedTables>,
  table: string,
): Map<string, Float64Array> | undefined {
  const opened = new Map<string, Float64Array>();
  for (const owner of sites) {
    const sealed = locked.get(owner)?.tables[table];
    const words = sites.filter((site) => site !== owner).map((giver) => locked.get(giver)?.words[owner]?.[table]);
    if (sealed === undefined || words.includes(undefined)) return undefined;
    const key = keyOf(words.map((word) => Buffer.from(word!, "base64")));
    try {
      const content = unseal(key, labelOf(job, owner, table), Buffer.from(sealed, "base64"));
      // In memory of its own, and so aligned.
      opened.set(owner, new Float64Array(Uint8Array.from(content).buffer));
    } catch (error) {
      if (error instanceof MoietyError) return undefined;
      throw error;
    }
  }
  return opened;
}

/** One more message in the digest of all that were told. */
export function digestWith(told: string, ...message: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256").update(told);
  for (const part of message) {
    hash.update(String(part.length));
    hash.update(" ").update(part);
  }
  return hash.digest("base64");
}

function keyOf(words: readonly Uint8Array[]): Buffer {
  return deriveKey(Buffer.concat(words), ["key of a table"], wordBytes);
}

function labelOf(job: string, owner: string, table: string): LabelPart[] {
  return ["table", job, owner, table];
}
