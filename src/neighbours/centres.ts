import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { evenLists } from "./even-lists.js";
import type { VectorRows, Workspace } from "./workspace.js";

/** Centres of lists, in groups of neighbours. */
export interface CentreTree {
  /** The centre of each group; none where all lists are one group. */
  readonly parents?: VectorRows;
  readonly centres: VectorRows;
  /** The first list of each group, and their number. */
  readonly starts: Uint32Array;
}

/** Up to so many lists are made at once; more are made in groups of neighbours, each divided by itself. */
const flatLists = 256;

/**
 * As many passes as other libraries make for lists, most of them over a part of the vectors: with few, centres find about where they
 * belong. That takes under half of the time, and queries look at as many rows.
 */
const parts = [1 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 2, 1 / 2, 1];

/** The fewest vectors of such a part for each list. */
const leastOfPart = 32;

/** The lists near a vector among which it is moved to make sizes even, or to which it may be copied. */
export const candidates = 8;

/** Of the groups of lists, those that are looked into for the nearest lists of a vector. */
const nearGroups = 8;

/** Passes over all lists after they were made in groups: borders between groups then are as good as others. */
const joinParts = [1 / 4, 1 / 2, 1];

export interface CentreSettings {
  readonly lists: number;
  readonly evenness: number;
  readonly seed: number;
}

/** Centres of soft-balanced lists of the sample. */
export async function trainCentres(
  space: Workspace,
  sample: VectorRows,
  settings: CentreSettings,
): Promise<CentreTree> {
  const { lists, evenness, seed } = settings;
  if (lists <= flatLists) {
    const centres = await evenMeans(space, sample, settings);
    return { centres, starts: Uint32Array.of(0, lists) };
  }
  const groups = Math.round(Math.sqrt(lists));
  const few = gather(
    space,
    sample,
    stratifiedSample(sample.count, Math.min(sample.count, groups * 256), derive(seed, 1)),
  );
  const parents = await evenMeans(space, few, { lists: groups, evenness, seed: derive(seed, 2) });
  space.arena.release(few.at);
  const { labels, sizes } = evenLists(await space.nearest(sample, parents, candidates), groups, evenness);
  const shares = sharesOf(sizes, lists);
  const starts = new Uint32Array(groups + 1);
  const centres = space.allocateRows(lists);
  for (let group = 0; group < groups; group++) {
    starts[group + 1] = starts[group] + shares[group];
    const members = Uint32Array.from(indicesOf(labels, group));
    const part = gather(space, sample, members);
    const made = await evenMeans(space, part, { lists: shares[group], evenness, seed: derive(seed, 3 + group) });
    space.numbers(centres, starts[group], starts[group + 1]).set(space.numbers(made, 0, made.count));
    space.arena.release(part.at);
    space.arena.release(made.at);
  }
  const tree = { parents, centres, starts };
  await overParts(space, sample, joinParts, { lists, seed: derive(seed, 2) }, async (part) => {
    await settle(space, part, tree, evenness);
    placeParents(space, tree);
  });
  return tree;
}

/** The nearest lists of each vector. In groups only those of the nearest groups are looked at. */
export async function nearestLists(
  space: Workspace,
  vectors: VectorRows,
  { parents, centres, starts }: CentreTree,
  k: number,
) {
  if (!parents) return space.nearest(vectors, centres, Math.min(k, centres.count));
  const probes = Math.min(nearGroups, parents.count);
  const { found: order } = await space.nearest(vectors, parents, probes);
  return space.nearest(vectors, centres, k, { starts, order, probes });
}

/** Soft-balanced k-means of some vectors. */
export async function evenMeans(space: Workspace, vectors: VectorRows, settings: CentreSettings): Promise<VectorRows> {
  const { evenness, seed } = settings;
  const lists = Math.min(settings.lists, vectors.count);
  const centres = gather(space, vectors, stratifiedSample(vectors.count, lists, seed));
  const tree = { centres, starts: Uint32Array.of(0, lists) };
  await overParts(space, vectors, parts, { lists, seed: derive(seed, 1) }, (part) =>
    settle(space, part, tree, evenness),
  );
  return centres;
}

/** A pass over each of these parts of the vectors. */
async function overParts(
  space: Workspace,
  vectors: VectorRows,
  passes: readonly number[],
  { lists, seed }: Pick<CentreSettings, "lists" | "seed">,
  pass: (part: VectorRows) => Promise<void>,
): Promise<void> {
  for (const share of new Set(passes)) {
    const size = Math.min(vectors.count, Math.max(Math.ceil(share * vectors.count), leastOfPart * lists));
    const part = size === vectors.count ? vectors : gather(space, vectors, stratifiedSample(vectors.count, size, seed));
    for (const each of passes) if (each === share) await pass(part);
    if (part !== vectors) space.arena.release(part.at);
  }
}

