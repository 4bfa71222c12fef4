// The rows that one lane holds, and everything that the kernels need to know about them. The caller owns all memory;
// src/kernels/shard.ts writes these fields and must list them in the same order.
//
// Rows lie in tiles of 16, dimension-major inside a tile, so that one splatted centre coordinate serves 16 people.
// Coordinates are whole numbers (grid units) in f32; every distance is a whole number below 2^53 and hence exact in f64,
// whatever the order of the additions. That is why results do not depend on threads or on how columns are split.

export const TILE: i32 = 16;
/** The label of a person who is in no cluster yet. */
export const NOWHERE: i32 = 0xffff;

@unmanaged
export class Shard {
  /** f32 [tiles][dims][16] */
  x: usize;
  /** local rows, without the padding of the last tile */
  rows: i32;
  dims: i32;
  k: i32;
  /** this lane, and of how many: chunks of 256 rows are dealt round, which gives a row's global number */
  lane: i32;
  lanes: i32;
  /** u16 [rows]: combination of protected groups */
  pattern: usize;
  /** u16 [rows] */
  label: usize;
  /** f64 [k][dims] in grid units */
  centres: usize;
  /** f64 [k]: weight of a distance to a cluster that the person would join, and to the person's own */
  weight: usize;
  ownWeight: usize;
  /** f64 [patterns][k] */
  offset: usize;
  ownOffset: usize;
  /** f64 [tiles][k][16], or 0 when distances are computed as they are needed */
  table: usize;
  /** f64 [dims + k + 1][16]: one tile's coordinates, distances and squared norms */
  scratch: usize;
  /** f64 [k][dims] and f64 [patterns][k]: changes since the caller last cleared them */
  sums: usize;
  counts: usize;
  /** largest jitter plus one, in score units; 0 for none */
  jitter: f64;
}

/** The number of a local row among all people. */
// @ts-ignore: decorator
@inline
export function globalRow(shard: Shard, row: i32): i32 {
  return (((row >> 8) * shard.lanes + shard.lane) << 8) | (row & 255);
}

/** A fixed pseudo-random number for person and cluster: it makes exact duplicates separable, see algorithms/f3km/NOTES.md. */
// @ts-ignore: decorator
@inline
export function jitterOf(person: i32, cluster: i32, amplitude: f64): f64 {
  let h: u32 = ((person + 1) * (0x9e3779b1 as i32)) ^ ((cluster + 1) * (0x85ebca77 as i32));
  h ^= h >> 15;
  h *= 0x2c1b3c6d;
  h ^= h >> 12;
  h *= 0x297a2d39;
  h ^= h >> 15;
  return Math.floor((h as f64) * amplitude * (1.0 / 4294967296.0));
}
