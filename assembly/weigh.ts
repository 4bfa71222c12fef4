// Weighing one person: exactly, or roughly with a bound on the error, and not at all while an earlier margin holds.
import { personDistances } from "./distances";
import { globalRow, hashOf, jitterOf, NOWHERE, Shard } from "./shard";

/** Set by an exact weighing: what leaving the own cluster for the best other one costs, in units of distance. */
export let lead: f64 = 0;

/** The margin of somebody about whom nothing is known. */
export const UNKNOWN: f32 = f32.NEGATIVE_INFINITY;
/** Margins beyond this come from walls, which count as infinite only while they stand. */
const BEYOND: f32 = 1e13;

/** Whether the person surely stays: whatever offsets changed since the last weighing has not used up the margin. */
// @ts-ignore: decorator
@inline
export function settled(shard: Shard, row: i32): bool {
  const age = (shard.now - (load<u16>(shard.epoch + ((row as usize) << 1)) as i32)) & 0xffff;
  if (age >= shard.epochs) return false;
  const margin = load<f32>(shard.margin + ((row as usize) << 2));
  if (margin == UNKNOWN) return false;
  const pattern = load<u16>(shard.pattern + ((row as usize) << 1)) as i32;
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const line = (age * shard.patterns + pattern) * shard.k + own;
  // Strictly: a tie may have to go to a lower cluster.
  return margin > load<f32>(shard.slack + ((line as usize) << 2));
}

// @ts-ignore: decorator
@inline
export function keepMargin(shard: Shard, row: i32, margin: f32): void {
  store<f32>(shard.margin + ((row as usize) << 2), margin < BEYOND ? margin : UNKNOWN);
  store<u16>(shard.epoch + ((row as usize) << 1), shard.now as u16);
}

/** The score of joining or keeping cluster m. `distance` points at the person's distance to cluster 0, `step` bytes apart. */
// @ts-ignore: decorator
@inline
export function scoreOf(shard: Shard, distance: usize, step: usize, line: usize, m: i32, own: i32): f64 {
  const d = load<f64>(distance + (m as usize) * step);
  const at = (m as usize) << 3;
  if (m == own) return d * load<f64>(shard.ownWeight + at) + load<f64>(shard.ownOffset + line + at);
  return d * load<f64>(shard.weight + at) + load<f64>(shard.offset + line + at);
}

/** The bytes from the offsets of pattern 0 to those of this person's pattern. */
// @ts-ignore: decorator
@inline
export function lineOf(shard: Shard, row: i32): usize {
  return (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * shard.k) as usize) << 3;
}

/** The exact choice of a person, ties to the own cluster or to the lowest. Sets `lead`. */
export function weighExactly(shard: Shard, row: i32, distance: usize, step: usize, ownFirst: i32): i32 {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const line = lineOf(shard, row);
  const jitter = shard.jitter;
  const person = jitter > 0 ? globalRow(shard, row) : 0;
  let best = -1;
  let least: f64 = f64.POSITIVE_INFINITY;
  let keeping: f64 = f64.POSITIVE_INFINITY;
  for (let m = 0; m < shard.k; m++) {
    let score = scoreOf(shard, distance, step, line, m, own);
    if (jitter > 0) score += jitterOf(person, m, jitter);
    if (m == own) {
      keeping = score;
    } else if (score < least) {
      least = score;
      best = m;
    }
  }
  lead = (least - keeping) / shard.one;
  if (own == NOWHERE || best < 0) return best < 0 ? own : best;
  if (keeping < least || (keeping == least && (ownFirst || own < best))) return own;
  return best;
}

/** Twice the largest error of this person's rough scores: what two of them must differ by to tell them apart. */
// @ts-ignore: decorator
@inline
export function errorOf(shard: Shard, row: i32): f32 {
  return (shard.errorPerNorm as f32) * load<f32>(shard.norm + ((row as usize) << 2)) + (shard.error as f32);
}

/** The rough score of keeping the own cluster, but for jitter; infinite for somebody who is in none. */
// @ts-ignore: decorator
@inline
export function roughOwn(shard: Shard, scores: usize, line: usize, own: i32): f32 {
  if (own == NOWHERE) return f32.POSITIVE_INFINITY;
  return load<f32>(scores + ((own as usize) << 6)) + load<f32>(shard.roughOwnOffset + line + ((own as usize) << 2));
}

