import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { gather } from "./centres.js";
import { none } from "./job.js";
import { distance } from "./list-rows.js";
import { exhaustive, type ListSearch } from "./list-search.js";
import type { ListRows, Lists, MeasuredSettings, SearchSetting } from "./types.js";
import type { VectorRows, Workspace } from "./workspace.js";

/** Queries that recall is measured with: of 10 neighbours each, a recall of 0.95 is then known to about half a point. */
const measuredQueries = 256;

/**
 * What is tried: how soon lists are left out, and how many rows may be looked at, each step a quarter more: with steps of a half, settings overshot
 * and slow queries looked at more rows. On the data of `bench teb-figure10` 0.8 does not reach a recall of 0.95, and beyond 1.5 only rows grow.
 */
const prunings = [0.8, 0.95, 1.1, 1.25, 1.5, exhaustive.prune];
const step = 1.25;

/** Beyond this no more rows are tried: who wants more searches everything. */
const enough = 0.995;

/** Of so many true neighbours at most one is among the rows that are left out of their lists. */
const oneLost = 1000;

/** What becomes of a query that walks through the lists in its order, none left out. */
interface Walk {
  /** How much farther each list is than the first. */
  readonly reach: Float32Array;
  /** The squared distance of the k-th row found after each list. */
  readonly kth: Float32Array;
  /** Rows that were looked at before each list, and in all. */
  readonly scanned: Float64Array;
  /** After which list each of its neighbours is found. */
  readonly seen: readonly number[];
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
  { k, lists, rows, seed }: { k: number; lists: Lists; rows: ListRows; seed: number },
): Promise<MeasuredSettings> {
  const count = Math.min(measuredQueries, vectors.count);
  const chosen = stratifiedSample(vectors.count, count, derive(seed, 4));
  const neighbours = Math.min(k, vectors.count - 1);
  const queries = gather(space, vectors, chosen);
  const truth = await space.nearest(queries, vectors, search.keptFor(neighbours + 1));
  const probes = lists.prices.length;
  const { order, reach, away } = await search.orderOf(queries);
  const numbers = space.numbers(vectors, 0, vectors.count);
  const ofQuery = <Numbers extends Uint32Array | Float32Array>(all: Numbers, q: number) =>
    all.subarray(q * probes, (q + 1) * probes) as Numbers;

  /** What is nearest to each query, and where in its order: the places of its lists, and how far from their centres it is. */
  const nearest = Array.from(chosen, (_, q) => {
    const place = new Uint32Array(probes);
    ofQuery(order, q).forEach((list, p) => {
      place[list] = p;
    });
    return Array.from(truth.found.subarray(q * truth.k, (q + 1) * truth.k), (vector) => ({
      vector,
      entries: [lists.labels[vector], lists.copies[vector]]
        .filter((list) => list !== none)
        .map((list) => ({
          place: place[list],
          radius: Math.fround(distance(numbers, vector, lists.centres, list, space.stride)),
        }))
        .sort((a, b) => a.place - b.place),
    }));
  });
  // A vector is its own nearest: it is left out.
  const wanted = nearest.map((each, q) => each.filter(({ vector }) => vector !== chosen[q]).slice(0, neighbours));
  const depth = depthFor(
    wanted.flatMap((each, q) => {
      const farthest = distance(numbers, each[neighbours - 1].vector, numbers, chosen[q], space.stride);
      return each.map(({ entries: [{ place, radius }] }) => (ofQuery(away, q)[place] - radius) / farthest);
    }),
  );
  const lasts = nearest.map((each) => each.reduce((most, { entries: [{ place }] }) => Math.max(most, place), 0));
  const walked = order.slice();
  lasts.forEach((last, q) => void ofQuery(walked, q).fill(none, last + 1));
  const kth = new Float32Array(order.length);
  const limits = { ...exhaustive, k: neighbours + 1, depth };
  const { found } = await search.search(queries, limits, { order: walked, away, kth });
  space.arena.release(queries.at);
  const walks = wanted.map((each, q): Walk => {
    const then = ofQuery(kth, q);
    // What is found no longer changes.
    then.fill(then[lasts[q]], lasts[q]);
    const leasts = leastRadii(ofQuery(away, q), then, depth);
    const scanned = new Float64Array(probes + 1);
    ofQuery(order, q).forEach((list, p) => {
      scanned[p + 1] = scanned[p] + countFrom(rows.radii.subarray(rows.starts[list], rows.starts[list + 1]), leasts[p]);
    });
    // Of rows of bytes others may have been taken for nearer.
    const kept = new Set(found.subarray(q * (neighbours + 1), (q + 1) * (neighbours + 1)));
    const seen = each
      .filter(({ vector }) => kept.has(vector))
      .map(({ entries }) => entries.find(({ place, radius }) => radius >= leasts[place])?.place ?? probes);
    return { reach: ofQuery(reach, q), kth: then, scanned, seen };
  });
  const settings: SearchSetting[] = [];
  for (const prune of prunings) {
    for (let most = vectors.count / probes; ; most *= step) {
      const ends = walks.map((walk) => endOf(walk, prune, Math.ceil(most)));
      const hits = walks.reduce((sum, { seen }, q) => sum + seen.filter((place) => place < ends[q]).length, 0);
      const recall = hits / (count * neighbours);
      const scanned = spread(Uint32Array.from(walks, (walk, q) => walk.scanned[ends[q]]));
      const settled = settings.at(-1)?.prune === prune && settings.at(-1)?.scanned.mean === scanned.mean;
      settings.push({ recall, prune, most: Math.ceil(most), lists: Math.max(...ends), scanned });
      if (recall >= enough || most >= vectors.count || settled) break;
    }
  }
  return { queries: count, k, depth, settings: best(settings) };
}

/**
 * How deep into lists neighbours lie: by what part of the distance of a query's k-th neighbour its neighbours are nearer to their list's
 * centre than it is itself. With 1 all of them are found, since two sides of a triangle are longer than the third; in many dimensions nearly
 * all are found with less.
 */
function depthFor(parts: readonly number[]): number {
  const sorted = Float64Array.from(parts.filter((part) => Number.isFinite(part))).sort();
  const most = sorted[Math.ceil(sorted.length * (1 - 1 / oneLost)) - 1] ?? 1;
  return Math.max(0, Math.min(1, most));
}

/** From which distance to its centre on rows of each list are looked at: as the kernel `search` decides it, in single precision. */
function leastRadii(away: Float32Array, kth: Float32Array, depth: number): Float32Array {
  return away.map((far, p) =>
    p === 0 ? Number.NEGATIVE_INFINITY : far - Math.fround(Math.fround(depth) * Math.fround(Math.sqrt(kth[p - 1]))),
  );
}

/** How many of these numbers, largest first, are not below `least`. */
function countFrom(numbers: Float32Array, least: number): number {
  let [first, end] = [0, numbers.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (numbers[middle] < least) end = middle;
    else first = middle + 1;
  }
  return end;
}

/** After how many lists a search with these limits ends: as the kernel `search` decides it, in single precision. */
function endOf({ reach, scanned, kth }: Walk, prune: number, most: number): number {
  for (let p = 1; p < reach.length; p++) {
    if (scanned[p] >= most) return p;
    const far = Math.fround(reach[p] / Math.fround(prune));
    if (far > 0 && Math.fround(far * far) > kth[p - 1]) return p;
  }
  return reach.length;
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
