import { none } from "./job.js";
import type { IndexFacts, ListRows, Lists } from "./types.js";

/** The rows of all lists, of these vectors' numbers. */
export function listRows({ labels, copies, prices, centres }: Lists, numbers: Float32Array): ListRows {
  const lists = prices.length;
  const stride = centres.length / lists;
  const starts = new Uint32Array(lists + 1);
  const each = (row: (vector: number, list: number) => void) => {
    for (let i = 0; i < labels.length; i++) {
      row(i, labels[i]);
      if (copies[i] !== none) row(i, copies[i]);
    }
  };
  each((_, list) => starts[list + 1]++);
  for (let m = 0; m < lists; m++) starts[m + 1] += starts[m];
  const next = starts.slice();
  const vectors = new Uint32Array(starts[lists]);
  const radii = new Float32Array(starts[lists]);
  each((vector, list) => {
    const row = next[list]++;
    vectors[row] = vector;
    radii[row] = distance(numbers, vector, centres, list, stride);
  });
  for (let m = 0; m < lists; m++) {
    const [held, far] = [vectors.subarray(starts[m], starts[m + 1]), radii.subarray(starts[m], starts[m + 1])];
    const order = Uint32Array.from(held.keys()).sort((a, b) => far[b] - far[a] || a - b);
    held.set(order.map((at) => held[at]));
    far.set(Float32Array.from(order, (at) => far[at]));
  }
  return { starts, vectors, radii };
}

/** How far row i of these numbers is from row j of those. */
export function distance(these: Float32Array, i: number, those: Float32Array, j: number, stride: number): number {
  let sum = 0;
  for (let at = 0; at < stride; at++) sum += (these[i * stride + at] - those[j * stride + at]) ** 2;
  return Math.sqrt(sum);
}

/** How even lists are. */
export function sizesOf({ starts }: ListRows): Pick<IndexFacts, "lists" | "rows" | "largest" | "unevenness"> {
  const sizes = Array.from(starts.subarray(1), (end, m) => end - starts[m]);
  const rows = starts[sizes.length];
  const mean = rows / sizes.length;
  const variance = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / sizes.length;
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  return { lists: sizes.length, rows, largest, unevenness: mean > 0 ? Math.sqrt(variance) / mean : 0 };
}