/** The bytes from the rough offsets of pattern 0 to those of this person's pattern. */
// @ts-ignore: decorator
@inline
export function roughLine(shard: Shard, row: i32): usize {
  return (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * shard.k) as usize) << 2;
}

/** Four numbers from four places. */
// @ts-ignore: decorator
@inline
function gather(a: usize, b: usize, c: usize, d: usize): v128 {
  let v = v128.load32_zero(a);
  v = v128.load_lane<f32>(b, v, 1);
  v = v128.load_lane<f32>(c, v, 2);
  return v128.load_lane<f32>(d, v, 3);
}

/** The own cluster of somebody; any for somebody who is in none. */
// @ts-ignore: decorator
@inline
export function ownOf(shard: Shard, row: i32): usize {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as usize;
  return own == NOWHERE ? 0 : own;
}

/** The offsets of four people, f32 [k rounded up to 4][4] into `out`, from their lines of the table. */
// @ts-ignore: decorator
@inline
export function turn(k: i32, l0: usize, l1: usize, l2: usize, l3: usize, out: usize): void {
  // Beyond the last cluster it reads what follows, for nobody to look at.
  for (let at: usize = 0, end = (k as usize) << 2; at < end; at += 16, out += 64) {
    const r0 = v128.load(l0 + at);
    const r1 = v128.load(l1 + at);
    const r2 = v128.load(l2 + at);
    const r3 = v128.load(l3 + at);
    const t0 = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
    const t1 = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
    const t2 = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
    const t3 = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
    v128.store(out, v128.shuffle<i64>(t0, t2, 0, 2));
    v128.store(out, v128.shuffle<i64>(t0, t2, 1, 3), 16);
    v128.store(out, v128.shuffle<i64>(t1, t3, 0, 2), 32);
    v128.store(out, v128.shuffle<i64>(t1, t3, 1, 3), 48);
  }
}

/**
 * Weighs four people at once, those whose bits are set in `open`, by their rough scores (f32 [k][16], the first of them
 * pointed at); whom these cannot tell is weighed exactly. Somebody who stays has the margin kept. Returns the bits of
 * those who move, whose new clusters are in `shard.choices`. Jitter is so small that it mostly does not matter: at first
 * it counts as one more error.
 */
export function weighFour(shard: Shard, row: i32, scores: usize, open: i32, ownFirst: i32): i32 {
  const k = shard.k;
  const labels = i32x4.extend_low_i16x8_u(v128.load64_zero(shard.label + ((row as usize) << 1)));
  const l0 = roughLine(shard, row);
  const l1 = roughLine(shard, row + 1);
  const l2 = roughLine(shard, row + 2);
  const l3 = roughLine(shard, row + 3);
  let offset = shard.roughOffset;
  turn(k, offset + l0, offset + l1, offset + l2, offset + l3, shard.turned);
  const infinity = f32x4.splat(f32.POSITIVE_INFINITY);
  let first = infinity;
  let second = infinity;
  let place = i32x4.splat(0);
  let ownScore = place;
  let cluster = place;
  for (let m = 0, score = scores, turned = shard.turned; m < k; m++, score += 64, turned += 16) {
    const distance = v128.load(score);
    const own = i32x4.eq(labels, cluster);
    ownScore = v128.or(ownScore, v128.and(distance, own));
    // The own cluster's is made no number, and such are never below another.
    const v = v128.or(f32x4.add(distance, v128.load(turned)), own);
    place = i32x4.max_s(place, v128.and(cluster, f32x4.lt(v, first)));
    second = f32x4.pmin(second, f32x4.pmax(v, first));
    first = f32x4.pmin(first, v);
    cluster = i32x4.sub(cluster, i32x4.splat(-1));
  }
  offset = shard.roughOwnOffset;
  const ownOffset = gather(
    offset + l0 + (ownOf(shard, row) << 2),
    offset + l1 + (ownOf(shard, row + 1) << 2),
    offset + l2 + (ownOf(shard, row + 2) << 2),
    offset + l3 + (ownOf(shard, row + 3) << 2),
  );
  const nowhere = i32x4.eq(labels, i32x4.splat(NOWHERE));
  const keeping = v128.bitselect(infinity, f32x4.add(ownScore, ownOffset), nowhere);
  const length = v128.load(shard.norm + ((row as usize) << 2));
  const error = f32x4.add(
    f32x4.mul(f32x4.splat(shard.errorPerNorm as f32), length),
    f32x4.splat((shard.error + shard.jitterReach) as f32),
  );
  const gap = f32x4.sub(first, keeping);

  const stays = f32x4.gt(gap, error);
  const staying = open & i32x4.bitmask(stays);
  keepMargins(shard, row, f32x4.sub(gap, error), stays, open);
  if (staying == open) return 0;
  // Written so that a difference of infinities, which is no number, cannot tell.
  const sure = i32x4.bitmask(
    v128.and(f32x4.lt(gap, f32x4.neg(error)), f32x4.gt(f32x4.sub(second, first), error)),
  );
  v128.store(shard.turned, place);
  let movers = 0;
  for (let bits = open & ~staying; bits; bits &= bits - 1) {
    const i = ctz(bits);
    const lane = (i as usize) << 2;
    const moves = (sure >> i) & 1;
    const choice = moves ? load<i32>(shard.turned + lane) : reweigh(shard, row + i, scores + lane, ownFirst);
    if (choice < 0) continue;
    movers |= 1 << i;
    store<i32>(shard.choices + ((((row + i) & 15) as usize) << 2), choice);
  }
  return movers;
}

