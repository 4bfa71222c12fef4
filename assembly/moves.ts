// The best single moves: for each pair of clusters the person whose move gains most.
import { distancesOf, personDistances } from "./distances";
import { roughOf } from "./rough";
import { globalRow, jitterOf, Shard } from "./shard";
import { errorOf, keepMargin, lineOf, roughLine, roughOwn, scoreOf, settled } from "./weigh";

/** How a cluster has changed since the moves were looked for: for those who are in it, or for those who may join it. */
const OWN: u8 = 1;
const JOINING: u8 = 2;

/**
 * For each pair of clusters the move with the lowest score difference between the other cluster and the own one, below 0, among the local
 * rows [from, to): `shard.cells` keeps (difference, local row) as two f64, [own][other]; the lowest row wins ties, and a row of -1 says that
 * there is none. Only pairs in which a cluster has changed are looked at, see `changed` (u8 [k]): the others are as they were. Writes the cells with a
 * move, as u32, to `out`, and returns how many.
 */
export function bestMoves(at: usize, from: i32, to: i32, changed: usize, out: usize): i32 {
  const shard = changetype<Shard>(at);
  const list = shard.joining;
  let joining = 0;
  for (let m = 0; m < shard.k; m++) {
    if (load<u8>(changed + (m as usize)) & JOINING) store<i32>(list + ((joining++ as usize) << 2), m);
  }
  clear(shard, changed, joining);
  let weighed = -1;
  let scores: usize = 0;
  for (let row = from; row < to; row++) {
    const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const all = (load<u8>(changed + (own as usize)) & OWN) != 0;
    if ((!all && joining == 0) || (shard.uniform && settled(shard, row))) continue;
    if (weighed != row >> 4) {
      weighed = row >> 4;
      scores = shard.uniform ? roughOf(shard, weighed) : distancesOf(shard, weighed);
    }
    const place = (row & 15) as usize;
    const count = all ? shard.k : joining;
    const some: usize = all ? 0 : list;
    if (shard.uniform) offerRoughly(shard, row, own, scores + (place << 2), count, some);
    else offer(shard, row, own, scores + (place << 3), count, some);
  }
  return listed(shard, out);
}

/**
 * Marks the clusters that somebody has left or joined, or whose offsets changed, since these labels and patterns (u16 [rows] each) and offsets
 * (f64 [patterns][k], for joining and for keeping) were kept, and keeps the present ones.
 */
export function markChanged(at: usize, labels: usize, patterns: usize, offsets: usize, changed: usize): void {
  const shard = changetype<Shard>(at);
  const cells = shard.patterns * shard.k;
  markOffsets(shard.offset, offsets, cells, shard.k, changed, JOINING);
  markOffsets(shard.ownOffset, offsets + ((cells as usize) << 3), cells, shard.k, changed, OWN);
  for (let row: usize = 0, end = (shard.rows as usize) << 1; row < end; row += 2) {
    const now = load<u16>(shard.label + row);
    const before = load<u16>(labels + row);
    const pattern = load<u16>(shard.pattern + row);
    if (now == before && pattern == load<u16>(patterns + row)) continue;
    mark(changed + (now as usize), shard.k, now);
    mark(changed + (before as usize), shard.k, before);
    store<u16>(labels + row, now);
    store<u16>(patterns + row, pattern);
  }
}

function markOffsets(now: usize, before: usize, cells: i32, k: i32, changed: usize, how: u8): void {
  const end = (cells as usize) << 3;
  // Most are the same, two at a time.
  for (let at: usize = 0; at < end; at += 16) {
    if (at + 16 <= end && !v128.any_true(f64x2.ne(v128.load(now + at), v128.load(before + at)))) continue;
    for (let cell = at; cell < min(at + 16, end); cell += 8) {
      const value = load<f64>(now + cell);
      if (value == load<f64>(before + cell)) continue;
      store<f64>(before + cell, value);
      const flag = changed + (((cell >> 3) as i32) % k as usize);
      store<u8>(flag, load<u8>(flag) | how);
    }
  }
}

