import { MoietyError } from "../../errors.js";
import { type DistinctIds, distinctIds } from "../../table/order.js";
import { pairKeysOfAll } from "../masks/pair-keys.js";
import type { RandomBytes } from "../random.js";
import { type AlignmentOptions, align } from "./align.js";
import { AlignmentParty } from "./party.js";
import { LayerPool } from "./pool.js";
import { digestOfPeople } from "./proof.js";

/** One party's ids, for an alignment in this process. */
export interface NamedIds {
  readonly name: string;
  readonly ids: Iterable<string> | DistinctIds;
}

export interface Alignment {
  /** The ids that all hold, in the order of their bytes. */
  readonly common: readonly string[];
  readonly parties: readonly { readonly name: string; readonly ids: number; readonly duplicates: number }[];
}

/**
 * The whole protocol between parties that are all in this process: what `moiety align` runs on several files. Nobody is
 * protected from whoever holds all the files; it is the same code as in a federation, and gives the same people.
 */
export async function alignLocally(
  sets: readonly NamedIds[],
  { threads, random, ...options }: AlignmentOptions & { readonly threads: number; readonly random: RandomBytes },
): Promise<Alignment> {
  const keys = pairKeysOfAll(
    sets.map(({ name }) => name),
    random,
  );
  const pool = new LayerPool(threads);
  try {
    const parties: AlignmentParty[] = [];
    for (const [at, { ids }] of sets.entries()) {
      const own = "sorted" in ids ? ids : await distinctIds(ids);
      parties.push(new AlignmentParty(own, keys[at], pool.work, random));
    }
    await align(parties, options);
    const groupKey = random(32);
    const digests = new Set<string>();
    for (const { common } of parties) digests.add((await digestOfPeople(common, groupKey)).toString("hex"));
    if (digests.size > 1) throw new MoietyError("failed", "the parties do not agree on the common people");
    return {
      common: parties[0].common,
      parties: parties.map(({ id, size, duplicates }) => ({ name: id, ids: size, duplicates })),
    };
  } finally {
    await pool.close();
  }
}
