// Rows of scores on their way to whoever tells where the smallest of each is: made unreadable and put into a secret order,
// or as differences alone. Chance comes in as words of a key stream, a chunk at a time.

/** Uniform in [0, limit) from 64 random bits: the upper half of their product. */
// @ts-ignore: decorator
@inline
function below(word: u64, limit: u64): u32 {
  return (((word >> 32) * limit + (((word & 0xffffffff) * limit) >> 32)) >> 32) as u32;
}

/** Goes on shuffling `order` (u32 [left]) from its end, one step for each of `count` words (u64). Returns what is left. */
export function shuffleRows(order: usize, left: u32, words: usize, count: u32): u32 {
  for (let used: u32 = 0; used < count && left > 1; used++, left--) {
    const last = order + (((left - 1) as usize) << 2);
    const other = order + ((below(load<u64>(words + ((used as usize) << 3)), left) as usize) << 2);
    const kept = load<u32>(last);
    store<u32>(last, load<u32>(other));
    store<u32>(other, kept);
  }
  return left;
}

/** first, first + 1, ... into u32 [rows]. */
export function count(order: usize, rows: u32, first: u32): void {
  for (let row: u32 = 0; row < rows; row++) store<u32>(order + ((row as usize) << 2), first + row);
}

/** How many rows each drawn bucket (u8 [rows], of which the bits of `mask` count) gets, added to `counts` (u32). */
export function countBuckets(buckets: usize, rows: u32, mask: u32, counts: usize): void {
  for (let row: u32 = 0; row < rows; row++) {
    const at = counts + (((load<u8>(buckets + (row as usize)) as u32) & mask) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

/** Beyond this a score means "never" or "always". */
const beyond: f64 = 9007199254740992.0;

/**
 * Puts the scores (f64 [rows][k]) of some rows, the first of which is `first`, into their buckets as whole numbers, and
 * the rows' numbers beside them. `starts` (u32) says where each bucket goes on. What is beyond all numbers becomes the
 * wall, if there is one. False when a score is not whole or beyond the bound.
 */
export function scatterRows(
  scores: usize,
  first: u32,
  rows: u32,
  k: u32,
  buckets: usize,
  mask: u32,
  starts: usize,
  order: usize,
  moved: usize,
  bound: f64,
  wall: f64,
): bool {
  let fine = true;
  for (let row: u32 = 0; row < rows; row++) {
    const start = starts + (((load<u8>(buckets + (row as usize)) as u32) & mask) << 2);
    const place = load<u32>(start);
    store<u32>(start, place + 1);
    store<u32>(order + ((place as usize) << 2), first + row);
    let to = moved + (((place as usize) * k) << 3);
    for (let m: u32 = 0; m < k; m++, scores += 8, to += 8) {
      let score = load<f64>(scores);
      if (wall > 0.0 && abs(score) >= beyond) score = score > 0.0 ? wall : -wall;
      const whole = abs(score) <= bound && score == floor(score);
      fine = fine && whole;
      store<i64>(to, whole ? (score as i64) : 0);
    }
  }
  return fine;
}

/**
 * For each of `rows` positions a secret order of the clusters (u8 [rows][k]) and a factor (u32 [rows]), from k + 1 words
 * (u32) each. `edges` (f64 [steps + 1]) are the ends of equally likely stretches of factors.
 */
export function drawRows(clusters: usize, factors: usize, rows: u32, k: u32, words: usize, edges: usize, steps: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    for (let m: u32 = 0; m < k; m++) store<u8>(clusters + m, m as u8);
    for (let m = k - 1; m > 0; m--) {
      const other = (((load<u32>(words) as u64) * (m + 1)) >> 32) as usize;
      words += 4;
      const kept = load<u8>(clusters + m);
      store<u8>(clusters + m, load<u8>(clusters + other));
      store<u8>(clusters + other, kept);
    }
    const step = edges + (((((load<u32>(words) as u64) * steps) >> 32) as usize) << 3);
    const within = (load<u32>(words, 4) as f64) * (1.0 / 4294967296.0);
    store<u32>(factors, floor(load<f64>(step) + (load<f64>(step, 8) - load<f64>(step)) * within) as u32);
    words += 8;
    clusters += k;
    factors += 4;
  }
}

/**
 * The blinded differences (i64 [rows][k-1]) of `rows` positions. `places` (u32) says where in the buckets each one's scores
 * (i64 [n][k]) and row (u32 [n]) are. With `words` (u32 [rows][k]) the numbers that hide ties are added; `labels` (u16 [n],
 * or 0) says who stays first in a tie. All scores are multiples of `step`, and so far the numbers that hide ties reach.
 */
export function blindRows(
  scores: usize,
  order: usize,
  places: usize,
  clusters: usize,
  factors: usize,
  rows: u32,
  k: u32,
  words: usize,
  labels: usize,
  step: u32,
  out: usize,
): void {
  if (!words) return scaleRows(scores, places, clusters, factors, rows, k, out);
  for (let j: u32 = 0; j < rows; j++) {
    const place = load<u32>(places) as usize;
    const line = scores + ((place * k) << 3);
    const factor = load<u32>(factors);
    const width = ((factor as u64) * step) / k;
    const own: u32 = labels ? load<u16>(labels + ((load<u32>(order + (place << 2)) as usize) << 1)) : 0xffff;
    // Where there is an own cluster it comes first in a tie, and those below it move up. Branches here would be guesses.
    const limit: u32 = own == 0xffff ? 0 : own;
    let first: i64 = 0;
    for (let m: u32 = 0; m < k; m++) {
      const cluster = load<u8>(clusters + m) as u32;
      let value = load<i64>(line + ((cluster as usize) << 3)) * (factor as i64);
      const rank = (cluster + ((cluster < limit) as u32)) * ((cluster != own) as u32);
      value += ((rank as u64) * width + (((load<u32>(words) as u64) * width) >> 32)) as i64;
      words += 4;
      if (m == 0) {
        first = value;
      } else {
        store<i64>(out, value - first);
        out += 8;
      }
    }
    places += 4;
    factors += 4;
    clusters += k;
  }
}

/** As `blindRows`, of a party that hides no ties. */
function scaleRows(
  scores: usize,
  places: usize,
  clusters: usize,
  factors: usize,
  rows: u32,
  k: u32,
  out: usize,
): void {
  for (let j: u32 = 0; j < rows; j++) {
    const line = scores + (((load<u32>(places) as usize) * k) << 3);
    const factor = load<u32>(factors) as i64;
    const first = load<i64>(line + ((load<u8>(clusters) as usize) << 3));
    for (let m: u32 = 1; m < k; m++) {
      store<i64>(out, (load<i64>(line + ((load<u8>(clusters + m) as usize) << 3)) - first) * factor);
      out += 8;
    }
    places += 4;
    factors += 4;
    clusters += k;
  }
}

/** What positions (u8 [rows]) in the secret order mean: everybody's cluster (u16 [n]). False when one is beyond k. */
export function readRows(
  positions: usize,
  order: usize,
  places: usize,
  clusters: usize,
  rows: u32,
  k: u32,
  labels: usize,
): bool {
  for (let j: u32 = 0; j < rows; j++) {
    const position = load<u8>(positions + (j as usize)) as u32;
    if (position >= k) return false;
    const place = load<u32>(places + ((j as usize) << 2)) as usize;
    const row = load<u32>(order + (place << 2)) as usize;
    store<u16>(labels + (row << 1), load<u8>(clusters + (j as usize) * k + position));
  }
  return true;
}

/**
 * The differences (i64 [rows][k-1]) of each row's scores (f64 [rows][k]) to the one that comes first in a tie: that of
 * `labels` (u16 [rows], 0xffff for none; or 0), else the lowest. What is beyond all numbers becomes the wall, if there is
 * one. False when a score is not whole or beyond the bound.
 */
export function subtractRows(
  scores: usize,
  rows: u32,
  k: u32,
  labels: usize,
  bound: f64,
  wall: f64,
  out: usize,
): bool {
  let fine = true;
  for (let row: u32 = 0; row < rows; row++) {
    let first: u32 = labels ? load<u16>(labels + ((row as usize) << 1)) : 0xffff;
    if (first == 0xffff) first = 0;
    for (let m: u32 = 0; m < k; m++) {
      const at = scores + ((m as usize) << 3);
      let score = load<f64>(at);
      if (wall > 0.0 && abs(score) >= beyond) score = score > 0.0 ? wall : -wall;
      const whole = abs(score) <= bound && score == floor(score);
      fine = fine && whole;
      store<i64>(at, whole ? (score as i64) : 0);
    }
    const base = load<i64>(scores + ((first as usize) << 3));
    for (let m: u32 = 0; m < k; m++, scores += 8) {
      if (m == first) continue;
      store<i64>(out, load<i64>(scores) - base);
      out += 8;
    }
  }
  return fine;
}

/** The lowest `width` bytes of each number (i64), end to end: each is written whole, and the next one over its upper bytes. */
export function packNumbers(numbers: usize, count: u32, width: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++, numbers += 8, out += width) store<u64>(out, load<u64>(numbers));
}

/** Adds `masks` to `numbers` (i64 [count] both, up to the next even count), or subtracts them. */
export function applyMasks(numbers: usize, masks: usize, count: u32, adds: bool): void {
  for (let i: u32 = 0; i < count; i += 2, numbers += 16, masks += 16) {
    const number = v128.load(numbers);
    const mask = v128.load(masks);
    v128.store(numbers, adds ? i64x2.add(number, mask) : i64x2.sub(number, mask));
  }
}

/** What positions (u8 [rows]) in the order of ties mean: the column of each row (u16). False when one is beyond k. */
export function readPositions(positions: usize, rows: u32, k: u32, labels: usize, out: usize): bool {
  for (let row: u32 = 0; row < rows; row++) {
    const position = load<u8>(positions + (row as usize)) as u32;
    if (position >= k) return false;
    let first: u32 = labels ? load<u16>(labels + ((row as usize) << 1)) : 0xffff;
    if (first == 0xffff) first = 0;
    const column = position == 0 ? first : position <= first ? position - 1 : position;
    store<u16>(out + ((row as usize) << 1), column as u16);
  }
  return true;
}
