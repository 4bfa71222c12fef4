import { createHmac } from "node:crypto";
import { bytesOf } from "./integers.js";

/** A column that somebody holds, and its digest under the parties' shared key. */
export interface ColumnDigest {
  readonly party: string;
  readonly column: string;
  readonly digest: Uint8Array;
}

type HeldColumn = Omit<ColumnDigest, "digest">;

/** One feature that several parties hold: whose copy counts, and whose are left out. */
export interface Overlap {
  readonly used: HeldColumn;
  readonly leftOut: readonly HeldColumn[];
}

/**
 * A digest of a column's order of the common people (F3KM, section 4.2.1): equal for the same column, also in another unit
 * or turned round, since only ranks enter. A missing value (NaN) has a rank of its own.
 *
 * Promise: whoever lacks the key (the coordinator) learns from digests which columns are equal, and nothing of their values.
 * Whoever has the key (a party) could test guesses of a whole column, so digests go to the coordinator only. Columns
 * that were rounded differently are not recognised.
 */
export function columnDigest(groupKey: Uint8Array, values: ArrayLike<number>): Uint8Array {
  return digestOf(groupKey, "moiety column 1", denseRanks(values));
}

/** The same for categories and groups, whose names have no order: equal where the same people are together. */
export function partitionDigest(groupKey: Uint8Array, codes: ArrayLike<number>): Uint8Array {
  const places = new Map<number, number>();
  const partition = Uint32Array.from(codes, (code) => {
    const place = places.get(code) ?? places.size;
    places.set(code, place);
    return place;
  });
  return digestOf(groupKey, "moiety partition 1", partition);
}

function digestOf(groupKey: Uint8Array, purpose: string, numbers: Uint32Array): Uint8Array {
  return createHmac("sha256", groupKey).update(purpose).update(bytesOf(numbers)).digest();
}

/** 0 for the smallest value, 1 for the next, or the other way round: whichever puts the first differing person lower. */
function denseRanks(values: ArrayLike<number>): Uint32Array {
  const numbers = Float64Array.from(values, (value) => value + 0);
  const present = numbers.filter((value) => !Number.isNaN(value)).sort();
  const distinct = present.filter((value, at) => at === 0 || value !== present[at - 1]);
  const top = distinct.length - 1;
  const ranks = Uint32Array.from(numbers, (value) => (Number.isNaN(value) ? 0xffffffff : placeOf(distinct, value)));
  const telling = ranks.find((rank) => rank !== 0xffffffff && 2 * rank !== top) ?? 0;
  if (2 * telling <= top) return ranks;
  return ranks.map((rank) => (rank === 0xffffffff ? rank : top - rank));
}

function placeOf(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The coordinator's part: columns with equal digests at different parties. The first party in the given order is used. */
export function findOverlaps(columns: readonly ColumnDigest[]): Overlap[] {
  const holders = new Map<string, HeldColumn[]>();
  for (const { party, column, digest } of columns) {
    const name = Buffer.from(digest).toString("hex");
    const held = holders.get(name) ?? [];
    // Two equal columns of one party are that party's own choice.
    if (!held.some((other) => other.party === party)) held.push({ party, column });
    holders.set(name, held);
  }
  return [...holders.values()].filter((held) => held.length > 1).map(([used, ...leftOut]) => ({ used, leftOut }));
}