// @ts-ignore: decorator
@inline
function mark(at: usize, k: i32, cluster: u16): void {
  if ((cluster as i32) < k) store<u8>(at, load<u8>(at) | OWN);
}

/** Empties the cells of pairs that have changed. */
function clear(shard: Shard, changed: usize, joining: i32): void {
  const k = shard.k;
  for (let own = 0; own < k; own++) {
    if (load<u8>(changed + (own as usize)) & OWN) {
      for (let m = 0; m < k; m++) empty(shard, own, m);
    } else {
      for (let index = 0; index < joining; index++) {
        empty(shard, own, load<i32>(shard.joining + ((index as usize) << 2)));
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function empty(shard: Shard, own: i32, m: i32): void {
  const at = (own * shard.k + m) as usize;
  const cell = shard.cells + (at << 4);
  const found = shard.found + ((own as usize) << 2);
  if (load<f64>(cell, 8) >= 0) store<i32>(found, load<i32>(found) - 1);
  store<f64>(cell, 0);
  store<f64>(cell, -1, 8);
  store<f32>(shard.gates + (at << 2), 0);
}

/** Enters a person's moves to the first `count` clusters, or to those of a list (i32), where rough scores say that they may be the best so far. */
function offerRoughly(shard: Shard, row: i32, own: i32, scores: usize, count: i32, list: usize): void {
  const line = roughLine(shard, row);
  // Jitter counts as one more error.
  const base = roughOwn(shard, scores, line, own) + (errorOf(shard, row) + (shard.jitterReach as f32));
  const gates = shard.gates + (((own * shard.k) as usize) << 2);
  let least = f32.POSITIVE_INFINITY;
  let distances: usize = 0;
  for (let index = 0; index < count; index++) {
    const m = list ? load<i32>(list + ((index as usize) << 2)) : index;
    if (m == own) continue;
    const at = (m as usize) << 2;
    // The lowest that the gap can be.
    const gap = load<f32>(scores + (at << 4)) + load<f32>(shard.roughOffset + line + at) - base;
    if (gap < least) least = gap;
    // What is no number must be looked at.
    if (gap >= load<f32>(gates + at)) continue;
    if (!distances) distances = personDistances(shard, row);
    enter(shard, row, own, m, distances, 8);
  }
  if (!list) keepMargin(shard, row, least);
}

/** The same by exact distances. */
function offer(shard: Shard, row: i32, own: i32, distances: usize, count: i32, list: usize): void {
  for (let index = 0; index < count; index++) {
    const m = list ? load<i32>(list + ((index as usize) << 2)) : index;
    if (m != own) enter(shard, row, own, m, distances, 128);
  }
}

/** Enters a person's move where it is the best so far. */
// @ts-ignore: decorator
@inline
function enter(shard: Shard, row: i32, own: i32, m: i32, distance: usize, step: usize): void {
  const line = lineOf(shard, row);
  const jitter = shard.jitter;
  let gap = scoreOf(shard, distance, step, line, m, own) - scoreOf(shard, distance, step, line, own, own);
  if (jitter > 0) {
    const person = globalRow(shard, row);
    gap += jitterOf(person, m, jitter) - jitterOf(person, own, jitter);
  }
  const at = (own * shard.k + m) as usize;
  const cell = shard.cells + (at << 4);
  if (gap >= load<f64>(cell)) return;
  const found = shard.found + ((own as usize) << 2);
  if (load<f64>(cell, 8) < 0) store<i32>(found, load<i32>(found) + 1);
  store<f64>(cell, gap);
  store<f64>(cell, row as f64, 8);
  if (shard.uniform) store<f32>(shard.gates + (at << 2), ((gap / shard.one) * 0.9999998) as f32);
}

/** The cells with a move. */
function listed(shard: Shard, out: usize): i32 {
  const k = shard.k;
  let count = 0;
  for (let own = 0; own < k; own++) {
    let left = load<i32>(shard.found + ((own as usize) << 2));
    for (let m = 0; left > 0; m++) {
      const at = own * k + m;
      if (load<f64>(shard.cells + ((at as usize) << 4), 8) < 0) continue;
      store<i32>(out + ((count++ as usize) << 2), at);
      left--;
    }
  }
  return count;
}
