// Rows of scores made unreadable and put into a secret order. Chance comes in as words of a key stream, a chunk at a time.

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

/** 0, 1, 2, ... into u32 [rows]. */
export function count(order: usize, rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) store<u32>(order + ((row as usize) << 2), row);
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
 * The blinded differences (i64 [rows][k-1]) of `rows` positions from everybody's scores (i64 [n][k]). With `words` (u32
 * [rows][k]) the numbers that hide ties are added; `labels` (u16 [n], or 0) says who stays first in a tie.
 */
export function blindRows(
  scores: usize,
  order: usize,
  clusters: usize,
  factors: usize,
  rows: u32,
  k: u32,
  words: usize,
  labels: usize,
  out: usize,
): void {
  for (let j: u32 = 0; j < rows; j++) {
    const row = load<u32>(order) as usize;
    const line = scores + ((row * k) << 3);
    const factor = load<u32>(factors);
    const width = factor / k;
    const own: u32 = labels ? load<u16>(labels + (row << 1)) : 0xffff;
    let first: i64 = 0;
    for (let m: u32 = 0; m < k; m++) {
      const cluster = load<u8>(clusters + m) as u32;
      let value = load<i64>(line + ((cluster as usize) << 3)) * (factor as i64);
      if (words) {
        const rank = own == 0xffff || cluster > own ? cluster : cluster == own ? 0 : cluster + 1;
        value += (rank * width + ((((load<u32>(words) as u64) * width) >> 32) as u32)) as i64;
        words += 4;
      }
      if (m == 0) {
        first = value;
      } else {
        store<i64>(out, value - first);
        out += 8;
      }
    }
    order += 4;
    factors += 4;
    clusters += k;
  }
}

/** What positions (u8 [rows]) in the secret order mean: everybody's cluster (u16 [n]). False when one is beyond k. */
export function readRows(positions: usize, order: usize, clusters: usize, rows: u32, k: u32, labels: usize): bool {
  for (let j: u32 = 0; j < rows; j++) {
    const position = load<u8>(positions + (j as usize)) as u32;
    if (position >= k) return false;
    const row = load<u32>(order + ((j as usize) << 2)) as usize;
    store<u16>(labels + (row << 1), load<u8>(clusters + (j as usize) * k + position));
  }
  return true;
}
