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
  const at = (own as usize) << 2;
  return load<f32>(scores + at) + load<f32>(shard.roughOwnOffset + line + at);
}

/** The smallest of four numbers. */
// @ts-ignore: decorator
@inline
export function lowest(v: v128): f32 {
  const half = f32x4.pmin(v, v128.shuffle<i32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(f32x4.pmin(half, v128.shuffle<i32>(half, half, 1, 0, 3, 2)), 0);
}

/**
 * The choice of a person by rough scores (f32 [stride]), or -1 when they cannot tell. Somebody who stays has the margin
 * kept; somebody who moves has it forgotten by the move. Jitter is so small that it mostly does not matter: at first it
 * counts as one more error.
 */
export function weighRoughly(shard: Shard, row: i32, scores: usize): i32 {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const stride = strideOf(shard.k);
  const line = (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * stride) as usize) << 2;
  const infinity = f32x4.splat(f32.POSITIVE_INFINITY);
  const mine = i32x4.splat(own);
  let clusters = i32x4(0, 1, 2, 3);
  let place = clusters;
  let best = infinity;
  let second = infinity;
  for (let m = 0; m < stride; m += 4) {
    const at = (m as usize) << 2;
    const sum = f32x4.add(v128.load(scores + at), v128.load(shard.roughOffset + line + at));
    const v = v128.bitselect(infinity, sum, i32x4.eq(clusters, mine));
    second = f32x4.pmin(second, f32x4.pmax(v, best));
    place = v128.bitselect(clusters, place, f32x4.lt(v, best));
    best = f32x4.pmin(best, v);
    clusters = i32x4.add(clusters, i32x4.splat(4));
  }
  const first = lowest(best);
  const error = errorOf(shard, row) + (shard.jitterReach as f32);
  const gap = first - roughOwn(shard, scores, line, own);
  if (gap > error) {
    keepMargin(shard, row, gap - error);
    return own;
  }
  // Written so that a difference of infinities, which is no number, cannot tell.
  if (gap < -error) {
    const where = i32x4.bitmask(f32x4.eq(best, f32x4.splat(first)));
    // Two equal ones cannot be told apart either.
    if (!(where & (where - 1)) && runnerUp(best, second, first) - first > error) {
      v128.store(shard.choices + 192, place);
      return load<i32>(shard.choices + 192 + ((ctz(where) as usize) << 2));
    }
  }
  return shard.jitter > 0 ? weighJittered(shard, row, scores) : -1;
}

/** The second smallest score, from the smallest and the second smallest of each of four columns. */
// @ts-ignore: decorator
@inline
function runnerUp(best: v128, second: v128, first: f32): f32 {
  const others = v128.bitselect(f32x4.splat(f32.POSITIVE_INFINITY), best, f32x4.eq(best, f32x4.splat(first)));
  return lowest(f32x4.pmin(others, second));
}

/** As `weighRoughly`, for the few to whom the jitter may matter. */
function weighJittered(shard: Shard, row: i32, scores: usize): i32 {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const line = (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * strideOf(shard.k)) as usize) << 2;
  const person = globalRow(shard, row);
  const scale = (shard.jitterReach / 4294967296.0) as f32;
  let first = f32.POSITIVE_INFINITY;
  let next = f32.POSITIVE_INFINITY;
  let choice = -1;
  for (let m = 0; m < shard.k; m++) {
    if (m == own) continue;
    const at = (m as usize) << 2;
    const score = load<f32>(scores + at) + load<f32>(shard.roughOffset + line + at) + (hashOf(person, m) as f32) * scale;
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