/** Vectors go to their lists, and centres to the means of these. */
async function settle(space: Workspace, vectors: VectorRows, tree: CentreTree, evenness: number): Promise<void> {
  const { centres } = tree;
  const near = await nearestLists(space, vectors, tree, candidates);
  moveCentres(space, vectors, centres, evenLists(near, centres.count, evenness).labels);
}

/** Each centre becomes the mean of its vectors; one that has none is set down beside that of the largest list. */
function moveCentres(space: Workspace, vectors: VectorRows, centres: VectorRows, labels: Uint32Array): void {
  const { stride } = space;
  const sums = new Float64Array(centres.count * stride);
  const sizes = new Uint32Array(centres.count);
  const numbers = space.numbers(vectors, 0, vectors.count);
  for (let i = 0; i < labels.length; i++) {
    const at = labels[i] * stride;
    const from = i * stride;
    sizes[labels[i]]++;
    for (let j = 0; j < stride; j++) sums[at + j] += numbers[from + j];
  }
  const places = space.numbers(centres, 0, centres.count);
  for (let m = 0; m < centres.count; m++) {
    for (let j = 0; j < stride && sizes[m] > 0; j++) places[m * stride + j] = sums[m * stride + j] / sizes[m];
  }
  for (let m = 0; m < centres.count; m++) {
    if (sizes[m] > 0) continue;
    const largest = sizes.reduce((best, size, other) => (size > sizes[best] ? other : best), 0);
    sizes[m] = sizes[largest] >> 1;
    sizes[largest] -= sizes[m];
    for (let j = 0; j < stride; j++) {
      const step = (j % 2 === 0 ? 1 : -1) * beside;
      places[m * stride + j] = places[largest * stride + j] * (1 + step);
      places[largest * stride + j] *= 1 - step;
    }
  }
}

/** How far apart the two halves of a list begin, relative to their coordinates. */
const beside = 1 / 1024;

/** A group's centre is the mean of its lists' centres. */
function placeParents(space: Workspace, { parents, centres, starts }: Required<CentreTree>): void {
  const { stride } = space;
  const places = space.numbers(centres, 0, centres.count);
  const above = space.numbers(parents, 0, parents.count);
  for (let group = 0; group < parents.count; group++) {
    const count = starts[group + 1] - starts[group];
    for (let j = 0; j < stride && count > 0; j++) {
      let sum = 0;
      for (let m = starts[group]; m < starts[group + 1]; m++) sum += places[m * stride + j];
      above[group * stride + j] = sum / count;
    }
  }
}

/** The rows of these numbers, copied together. */
export function gather(space: Workspace, rows: VectorRows, which: Uint32Array): VectorRows {
  const { stride } = space;
  const copy = space.allocateRows(which.length);
  const from = space.numbers(rows, 0, rows.count);
  const to = space.numbers(copy, 0, copy.count);
  which.forEach((row, i) => void to.set(from.subarray(row * stride, (row + 1) * stride), i * stride));
  return copy;
}

function* indicesOf(labels: Uint32Array, label: number): Generator<number> {
  for (let i = 0; i < labels.length; i++) if (labels[i] === label) yield i;
}

/** How many lists each group gets: by its size, at least one and at most one for each of its vectors, `lists` in all. */
export function sharesOf(sizes: Uint32Array, lists: number): Uint32Array {
  const n = sizes.reduce((sum, size) => sum + size, 0);
  const shares = Uint32Array.from(sizes, (size) => (size === 0 ? 0 : Math.max(1, Math.floor((size * lists) / n))));
  const greatest = (worth: (group: number) => number) =>
    shares.reduce((best, _, group) => (worth(group) > worth(best) ? group : best), 0);
  let left = lists - shares.reduce((sum, share) => sum + share, 0);
  // Whoever has the most vectors for one list more gets it; whoever has the fewest for each list gives one up.
  for (; left > 0; left--) shares[greatest((g) => (shares[g] < sizes[g] ? sizes[g] / (shares[g] + 1) : -1))]++;
  for (; left < 0; left++) shares[greatest((g) => (shares[g] > 1 ? -sizes[g] / shares[g] : -n))]--;
  return shares;
}
