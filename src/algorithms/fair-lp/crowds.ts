import type { Attribute } from "../../table/types.js";

/** People who are the same to the program: equal groups and equal distances to every centre. */
export interface Crowds {
  readonly count: number;
  /** How many people each crowd has. */
  readonly weights: Float64Array;
  /** One person of each crowd, whose groups and distances stand for all of it. */
  readonly examples: Uint32Array;
  /** The crowd of each person. */
  readonly crowdOf: Uint32Array;
}

/** Real tables have many duplicates: merging them makes the program smaller and less degenerate, and is exact. */
export function gatherCrowds(costs: Float64Array, k: number, attributes: readonly Attribute[]): Crowds {
  const n = costs.length / k;
  let slots = 1;
  while (slots < 2 * n) slots *= 2;
  const table = new Int32Array(slots).fill(-1);
  const bits = new Uint32Array(costs.buffer, costs.byteOffset, costs.length * 2);
  const crowdOf = new Uint32Array(n);
  const examples = new Uint32Array(n);
  const weights = new Float64Array(n);
  let count = 0;
  for (let i = 0; i < n; i++) {
    let hash = 2_166_136_261;
    for (let at = 2 * i * k; at < 2 * (i + 1) * k; at++) hash = Math.imul(hash ^ bits[at], 16_777_619);
    for (const { codes } of attributes) hash = Math.imul(hash ^ codes[i], 16_777_619);
    // The low bits choose the slot, but doubles mostly differ in the high ones.
    let slot = ((hash ^ (hash >>> 15)) >>> 0) & (slots - 1);
    while (table[slot] >= 0 && !areSame(i, examples[table[slot]])) slot = (slot + 1) & (slots - 1);
    if (table[slot] < 0) {
      examples[count] = i;
      table[slot] = count++;
    }
    crowdOf[i] = table[slot];
    weights[table[slot]]++;
  }
  return { count, weights: weights.slice(0, count), examples: examples.slice(0, count), crowdOf };

  function areSame(i: number, j: number): boolean {
    for (let m = 0; m < k; m++) if (costs[i * k + m] !== costs[j * k + m]) return false;
    return attributes.every(({ codes }) => codes[i] === codes[j]);
  }
}
