import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { gather } from "./centres.js";
import { none } from "./job.js";
import { exhaustive, type ListSearch } from "./list-search.js";
import type { IndexFacts, ListRows, Lists, SearchSetting } from "./types.js";
import type { VectorRows, Workspace } from "./workspace.js";

/** Queries that recall is measured with: of 10 neighbours each, a recall of 0.95 is then known to about half a point. */
const measuredQueries = 256;

/**
 * What is tried: how soon lists are left out, and how many rows may be looked at, each step a quarter more: with steps of a half, settings overshot
 * and slow queries looked at more rows (`bench teb-figure10`, a recall of 0.98).
 */
const prunings = [0.45, 0.6, 0.8, exhaustive.prune];
const step = 1.25;

/** Beyond this no more rows are tried: who wants more searches everything. */
const enough = 0.995;

/** The lists that a query looks into, one after the other, when nothing is left out. */
interface Walk {
  readonly order: Uint32Array;
  readonly reach: Float32Array;
  /** Rows in the lists before each, and in all. */
  readonly before: Float64Array;
  /** The squared distance of the k-th row found after each. */
  readonly kth: Float32Array;
}

/**
 * What part of the true neighbours of vectors of the index is found, and with how many rows, by several settings. Each query walks
 * through the lists once, until it has seen all its neighbours: where it would have ended by a setting, and what it had found by then,
 * follows from that.
 */
export async function measureSettings(
  space: Workspace,
  vectors: VectorRows,
  search: ListSearch,
  { k, lists, rows: { starts }, seed }: { k: number; lists: Lists; rows: ListRows; seed: number },
): Promise<IndexFacts["measured"]> {
  const count = Math.min(measuredQueries, vectors.count);
  const chosen = stratifiedSample(vectors.count, count, derive(seed, 4));
  const neighbours = Math.min(k, vectors.count - 1);
  const queries = gather(space, vectors, chosen);
  const truth = await space.nearest(queries, vectors, search.keptFor(neighbours + 1));
  const probes = lists.prices.length;
  const { order, reach } = await search.orderOf(queries);
  const kth = new Float32Array(order.length);
  const walks = Array.from(chosen, (_, q): Walk => {
    const [from, to] = [q * probes, (q + 1) * probes];
    const before = new Float64Array(probes + 1);
    for (let p = 0; p < probes; p++) {
      const list = order[from + p];
      before[p + 1] = before[p] + (list === none ? 0 : starts[list + 1] - starts[list]);
    }
    return { order: order.subarray(from, to), reach: reach.subarray(from, to), before, kth: kth.subarray(from, to) };
  });
  /** The place of the first list with each vector. */
  const placesOf = (found: Uint32Array, { order: own }: Walk) => {
    const place = new Uint32Array(probes);
    own.forEach((list, p) => {
      if (list !== none) place[list] = p;
    });
    return Array.from(found, (vector) => {
      const copy = lists.copies[vector];
      return Math.min(place[lists.labels[vector]], copy === none ? probes : place[copy]);
    });
  };
  const walked = order.slice();
  walks.forEach((walk, q) => {
    const last = Math.max(...placesOf(truth.found.subarray(q * truth.k, (q + 1) * truth.k), walk));
    walked.fill(none, q * probes + last + 1, (q + 1) * probes);
  });
  const { found } = await search.search(queries, { k: neighbours + 1, ...exhaustive }, { order: walked, kth });
  space.arena.release(queries.at);
  const seen = walks.map((walk, q) => {
    const last = walked.subarray(q * probes, (q + 1) * probes).indexOf(none);
    // What is found no longer changes.
    if (last > 0) walk.kth.fill(walk.kth[last - 1], last);
    // A vector is its own nearest: it is left out. Of rows of bytes others may have been taken for nearer.
    const others = truth.found.subarray(q * truth.k, (q + 1) * truth.k).filter((vector) => vector !== chosen[q]);
    const kept = new Set(found.subarray(q * (neighbours + 1), (q + 1) * (neighbours + 1)));
    return placesOf(
      others.subarray(0, neighbours).filter((vector) => kept.has(vector)),
      walk,
    );
  });
  const settings: SearchSetting[] = [];
  for (const prune of prunings) {
    for (let most = vectors.count / probes; ; most *= step) {
      const ends = walks.map((walk) => endOf(walk, prune, Math.ceil(most)));
      const hits = seen.reduce((sum, places, q) => sum + places.filter((place) => place < ends[q]).length, 0);
      const recall = neighbours === 0 ? 1 : hits / (count * neighbours);
      const scanned = spread(Uint32Array.from(walks, ({ before }, q) => before[ends[q]]));
      const settled = settings.at(-1)?.prune === prune && settings.at(-1)?.scanned.mean === scanned.mean;
      settings.push({ recall, prune, most: Math.ceil(most), scanned });
      if (recall >= enough || most >= vectors.count || settled) break;
    }
  }
  return { queries: count, k, settings: best(settings) };
}

/** After how many lists a search with these limits ends: as the kernel `search` decides it, in single precision. */
function endOf({ order, reach, before, kth }: Walk, prune: number, most: number): number {
  for (let p = 1; p < order.length; p++) {
    if (order[p] === none || before[p] >= most) return p;
    const far = Math.fround(reach[p] / Math.fround(prune));
    if (far > 0 && Math.fround(far * far) > kth[p - 1]) return p;
  }
  return order.length;
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
