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
  const pattern = load<u16>(shard.pattern + ((row as usize) << 1)) as usize;
  const length = load<f32>(shard.norm + ((row as usize) << 2));
  return (shard.errorPerNorm as f32) * length + load<f32>(shard.error + (pattern << 2));
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

/**
 * Where the own cluster's entries of the four people from `row` on are, `step` bytes a cluster apart; anywhere for somebody
 * who is in none.
 */
// @ts-ignore: decorator
@inline
function placeOf(shard: Shard, row: i32, shift: usize): usize {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as usize;
  return own == NOWHERE ? 0 : own << shift;
}

/**
 * Weighs four people at once, those whose bits are set in `open`, by their rough scores (f32 [k][16], the first of them
 * pointed at); whom these cannot tell is weighed exactly. Somebody who stays has the margin kept. Returns the bits of
 * those who move, whose new clusters are in `shard.choices`. Jitter is so small that it mostly does not matter: at first
 * it counts as one more error.
 */
export function weighFour(shard: Shard, row: i32, scores: usize, open: i32, ownFirst: i32): i32 {
  const k = shard.k;
  const infinity = f32x4.splat(f32.POSITIVE_INFINITY);
  const labels = i32x4.extend_low_i16x8_u(v128.load64_zero(shard.label + ((row as usize) << 1)));
  const l0 = roughLine(shard, row);
  const l1 = roughLine(shard, row + 1);
  const l2 = roughLine(shard, row + 2);
  const l3 = roughLine(shard, row + 3);
  let first = infinity;
  let second = infinity;
  let place = labels;
  let offset = shard.roughOffset;
  let score = scores;
  for (let m = 0; m < k; m++) {
    const sum = f32x4.add(v128.load(score), gather(offset + l0, offset + l1, offset + l2, offset + l3));
    const cluster = i32x4.splat(m);
    const v = v128.bitselect(infinity, sum, i32x4.eq(labels, cluster));
    second = f32x4.pmin(second, f32x4.pmax(v, first));
    place = v128.bitselect(cluster, place, f32x4.lt(v, first));
    first = f32x4.pmin(first, v);
    offset += 4;
    score += 64;
  }
  offset = shard.roughOwnOffset;
  const ownScore = gather(
    scores + placeOf(shard, row, 6),
    scores + placeOf(shard, row + 1, 6) + 4,
    scores + placeOf(shard, row + 2, 6) + 8,
    scores + placeOf(shard, row + 3, 6) + 12,
  );
  const ownOffset = gather(
    offset + l0 + placeOf(shard, row, 2),
    offset + l1 + placeOf(shard, row + 1, 2),
    offset + l2 + placeOf(shard, row + 2, 2),
    offset + l3 + placeOf(shard, row + 3, 2),
  );
  const nowhere = i32x4.eq(labels, i32x4.splat(NOWHERE));
  const keeping = v128.bitselect(infinity, f32x4.add(ownScore, ownOffset), nowhere);
  const pattern = shard.pattern + ((row as usize) << 1);
  const common = gather(
    shard.error + ((load<u16>(pattern) as usize) << 2),
    shard.error + ((load<u16>(pattern, 2) as usize) << 2),
    shard.error + ((load<u16>(pattern, 4) as usize) << 2),
    shard.error + ((load<u16>(pattern, 6) as usize) << 2),
  );
  const length = v128.load(shard.norm + ((row as usize) << 2));
  const own = f32x4.mul(f32x4.splat(shard.errorPerNorm as f32), length);
  const error = f32x4.add(f32x4.add(own, common), f32x4.splat(shard.jitterReach as f32));
  const gap = f32x4.sub(first, keeping);

  const staying = open & i32x4.bitmask(f32x4.gt(gap, error));
  if (staying) keepMargins(shard, row, f32x4.sub(gap, error), staying);
  if (staying == open) return 0;
  // Written so that a difference of infinities, which is no number, cannot tell.
  const sure = i32x4.bitmask(
    v128.and(f32x4.lt(gap, f32x4.neg(error)), f32x4.gt(f32x4.sub(second, first), error)),
  );
  v128.store(shard.choices + 192, place);
  let movers = 0;
  for (let bits = open & ~staying; bits; bits &= bits - 1) {
    const i = ctz(bits);
    const lane = (i as usize) << 2;
    const moves = (sure >> i) & 1;
    const choice = moves ? load<i32>(shard.choices + 192 + lane) : reweigh(shard, row + i, scores + lane, ownFirst);
    if (choice < 0) continue;
    movers |= 1 << i;
    store<i32>(shard.choices + ((((row + i) & 15) as usize) << 2), choice);
  }
  return movers;
}

/** Keeps the margins of some of four people. */
// @ts-ignore: decorator
@inline
function keepMargins(shard: Shard, row: i32, margins: v128, which: i32): void {
  const known = v128.bitselect(margins, f32x4.splat(UNKNOWN), f32x4.lt(margins, f32x4.splat(BEYOND)));
  const at = shard.margin + ((row as usize) << 2);
  const epoch = shard.epoch + ((row as usize) << 1);
  if (which == 15) {
    v128.store(at, known);
    store<u64>(epoch, (shard.now as u64) * 0x0001000100010001);
    return;
  }
  if (which & 1) store<f32>(at, f32x4.extract_lane(known, 0));
  if (which & 2) store<f32>(at, f32x4.extract_lane(known, 1), 4);
  if (which & 4) store<f32>(at, f32x4.extract_lane(known, 2), 8);
  if (which & 8) store<f32>(at, f32x4.extract_lane(known, 3), 12);
  for (let bits = which; bits; bits &= bits - 1) store<u16>(epoch + ((ctz(bits) as usize) << 1), shard.now as u16);
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
