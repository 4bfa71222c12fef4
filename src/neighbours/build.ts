import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { type CentreTree, candidates, gather, nearestLists, trainCentres } from "./centres.js";
import { evenLists } from "./even-lists.js";
import { none } from "./job.js";
import { distance } from "./list-rows.js";
import type { Lists } from "./types.js";
import type { NearestRows, VectorRows, Workspace } from "./workspace.js";

export interface ListSettings {
  readonly lists: number;
  readonly evenness: number;
  readonly border: number;
  readonly seed: number;
}

/** Vectors of the sample for each list: as many as other libraries take. */
const sampled = 256;

/** Puts vectors into soft-balanced lists, those near a border into two. */
export async function buildLists(
  space: Workspace,
  vectors: VectorRows,
  settings: ListSettings,
): Promise<Pick<Lists, "centres" | "prices" | "labels" | "copies">> {
  const { lists, evenness, border, seed } = settings;
  const size = Math.min(vectors.count, sampled * lists);
  const sample = gather(space, vectors, stratifiedSample(vectors.count, size, derive(seed, 0)));
  const tree = await trainCentres(space, sample, settings);
  space.arena.release(sample.at);
  const near = await nearestLists(space, vectors, tree, candidates);
  const { labels, prices } = evenLists(near, lists, evenness);
  const centres = centresOf(space, tree);
  return { centres, prices, labels, copies: borderCopies(centres, space.stride, near, labels, border) };
}

/** A copy of all centres; their memory is free again. */
function centresOf(space: Workspace, { centres, parents }: CentreTree): Float32Array {
  const copied = space.numbers(centres, 0, centres.count).slice();
  for (const rows of [centres, parents]) if (rows) space.arena.release(rows.at);
  return copied;
}

/**
 * For each vector near a border the list beyond it: the nearest other list that is hardly farther than its own, unless the two centres are
 * nearer to each other than the vector is to the other one: then who looks into one list looks into the other too.
 */
export function borderCopies(
  centres: Float32Array,
  stride: number,
  { k, found, scores, squares }: NearestRows,
  labels: Uint32Array,
  border: number,
): Uint32Array {
  // Few pairs of centres are ever asked about, and each by many vectors.
  const known = new Map<number, number>();
  const apart = (a: number, b: number) => {
    const pair = (Math.min(a, b) * centres.length) / stride + Math.max(a, b);
    let far = known.get(pair);
    if (far === undefined) {
      far = distance(centres, a, centres, b, stride) ** 2;
      known.set(pair, far);
    }
    return far;
  };
  return labels.map((own, i) => {
    if (border === 0) return none;
    const entries = found.subarray(i * k, i * k + k);
    const distance = squares[i] + scores[i * k + entries.indexOf(own)];
    for (let at = 0; at < k && entries[at] !== none; at++) {
      const there = squares[i] + scores[i * k + at];
      if (there > distance * (1 + border)) break;
      if (entries[at] !== own && apart(own, entries[at]) > there) return entries[at];
    }
    return none;
  });
}
