import { MoietyError } from "../../errors.js";
import { BestMoves, type WeighedMove } from "../../kernels/moves.js";
import type { Integers } from "../../privacy/integers.js";

/** What no party's number exceeds, so that sums of differences over all parties cannot wrap around 2^63. */
export const scoreBound = 2 ** 56;
export const mostParties = 31;

const unset = 0xffff;
const word = 2 ** 32;

/**
 * A party's scores as differences: k - 1 of them for each person, against the first cluster in the order in which ties
 * are decided. With `own` that is the person's present cluster, then the others by number; else simply by number.
 * Whole 64-bit numbers: exact even where a forbidden cluster has a score beyond 2^53.
 */
export function differences(scores: Float64Array, k: number, own?: Uint16Array): Integers {
  const rows = scores.length / k;
  const out = new BigInt64Array(rows * (k - 1));
  const words = new Int32Array(out.buffer);
  let at = 0;
  for (let i = 0; i < rows; i++) {
    const first = firstOf(own, i);
    const base = scores[i * k + first];
    const baseHigh = Math.floor(base / word);
    const baseLow = base - baseHigh * word;
    for (let m = 0; m < k; m++) {
      const score = scores[i * k + m];
      if (!(score <= scoreBound && score >= -scoreBound)) throw new MoietyError("failed", "a score is out of range");
      if (m === first) continue;
      const high = Math.floor(score / word);
      const low = score - high * word - baseLow;
      words[at] = low;
      words[at + 1] = high - baseHigh - (low < 0 ? 1 : 0);
      at += 2;
    }
  }
  return out;
}

/** The place of each person's best cluster in the order of ties: 0 is the first one, which wins a tie. */
export function bestPlaces(sums: Integers, k: number): Positions {
  const others = k - 1;
  const rows = others === 0 ? 0 : sums.length / others;
  const places = positions(rows, k);
  const high = new Int32Array(sums.buffer, sums.byteOffset, 2 * sums.length);
  const low = new Uint32Array(sums.buffer, sums.byteOffset, 2 * sums.length);
  for (let i = 0, at = 0; i < rows; i++) {
    let bestHigh = 0;
    let bestLow = 0;
    let best = 0;
    for (let place = 1; place <= others; place++, at += 2) {
      const h = high[at + 1];
      if (h > bestHigh || (h === bestHigh && low[at] >= bestLow)) continue;
      bestHigh = h;
      bestLow = low[at];
      best = place;
    }
    places[i] = best;
  }
  return places;
}

/** The cluster at a place in the order of ties. */
export function clusterAt(place: number, first: number): number {
  if (place === 0) return first;
  return place <= first ? place - 1 : place;
}

export function firstOf(own: Uint16Array | undefined, row: number): number {
  if (!own) return 0;
  const label = own[row];
  return label === unset ? 0 : label;
}

/** The cheapest gaining move from each cluster to each other one, of people whose clusters are known here. */
export function cheapestMoves(sums: Integers, k: number, from: number, own: Uint16Array): WeighedMove[] {
  const high = new Int32Array(sums.buffer, sums.byteOffset, 2 * sums.length);
  const low = new Uint32Array(sums.buffer, sums.byteOffset, 2 * sums.length);
  const best = new BestMoves(k);
  for (let i = 0, at = 0; i < own.length; i++) {
    const first = firstOf(own, i);
    for (let place = 1; place < k; place++, at += 2) {
      if (high[at + 1] < 0) best.offer(from + i, first, clusterAt(place, first), high[at + 1] * word + low[at]);
    }
  }
  return best.taken();
}

/** Places as they travel: one byte each while that is enough. */
export type Positions = Uint8Array | Uint16Array;

export function positions(rows: number, k: number): Positions {
  return k <= 256 ? new Uint8Array(rows) : new Uint16Array(rows);
}
