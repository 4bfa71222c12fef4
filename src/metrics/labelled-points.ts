import { MoietyError } from "../errors.js";

/** People as points: one array of n coordinates for each dimension. */
export type Points = readonly (Float64Array | Float32Array)[];

/** People per block: a block of some fifty dimensions then stays in the processor's second-level cache. */
export const blockRows = 512;

/** Labels may come from anybody's file, so every metric checks them: a wrong one would read past an array unnoticed. */
export function checkLabels(labels: Uint16Array, k: number, points: Points = []): void {
  if (!Number.isInteger(k) || k < 1 || k > 65536) {
    throw new MoietyError("usage", `k=${k} should be a whole number from 1 to 65536`);
  }
  for (let j = 0; j < points.length; j++) {
    if (points[j].length !== labels.length) {
      const seen = `labels=${labels.length} should equal people=${points[j].length}`;
      throw new MoietyError("input", `${seen} (dimension ${j}): give one label for each person`);
    }
  }
  const largest = largestLabel(labels);
  if (largest >= k) {
    throw new MoietyError("input", `label ${largest} should be below k=${k}: clusters are numbered from 0 to k-1`);
  }
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** -1 when there are no labels. */
export function largestLabel(labels: Uint16Array): number {
  let largest = -1;
  for (let i = 0; i < labels.length; i++) if (labels[i] > largest) largest = labels[i];
  return largest;
}

/**
 * Visits the people block by block. `block` holds dimension j of the block's person i at [j * blockRows + i] and is
 * reused between visits. The copy costs little, and loops over it see one kind of array, which keeps them fast.
 */
export function forEachBlock(
  points: Points,
  people: number,
  visit: (block: Float64Array, start: number, count: number) => void,
): void {
  const block = new Float64Array(points.length * blockRows);
  for (let start = 0; start < people; start += blockRows) {
    const end = Math.min(people, start + blockRows);
    for (let j = 0; j < points.length; j++) block.set(points[j].subarray(start, end), j * blockRows);
    visit(block, start, end - start);
  }
}

/** The ids of the clusters that have anybody in them. */
export function presentClusters(sizes: readonly number[]): number[] {
  return sizes.flatMap((size, m) => (size > 0 ? [m] : []));
}
