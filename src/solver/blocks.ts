import type { Range } from "../kernels/rows.js";

/** How many people are assigned before the centres move: below 1 a fraction of everybody, else a number. */
export function blockSize(block: number, n: number): number {
  return Math.max(1, Math.min(n, block < 1 ? Math.ceil(block * n) : Math.floor(block)));
}

export function* blocks(size: number, n: number): Generator<Range> {
  for (let from = 0; from < n; from += size) yield { from, to: Math.min(n, from + size) };
}
