// Weighing one person: exactly, or roughly with a bound on the error, and not at all while an earlier margin holds.
import { personDistances } from "./distances";
import { strideOf } from "./rough";
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

/** The exact choice from the coordinates, for the few whom rough scores do not settle. */
export function reconsider(shard: Shard, row: i32, ownFirst: i32): i32 {
  return weighExactly(shard, row, personDistances(shard, row), 8, ownFirst);
}

/** Adds the jitter of four clusters, in units of distance. */
// @ts-ignore: decorator
@inline
export function jitter4(person: i32, clusters: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_u(hash4(person, clusters)), scale);
}

/** `hashOf` for four clusters at once. */
// @ts-ignore: decorator
@inline
function hash4(person: i32, clusters: v128): v128 {
  let h = v128.xor(
    i32x4.splat((person + 1) * (0x9e3779b1 as i32)),
    i32x4.mul(i32x4.add(clusters, i32x4.splat(1)), i32x4.splat(0x85ebca77 as i32)),
  );
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 15)), i32x4.splat(0x2c1b3c6d));
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 12)), i32x4.splat(0x297a2d39));
  return v128.xor(h, i32x4.shr_u(h, 15));
}

/** Twice the largest error of this person's rough scores: what two of them must differ by to tell them apart. */
// @ts-ignore: decorator
@inline
export function errorOf(shard: Shard, row: i32): f32 {
  const pattern = load<u16>(shard.pattern + ((row as usize) << 1)) as usize;
  const length = load<f32>(shard.norm + ((row as usize) << 2));
  return (shard.errorPerNorm as f32) * length + load<f32>(shard.error + (pattern << 2));
}

/** The rough score of keeping the own cluster; infinite for somebody who is in none. */
// @ts-ignore: decorator
@inline
export function roughOwn(shard: Shard, row: i32, scores: usize, line: usize, own: i32, person: i32): f32 {
  if (own == NOWHERE) return f32.POSITIVE_INFINITY;
  const at = (own as usize) << 2;
  let score = load<f32>(scores + at) + load<f32>(shard.roughOwnOffset + line + at);
  if (shard.jitter > 0) score += (hashOf(person, own) as f32) * ((shard.jitter / shard.one / 4294967296.0) as f32);
  return score;
}

/**
 * The choice of a person by rough scores (f32 [stride]), or -1 when they cannot tell. Somebody who stays has the margin
 * kept; somebody who moves has it forgotten by the move.
 */
export function weighRoughly(shard: Shard, row: i32, scores: usize): i32 {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const stride = strideOf(shard.k);
  const line = (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * stride) as usize) << 2;
  const person = globalRow(shard, row);
  const jittered = shard.jitter > 0;
  const scale = f32x4.splat((shard.jitter / shard.one / 4294967296.0) as f32);
  const infinity = f32x4.splat(f32.POSITIVE_INFINITY);
  const mine = i32x4.splat(own);
  let clusters = i32x4(0, 1, 2, 3);
  let best = infinity;
  let second = infinity;
  let place = clusters;
  for (let m = 0; m < stride; m += 4) {
    const at = (m as usize) << 2;
    let v = f32x4.add(v128.load(scores + at), v128.load(shard.roughOffset + line + at));
    if (jittered) v = f32x4.add(v, jitter4(person, clusters, scale));
    v = v128.bitselect(infinity, v, i32x4.eq(clusters, mine));
    const nearer = f32x4.lt(v, best);
    second = f32x4.pmin(second, f32x4.pmax(v, best));
    best = v128.bitselect(v, best, nearer);
    place = v128.bitselect(clusters, place, nearer);
    clusters = i32x4.add(clusters, i32x4.splat(4));
  }
  let first = f32x4.extract_lane(best, 0);
  let next = f32x4.extract_lane(second, 0);
  let choice = i32x4.extract_lane(place, 0);
  for (let lane = 1; lane < 4; lane++) {
    const value = lane == 1 ? f32x4.extract_lane(best, 1) : lane == 2 ? f32x4.extract_lane(best, 2) : f32x4.extract_lane(best, 3);
    const behind = lane == 1 ? f32x4.extract_lane(second, 1) : lane == 2 ? f32x4.extract_lane(second, 2) : f32x4.extract_lane(second, 3);
    if (value < first) {
      if (first < next) next = first;
      first = value;
      choice = lane == 1 ? i32x4.extract_lane(place, 1) : lane == 2 ? i32x4.extract_lane(place, 2) : i32x4.extract_lane(place, 3);
    } else if (value < next) {
      next = value;
    }
    if (behind < next) next = behind;
  }
  const error = errorOf(shard, row);
  const gap = first - roughOwn(shard, row, scores, line, own, person);
  if (gap > error) {
    keepMargin(shard, row, gap - error);
    return own;
  }
  // Written so that a difference of infinities, which is no number, cannot tell.
  return gap < -error && next - first > error ? choice : -1;
}
