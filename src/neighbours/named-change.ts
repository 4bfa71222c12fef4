import { MoietyError } from "../errors.js";
import type { IndexDescription } from "./disk.js";
import type { NeighbourIndex } from "./neighbour-index.js";
import type { IndexOptions } from "./types.js";
import type { NamedVectors } from "./vectors.js";

/** An index, and how its columns and vectors are called. */
export interface NamedIndex {
  readonly index: NeighbourIndex;
  readonly about: IndexDescription;
}

type ChangeOptions = Pick<IndexOptions, "threads" | "onProgress" | "signal">;

/** The same index with more vectors behind the last. Where vectors have names, all differ. */
export async function insertVectors(
  { index, about }: NamedIndex,
  vectors: NamedVectors,
  options: ChangeOptions = {},
): Promise<NamedIndex> {
  const names = about.names ? [...about.names, ...(vectors.names ?? [])] : undefined;
  if (names && new Set(names).size < names.length) {
    const seen = `${names.length - new Set(names).size} of the new vectors have names that are in the index`;
    throw new MoietyError("input", `${seen}: remove those first, or name them otherwise`);
  }
  const changed = await index.change({ insert: vectors }, options);
  return { index: changed, about: { ...about, columns: vectors.columns, ...(names ? { names } : {}) } };
}

/** The same index without the vectors of these names; vectors without names are called by the numbers of their rows. */
export async function removeVectors(
  { index, about }: NamedIndex,
  wanted: readonly string[],
  options: ChangeOptions = {},
): Promise<NamedIndex> {
  const known = about.names ?? Array.from({ length: index.facts.n }, (_, i) => String(i));
  const placeOf = new Map(known.map((name, i) => [name, i]));
  const unknown = wanted.filter((name) => !placeOf.has(name)).length;
  if (unknown > 0) {
    throw new MoietyError("input", `${unknown} of ${wanted.length} names are not in the index: leave them out`);
  }
  const gone = new Set(wanted.map((name) => placeOf.get(name)!));
  const changed = await index.change({ remove: gone }, options);
  const names = about.names?.filter((_, i) => !gone.has(i));
  return { index: changed, about: { ...about, ...(names ? { names } : {}) } };
}
