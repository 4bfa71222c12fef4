import { none } from "./job.js";
import type { IndexFacts, ListRows, Lists } from "./types.js";

/** The rows of all lists. */
export function listRows({ labels, copies, prices }: Pick<Lists, "labels" | "copies" | "prices">): ListRows {
  const lists = prices.length;
  const starts = new Uint32Array(lists + 1);
  const each = (row: (vector: number, list: number) => void) => {
    for (let i = 0; i < labels.length; i++) {
      row(i, labels[i]);
      if (copies[i] !== none) row(i, copies[i]);
    }
  };
  each((_, list) => void starts[list + 1]++);
  for (let m = 0; m < lists; m++) starts[m + 1] += starts[m];
  const next = starts.slice();
  const vectors = new Uint32Array(starts[lists]);
  each((vector, list) => {
    vectors[next[list]++] = vector;
  });
  return { starts, vectors };
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
