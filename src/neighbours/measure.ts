import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { gather } from "./centres.js";
import { none } from "./job.js";
import { exhaustive, type ListSearch } from "./list-search.js";
import type { IndexFacts, SearchSetting } from "./types.js";
import type { VectorRows, Workspace } from "./workspace.js";

/** Queries that recall is measured with: of 10 neighbours each, a recall of 0.95 is then known to about half a point. */
const measuredQueries = 256;

/** What is tried: how soon lists are left out, and how many rows may be looked at, each step half as much again. */
const prunings = [0.45, 0.6, 0.8, exhaustive.prune];
const step = 1.5;

/** Beyond this no more rows are tried: who wants more searches everything. */
const enough = 0.995;

/** What part of the true neighbours of vectors of the index is found, and with how many rows, by several settings. */
export async function measureSettings(
  space: Workspace,
  vectors: VectorRows,
  search: ListSearch,
  { k, lists, seed }: { k: number; lists: number; seed: number },
): Promise<IndexFacts["measured"]> {
  const count = Math.min(measuredQueries, vectors.count);
  const chosen = stratifiedSample(vectors.count, count, derive(seed, 4));
  const neighbours = Math.min(k, vectors.count - 1);
  const queries = gather(space, vectors, chosen);
  // A vector is its own nearest: it is left out of what was found.
  const others = (found: Uint32Array, width: number, q: number) =>
    found
      .subarray(q * width, (q + 1) * width)
      .filter((vector) => vector !== chosen[q] && vector !== none)
      .subarray(0, neighbours);
  const { found: truth } = await space.nearest(queries, vectors, neighbours + 1);
  const wanted = Array.from(chosen, (_, q) => new Set(others(truth, neighbours + 1, q)));
  const settings: SearchSetting[] = [];
  for (const prune of prunings) {
    for (let most = vectors.count / lists; ; most *= step) {
      const { found, scanned } = await search.search(queries, { k: neighbours + 1, prune, most: Math.ceil(most) });
      let hits = 0;
      wanted.forEach((true_, q) => {
        for (const vector of others(found, neighbours + 1, q)) hits += true_.has(vector) ? 1 : 0;
      });
      const recall = neighbours === 0 ? 1 : hits / (count * neighbours);
      settings.push({ recall, prune, most: Math.ceil(most), scanned: spread(scanned) });
      const before = settings.at(-2);
      const settled = before?.prune === prune && before.scanned.mean === settings.at(-1)?.scanned.mean;
      if (recall >= enough || most >= vectors.count || settled) break;
    }
  }
  space.arena.release(queries.at);
  return { queries: count, k, settings: best(settings) };
}

function spread(scanned: Uint32Array): SearchSetting["scanned"] {
  const sorted = scanned.toSorted();
  const mean = sorted.reduce((sum, rows) => sum + rows, 0) / sorted.length;
  return { mean, p99: sorted[Math.ceil(sorted.length * 0.99) - 1] };
}

/**
 * Those that no other is better than: as much recall with fewer rows, where the mean and the 99th of 100 count alike. In the order of
 * recall.
 */
export function best(settings: readonly SearchSetting[]): SearchSetting[] {
  const rows = ({ scanned }: SearchSetting) => scanned.mean * scanned.p99;
  const kept: SearchSetting[] = [];
  for (const setting of settings.toSorted((a, b) => b.recall - a.recall || rows(a) - rows(b))) {
    const last = kept.at(-1);
    if (!last || rows(setting) < rows(last)) kept.push(setting);
  }
  return kept.reverse();
}
