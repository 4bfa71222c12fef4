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
  patterns: i32;
  /** this lane, and of how many: chunks of 2^chunkBits rows are dealt round, which gives a row's global number */
  lane: i32;
  lanes: i32;
  chunkBits: i32;
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
  /** 1 while all weights are the same: bounds serve only then */
  uniform: i32;
  /** f32 [k]: weights as parts of `one`; or 0 where rough scores do not serve with weights that differ */
  roughWeight: usize;
  roughOwnWeight: usize;
  /** f32 [rows]: the length of each person's vector, rounded up */
  norm: usize;
  /** f32 [k][dims]: -2 c, and f32 [k]: |c|^2; with Manhattan distances c itself, and nothing */
  roughCentres: usize;
  roughSquares: usize;
  /** f32 [patterns][k] in units of distance: offsets for joining and for keeping a cluster; a wall is infinite */
  roughOffset: usize;
  roughOwnOffset: usize;
  /** f32 [tiles][k][16], or 0: rough scores without offsets, kept for many decisions */
  roughTable: usize;
  /** f32 [k + 1][16]: one tile's rough scores */
  roughScratch: usize;
  /** f32 [k rounded up to 4][4]: the offsets of four people, or other numbers of them */
  turned: usize;
  /** the same for gates */
  turnedGates: usize;
  /** f32 [rows]: at most what leaving for the best other cluster cost when this person was last weighed; -inf if unknown */
  margin: usize;
  /** u16 [rows]: when that was */
  epoch: usize;
  /** f32 [epochs][patterns][k], the present epoch first: how much of a margin the offsets have used up since then */
  slack: usize;
  now: i32;
  epochs: i32;
  /** f32 [k][k], in score units: what a gap must be below to be worth a closer look */
  gates: usize;
  /** f64 [k][k] pairs, i32 [k] and i32 [k]: the best moves, how many there are from each cluster, and the clusters that offsets have changed for */
  cells: usize;
  found: usize;
  joining: usize;
  /** f64 [dims + k]: one person's coordinates and distances */
  lone: usize;
  /** i32 [16]: the clusters that a tile's people move to */
  choices: usize;
  /** f32 [k][dims rounded up to 4]: what clusters gain, until it is taken over into the sums */
  tallies: usize;
  /** rows in the tallies, and how many they can take while every sum is exact */
  tallied: i32;
  reach: i32;
  /** 1 where distances are sums of absolute differences, 0 where of squared ones */
  manhattan: i32;
  /** f64 [rows]: how many people each row counts for, or 0 where each is one */
  people: usize;
  /** largest jitter plus one, in score units; 0 for none */
  jitter: f64;
  /** the same in units of distance, never too small */
  jitterReach: f64;
  /** the weight that stands for 1; where they differ, the largest */
  one: f64;
  /** twice the largest error of a rough score, per unit of the norm */
  errorPerNorm: f64;
  /** per unit of the norm's square, where weights differ */
  errorPerSquare: f64;
  /** the rest of it */
  error: f64;
}

/** The number of a local row among all people. */
// @ts-ignore: decorator
@inline
export function globalRow(shard: Shard, row: i32): i32 {
  const bits = shard.chunkBits;
  return (((row >> bits) * shard.lanes + shard.lane) << bits) | (row & ((1 << bits) - 1));
}

/** A fixed pseudo-random number of 32 bits for person and cluster. */
// @ts-ignore: decorator
@inline
export function hashOf(person: i32, cluster: i32): u32 {
  let h: u32 = ((person + 1) * (0x9e3779b1 as i32)) ^ ((cluster + 1) * (0x85ebca77 as i32));
  h ^= h >> 15;
  h *= 0x2c1b3c6d;
  h ^= h >> 12;
  h *= 0x297a2d39;
  return h ^ (h >> 15);
}

/** What is added to a person's score: it makes exact duplicates separable, see algorithms/f3km/NOTES.md. */
// @ts-ignore: decorator
@inline
export function jitterOf(person: i32, cluster: i32, amplitude: f64): f64 {
  return Math.floor((hashOf(person, cluster) as f64) * amplitude * (1.0 / 4294967296.0));
}