/**
 * The same where weights differ: then the |x|^2 counts that the rough scores leave out. No margins are kept, since weights change whenever somebody
 * moves.
 */
export function weighFourUnlike(shard: Shard, row: i32, scores: usize, open: i32, ownFirst: i32): i32 {
  const k = shard.k;
  const labels = i32x4.extend_low_i16x8_u(v128.load64_zero(shard.label + ((row as usize) << 1)));
  const l0 = roughLine(shard, row);
  const l1 = roughLine(shard, row + 1);
  const l2 = roughLine(shard, row + 2);
  const l3 = roughLine(shard, row + 3);
  let offset = shard.roughOffset;
  turn(k, offset + l0, offset + l1, offset + l2, offset + l3, shard.turned);
  const length = v128.load(shard.norm + ((row as usize) << 2));
  const square = f32x4.mul(length, length);
  const infinity = f32x4.splat(f32.POSITIVE_INFINITY);
  let first = infinity;
  let second = infinity;
  let place = i32x4.splat(0);
  let ownDistance = place;
  let cluster = place;
  let weight = shard.roughWeight;
  for (let m = 0, score = scores, turned = shard.turned; m < k; m++, score += 64, turned += 16, weight += 4) {
    const distance = f32x4.add(v128.load(score), square);
    const own = i32x4.eq(labels, cluster);
    ownDistance = v128.or(ownDistance, v128.and(distance, own));
    // The own cluster's is made no number, and such are never below another.
    const v = v128.or(f32x4.add(f32x4.mul(distance, v128.load32_splat(weight)), v128.load(turned)), own);
    place = i32x4.max_s(place, v128.and(cluster, f32x4.lt(v, first)));
    second = f32x4.pmin(second, f32x4.pmax(v, first));
    first = f32x4.pmin(first, v);
    cluster = i32x4.sub(cluster, i32x4.splat(-1));
  }
  const o0 = ownOf(shard, row) << 2;
  const o1 = ownOf(shard, row + 1) << 2;
  const o2 = ownOf(shard, row + 2) << 2;
  const o3 = ownOf(shard, row + 3) << 2;
  offset = shard.roughOwnOffset;
  const ownOffset = gather(offset + l0 + o0, offset + l1 + o1, offset + l2 + o2, offset + l3 + o3);
  weight = shard.roughOwnWeight;
  const ownWeight = gather(weight + o0, weight + o1, weight + o2, weight + o3);
  const nowhere = i32x4.eq(labels, i32x4.splat(NOWHERE));
  const keeping = v128.bitselect(infinity, f32x4.add(f32x4.mul(ownDistance, ownWeight), ownOffset), nowhere);
  const error = f32x4.add(
    f32x4.add(
      f32x4.mul(f32x4.splat(shard.errorPerNorm as f32), length),
      f32x4.mul(f32x4.splat(shard.errorPerSquare as f32), square),
    ),
    f32x4.splat(shard.error as f32),
  );
  const gap = f32x4.sub(first, keeping);
  const staying = open & i32x4.bitmask(f32x4.gt(gap, error));
  if (staying == open) return 0;
  // Written so that a difference of infinities, which is no number, cannot tell.
  const sure = i32x4.bitmask(
    v128.and(f32x4.lt(gap, f32x4.neg(error)), f32x4.gt(f32x4.sub(second, first), error)),
  );
  v128.store(shard.turned, place);
  let movers = 0;
  for (let bits = open & ~staying; bits; bits &= bits - 1) {
    const i = ctz(bits);
    const lane = (i as usize) << 2;
    const choice = ((sure >> i) & 1)
      ? load<i32>(shard.turned + lane)
      : weighExactly(shard, row + i, personDistances(shard, row + i), 8, ownFirst);
    if (choice == (load<u16>(shard.label + (((row + i) as usize) << 1)) as i32)) continue;
    movers |= 1 << i;
    store<i32>(shard.choices + ((((row + i) & 15) as usize) << 2), choice);
  }
  return movers;
}

