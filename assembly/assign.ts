// The one assignment behind every clusterer:
//   argmin over m of  weight[m] |x - c_m|^2 + offset[pattern][m]      (own weight and own offset for the present cluster)
// and the statistics that follow from it.
import { distancesOf } from "./distances";
import { globalRow, jitterOf, NOWHERE, Shard } from "./shard";

/** The score of joining or keeping cluster m. `distance` points at the person's distance to cluster 0, tiles apart. */
// @ts-ignore: decorator
@inline
function scoreOf(shard: Shard, distance: usize, line: usize, m: i32, own: i32): f64 {
  const d = load<f64>(distance + ((m as usize) << 7));
  const at = (m as usize) << 3;
  if (m == own) return d * load<f64>(shard.ownWeight + at) + load<f64>(shard.ownOffset + line + at);
  return d * load<f64>(shard.weight + at) + load<f64>(shard.offset + line + at);
}

/** Moves a person to another cluster and keeps the sums and counts in step. */
// @ts-ignore: decorator
@inline
function move(shard: Shard, row: i32, from: i32, to: i32): void {
  const dims = shard.dims;
  const k = shard.k;
  store<u16>(shard.label + ((row as usize) << 1), to as u16);
  const x = shard.x + (((((row >> 4) * dims) << 4) + (row & 15)) << 2);
  const line = shard.counts + (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * k) << 3);
  const gain = shard.sums + (((to * dims) as usize) << 3);
  for (let j = 0; j < dims; j++) {
    const at = gain + ((j as usize) << 3);
    store<f64>(at, load<f64>(at) + (load<f32>(x + ((j as usize) << 6)) as f64));
  }
  store<f64>(line + ((to as usize) << 3), load<f64>(line + ((to as usize) << 3)) + 1);
  if (from == NOWHERE) return;
  const loss = shard.sums + (((from * dims) as usize) << 3);
  for (let j = 0; j < dims; j++) {
    const at = loss + ((j as usize) << 3);
    store<f64>(at, load<f64>(at) - (load<f32>(x + ((j as usize) << 6)) as f64));
  }
  store<f64>(line + ((from as usize) << 3), load<f64>(line + ((from as usize) << 3)) - 1);
}

/**
 * Assigns the local rows [from, to). Ties: with `ownFirst` a person stays, else the lowest cluster wins.
 * With `out` the choice is written there (u16, at [row - from]) and nobody moves. Returns how many (would) move.
 */
export function decide(at: usize, from: i32, to: i32, ownFirst: i32, out: usize): i32 {
  const shard = changetype<Shard>(at);
  const k = shard.k;
  const jitter = shard.jitter;
  let moved = 0;
  for (let row = from; row < to; ) {
    const end = min((row | 15) + 1, to);
    const distances = distancesOf(shard, row >> 4);
    for (; row < end; row++) {
      const distance = distances + (((row & 15) as usize) << 3);
      const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
      const line = (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * k) << 3) as usize;
      const person = jitter > 0 ? globalRow(shard, row) : 0;
      let best = ownFirst && own != NOWHERE ? own : 0;
      let least = scoreOf(shard, distance, line, best, own);
      if (jitter > 0) least += jitterOf(person, best, jitter);
      for (let m = 0; m < k; m++) {
        let score = scoreOf(shard, distance, line, m, own);
        if (jitter > 0) score += jitterOf(person, m, jitter);
        if (score < least) {
          least = score;
          best = m;
        }
      }
      if (out) store<u16>(out + (((row - from) as usize) << 1), best as u16);
      if (best == own) continue;
      moved++;
      if (!out) move(shard, row, own, best);
    }
  }
  return moved;
}

/** Scores of the local rows [from, to), f64 [rows][k], into `out`. */
export function scores(at: usize, from: i32, to: i32, out: usize): void {
  const shard = changetype<Shard>(at);
  const k = shard.k;
  const jitter = shard.jitter;
  for (let row = from; row < to; ) {
    const end = min((row | 15) + 1, to);
    const distances = distancesOf(shard, row >> 4);
    for (; row < end; row++) {
      const distance = distances + (((row & 15) as usize) << 3);
      const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
      const line = (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * k) << 3) as usize;
      const person = globalRow(shard, row);
      const target = out + ((((row - from) * k) as usize) << 3);
      for (let m = 0; m < k; m++) {
        let score = scoreOf(shard, distance, line, m, own);
        if (jitter > 0) score += jitterOf(person, m, jitter);
        store<f64>(target + ((m as usize) << 3), score);
      }
    }
  }
}

/** Takes over labels decided elsewhere (u16, at [row - from]) for the local rows [from, to). Returns how many moved. */
export function adopt(at: usize, from: i32, to: i32, labels: usize): i32 {
  const shard = changetype<Shard>(at);
  let moved = 0;
  for (let row = from; row < to; row++) {
    const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const next = load<u16>(labels + (((row - from) as usize) << 1)) as i32;
    if (own == next) continue;
    moved++;
    move(shard, row, own, next);
  }
  return moved;
}

/**
 * For each pair of clusters the move with the lowest score difference between the other cluster and the own one, over
 * the local rows [from, to). Writes (difference, local row) as two f64 to `out` [own][other]; the lowest row wins ties, and a row of
 * -1 says that there is none.
 */
export function bestMoves(at: usize, from: i32, to: i32, out: usize): void {
  const shard = changetype<Shard>(at);
  const k = shard.k;
  const jitter = shard.jitter;
  for (let cell = 0; cell < k * k; cell++) {
    store<f64>(out + ((cell as usize) << 4), f64.POSITIVE_INFINITY);
    store<f64>(out + ((cell as usize) << 4), -1, 8);
  }
  let distances: usize = 0;
  for (let row = from; row < to; row++) {
    if (row == from || (row & 15) == 0) distances = distancesOf(shard, row >> 4);
    const distance = distances + (((row & 15) as usize) << 3);
    const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const line = (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * k) << 3) as usize;
    const person = globalRow(shard, row);
    let base = scoreOf(shard, distance, line, own, own);
    if (jitter > 0) base += jitterOf(person, own, jitter);
    const cells = out + (((own * k) as usize) << 4);
    for (let m = 0; m < k; m++) {
      if (m == own) continue;
      let gap = scoreOf(shard, distance, line, m, own) - base;
      if (jitter > 0) gap += jitterOf(person, m, jitter);
      const cell = cells + ((m as usize) << 4);
      if (gap < load<f64>(cell)) {
        store<f64>(cell, gap);
        store<f64>(cell, row as f64, 8);
      }
    }
  }
}
