import type { NearestRows } from "./workspace.js";

/** Vectors in lists, and what a list charges for its size. */
export interface EvenLists {
  /** The list of each vector. */
  readonly labels: Uint32Array;
  readonly sizes: Uint32Array;
  /** What joining each list costs beside the squared distance. */
  readonly prices: Float32Array;
}

/** After so many sweeps hardly any vector moves. */
const sweeps = 3;

/**
 * Soft balance as in Teb-means: the sum of squared distances plus rho (n_m - even)^2 falls with every move of a vector to another of its
 * nearest lists. rho is such that a list of twice the even size charges `evenness` times the mean squared distance.
 */
export function evenLists({ k, found, scores, squares }: NearestRows, lists: number, evenness: number): EvenLists {
  const n = squares.length;
  const labels = new Uint32Array(n);
  const sizes = new Uint32Array(lists);
  let total = 0;
  for (let i = 0; i < n; i++) {
    labels[i] = found[i * k];
    sizes[labels[i]]++;
    total += squares[i] + scores[i * k];
  }
  const even = n / lists;
  const rho = (evenness * Math.max(0, total / n)) / (2 * even);
  for (let sweep = 0; sweep < sweeps && rho > 0; sweep++) {
    for (let i = 0; i < n; i++) {
      const own = labels[i];
      let best = own;
      let least = Number.POSITIVE_INFINITY;
      for (let at = i * k; at < i * k + k && found[at] < lists; at++) {
        const m = found[at];
        // What the term of evenness changes by when the vector is in m rather than nowhere.
        const cost = scores[at] + rho * (2 * (sizes[m] - even) + (m === own ? -1 : 1));
        if (cost < least) {
          least = cost;
          best = m;
        }
      }
      sizes[own]--;
      sizes[best]++;
      labels[i] = best;
    }
  }
  return { labels, sizes, prices: Float32Array.from(sizes, (size) => 2 * rho * (size - even)) };
}
