import { cancelled } from "../errors.js";
import { turn } from "../turns.js";
import type { Points } from "./labelled-points.js";

/** A person's neighbours are those nearest to them, as many as an even share of k clusters: n/k, rounded up, and they count themselves. */
export function neighboursOf(n: number, k: number): number {
  return Math.ceil(n / k);
}

/** Work between two turns of others: some milliseconds' worth of coordinates. */
const coordinatesInTurn = 2e7;

/**
 * How far each person's n/k-th neighbour is: the radius of the smallest ball around them that holds n/k people, themselves among them.
 * Exact, by looking at all pairs.
 */
export async function neighbourRadii(
  points: Points,
  n: number,
  k: number,
  signal?: AbortSignal | undefined,
): Promise<Float64Array> {
  const dims = points.length;
  const rows = new Float64Array(n * dims);
  points.forEach((column, j) => {
    for (let i = 0; i < n; i++) rows[i * dims + j] = column[i];
  });
  const neighbours = neighboursOf(n, k);
  const squared = new Float64Array(n);
  const radii = new Float64Array(n);
  const inTurn = Math.max(1, Math.floor(coordinatesInTurn / Math.max(1, n * dims)));
  for (let i = 0; i < n; i++) {
    if (i % inTurn === 0) {
      await turn();
      if (signal?.aborted) throw cancelled();
    }
    for (let other = 0, at = 0; other < n; other++) {
      let sum = 0;
      for (let j = 0, own = i * dims; j < dims; j++, at++, own++) {
        const difference = rows[at] - rows[own];
        sum += difference * difference;
      }
      squared[other] = sum;
    }
    radii[i] = Math.sqrt(smallest(squared, neighbours - 1));
  }
  return radii;
}

/** What would be at this place if the values were in ascending order; they are left in another order (Hoare's selection). */
function smallest(values: Float64Array, place: number): number {
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = middleOf(values[left], values[(left + right) >> 1], values[right]);
    let [i, j] = [left, right];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const held = values[i];
      values[i++] = values[j];
      values[j--] = held;
    }
    if (place <= j) right = j;
    else if (place >= i) left = i;
    else break;
  }
  return values[place];
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
