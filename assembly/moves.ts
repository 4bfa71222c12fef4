// The best single moves: for each pair of clusters the person whose move gains most.
import { distancesOf, distanceToCentre } from "./distances";
import { roughOf } from "./rough";
import { globalRow, jitterOf, Shard, TILE } from "./shard";
import { errorOf, keepMargin, lineOf, ownOf, roughLine, settled, turn } from "./weigh";

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
  for (let row = from; row < to; row = (row | 15) + 1) {
    const end = min((row | 15) + 1, to);
    if (shard.uniform || shard.roughWeight) offerRoughly(shard, row, end, changed, joining);
    else offerExactly(shard, row, end, changed, joining);
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

/** Whether a person's own cluster has changed: all moves of theirs are looked at. */
// @ts-ignore: decorator
@inline
function hasChanged(shard: Shard, row: i32, changed: usize): bool {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as usize;
  return (load<u8>(changed + own) & OWN) != 0;
}

/** Enters the moves of the rows [from, to) of a tile that rough scores do not rule out. */
function offerRoughly(shard: Shard, from: i32, to: i32, changed: usize, joining: i32): void {
  let whole = 0;
  let part = 0;
  for (let row = from; row < to; row++) {
    const all = hasChanged(shard, row, changed);
    if ((!all && joining == 0) || (shard.uniform && settled(shard, row))) continue;
    if (all) whole |= 1 << (row & 15);
    else part |= 1 << (row & 15);
  }
  if (!(whole | part)) return;
  const scores = roughOf(shard, from >> 4);
  const first = from & ~15;
  for (let i = 0; i < TILE; i += 4) {
    const open = (whole >> i) & 15;
    if (open) offerFour(shard, first + i, scores + ((i as usize) << 2), open);
  }
  for (let bits = part; bits; bits &= bits - 1) {
    const i = ctz(bits);
    offerJoining(shard, first + i, scores + ((i as usize) << 2), joining);
  }
}

/**
 * Enters all moves of four people at once, those whose bits are set in `open`, where rough scores (f32 [k][16], the first of them pointed at) say
 * that they may be the best so far. Where weights are the same, their margins are kept.
 */
function offerFour(shard: Shard, row: i32, scores: usize, open: i32): void {
  const k = shard.k;
  const labels = i32x4.extend_low_i16x8_u(v128.load64_zero(shard.label + ((row as usize) << 1)));
  const l0 = roughLine(shard, row);
  const l1 = roughLine(shard, row + 1);
  const l2 = roughLine(shard, row + 2);
  const l3 = roughLine(shard, row + 3);
  const offset = shard.roughOffset;
  turn(k, offset + l0, offset + l1, offset + l2, offset + l3, shard.turned);
  const o0 = ownOf(shard, row);
  const o1 = ownOf(shard, row + 1);
  const o2 = ownOf(shard, row + 2);
  const o3 = ownOf(shard, row + 3);
  const gates = shard.gates;
  const line = (k as usize) << 2;
  turn(k, gates + o0 * line, gates + o1 * line, gates + o2 * line, gates + o3 * line, shard.turnedGates);
  const base = f32x4(
    baseOf(shard, row, scores),
    baseOf(shard, row + 1, scores + 4),
    baseOf(shard, row + 2, scores + 8),
    baseOf(shard, row + 3, scores + 12),
  );
  const length = v128.load(shard.norm + ((row as usize) << 2));
  const square = f32x4.mul(length, length);
  const unit = f32x4.splat((1 / shard.one) as f32);
  let least = f32x4.splat(f32.POSITIVE_INFINITY);
  let cluster = i32x4.splat(0);
  let weight = shard.roughWeight;
  let gate = shard.turnedGates;
  for (let m = 0, score = scores, turned = shard.turned; m < k; m++, score += 64, turned += 16, gate += 16) {
    let distance = v128.load(score);
    if (weight) {
      distance = f32x4.mul(f32x4.add(distance, square), v128.load32_splat(weight));
      weight += 4;
    }
    const own = i32x4.eq(labels, cluster);
    // The own cluster's is made no number, and such are never below another.
    const gap = v128.or(f32x4.sub(f32x4.add(distance, v128.load(turned)), base), own);
    least = f32x4.pmin(least, gap);
    const ruledOut = v128.or(f32x4.ge(gap, f32x4.mul(v128.load(gate), unit)), own);
    cluster = i32x4.sub(cluster, i32x4.splat(-1));
    // What is no number must be looked at.
    for (let bits = open & ~i32x4.bitmask(ruledOut); bits; bits &= bits - 1) enterExactly(shard, row + ctz(bits), m);
  }
  if (!shard.uniform) return;
  v128.store(shard.turned, least);
  for (let bits = open; bits; bits &= bits - 1) {
    const i = ctz(bits);
    keepMargin(shard, row + i, load<f32>(shard.turned + ((i as usize) << 2)));
  }
}

/** Enters a person's moves to the clusters of the list (i32 [joining]) where rough scores say that they may be the best so far. */
function offerJoining(shard: Shard, row: i32, scores: usize, joining: i32): void {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const offset = shard.roughOffset + roughLine(shard, row);
  const base = baseOf(shard, row, scores);
  const gates = shard.gates + (((own * shard.k) as usize) << 2);
  const unit = (1 / shard.one) as f32;
  for (let index = 0; index < joining; index++) {
    const m = load<i32>(shard.joining + ((index as usize) << 2));
    const at = (m as usize) << 2;
    if (m == own) continue;
    const gap = roughDistance(shard, row, scores + (at << 4), shard.roughWeight, m) + load<f32>(offset + at) - base;
    // What is no number must be looked at.
    if (!(gap >= load<f32>(gates + at) * unit)) enterExactly(shard, row, m);
  }
}

/** What a rough score must exceed for a move surely not to gain: that of the own cluster and what both may err by. Jitter counts as one more error. */
function baseOf(shard: Shard, row: i32, scores: usize): f32 {
  const own = ownOf(shard, row) as i32;
  const at = (own as usize) << 2;
  const keeping =
    roughDistance(shard, row, scores + (at << 4), shard.roughWeight ? shard.roughOwnWeight : 0, own) +
    load<f32>(shard.roughOwnOffset + roughLine(shard, row) + at);
  let error = errorOf(shard, row) + (shard.jitterReach as f32);
  if (shard.roughWeight) {
    const length = load<f32>(shard.norm + ((row as usize) << 2));
    error += (shard.errorPerSquare as f32) * (length * length);
  }
  return keeping + error;
}

/** A rough distance with its weight, or without one where all are the same. */
// @ts-ignore: decorator
@inline
function roughDistance(shard: Shard, row: i32, score: usize, weights: usize, m: i32): f32 {
  if (!weights) return load<f32>(score);
  const length = load<f32>(shard.norm + ((row as usize) << 2));
  return (load<f32>(score) + length * length) * load<f32>(weights + ((m as usize) << 2));
}

/** Enters the moves of the rows [from, to) of a tile by their distances. */
function offerExactly(shard: Shard, from: i32, to: i32, changed: usize, joining: i32): void {
  let distances: usize = 0;
  for (let row = from; row < to; row++) {
    const all = hasChanged(shard, row, changed);
    if (!all && joining == 0) continue;
    if (!distances) distances = distancesOf(shard, from >> 4);
    const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const distance = distances + (((row & 15) as usize) << 3);
    const keeping = load<f64>(distance + ((own as usize) << 7));
    const count = all ? shard.k : joining;
    for (let index = 0; index < count; index++) {
      const m = all ? index : load<i32>(shard.joining + ((index as usize) << 2));
      if (m != own) enter(shard, row, own, m, load<f64>(distance + ((m as usize) << 7)), keeping);
    }
  }
}

/** Enters a person's move where its exact gap is the best so far. */
function enterExactly(shard: Shard, row: i32, m: i32): void {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  enter(shard, row, own, m, distanceToCentre(shard, row, m), distanceToCentre(shard, row, own));
}

/** Enters a person's move where it is the best so far, by the distances to the other centre and to the own one. */
// @ts-ignore: decorator
@inline
function enter(shard: Shard, row: i32, own: i32, m: i32, joining: f64, keeping: f64): void {
  const line = lineOf(shard, row);
  const there = (m as usize) << 3;
  const here = (own as usize) << 3;
  let gap =
    joining * load<f64>(shard.weight + there) + load<f64>(shard.offset + line + there) -
    (keeping * load<f64>(shard.ownWeight + here) + load<f64>(shard.ownOffset + line + here));
  const jitter = shard.jitter;
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
  // A little less: it is rounded here, and where it is brought to units of distance.
  store<f32>(shard.gates + (at << 2), (gap * 0.9999995) as f32);
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