/** Keeps the margins of those of four open people who stay; nothing is known about the others. */
// @ts-ignore: decorator
@inline
function keepMargins(shard: Shard, row: i32, margins: v128, stays: v128, open: i32): void {
  const certain = v128.and(stays, f32x4.lt(margins, f32x4.splat(BEYOND)));
  const known = v128.bitselect(margins, f32x4.splat(UNKNOWN), certain);
  const at = shard.margin + ((row as usize) << 2);
  const epoch = shard.epoch + ((row as usize) << 1);
  if (open == 15) {
    v128.store(at, known);
    store<u64>(epoch, (shard.now as u64) * 0x0001000100010001);
    return;
  }
  v128.store(shard.turned, known);
  for (let bits = open; bits; bits &= bits - 1) {
    const i = ctz(bits) as usize;
    store<f32>(at + (i << 2), load<f32>(shard.turned + (i << 2)));
    store<u16>(epoch + (i << 1), shard.now as u16);
  }
}

/** The cluster that somebody moves to, by rough scores with jitter or else exactly; -1 when they stay, with the margin kept. */
function reweigh(shard: Shard, row: i32, scores: usize, ownFirst: i32): i32 {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  if (shard.jitter > 0) {
    const choice = weighJittered(shard, row, scores);
    if (choice >= 0) return choice == own ? -1 : choice;
  }
  const choice = weighExactly(shard, row, personDistances(shard, row), 8, ownFirst);
  if (choice != own) return choice;
  keepMargin(shard, row, below(lead));
  return -1;
}

/** A single-precision number that is not above this one. */
// @ts-ignore: decorator
@inline
function below(value: f64): f32 {
  return (value - Math.abs(value) * 1.2e-7) as f32;
}

/** The choice by rough scores and jitter, or -1 when they cannot tell. */
function weighJittered(shard: Shard, row: i32, scores: usize): i32 {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const line = roughLine(shard, row);
  const person = globalRow(shard, row);
  const scale = (shard.jitterReach / 4294967296.0) as f32;
  let first = f32.POSITIVE_INFINITY;
  let next = f32.POSITIVE_INFINITY;
  let choice = -1;
  for (let m = 0; m < shard.k; m++) {
    if (m == own) continue;
    const rough = load<f32>(scores + ((m as usize) << 6)) + load<f32>(shard.roughOffset + line + ((m as usize) << 2));
    const score = rough + (hashOf(person, m) as f32) * scale;
    if (score < first) {
      next = first;
      first = score;
      choice = m;
    } else if (score < next) next = score;
  }
  let keeping = roughOwn(shard, scores, line, own);
  if (own != NOWHERE) keeping += (hashOf(person, own) as f32) * scale;
  const error = errorOf(shard, row);
  const gap = first - keeping;
  if (gap > error) {
    keepMargin(shard, row, gap - error);
    return own;
  }
  return gap < -error && next - first > error ? choice : -1;
}
