// The best single moves: for each pair of clusters the person whose move gains most.
import { distancesOf, personDistances } from "./distances";
import { roughOf } from "./rough";
import { globalRow, jitterOf, Shard } from "./shard";
import { errorOf, keepMargin, lineOf, roughLine, roughOwn, scoreOf, settled } from "./weigh";

/**
 * Over each of `count` ranges of local rows, two i32 each: for each pair of clusters the move with the lowest score
 * difference between the other cluster and the own one, below 0. Writes (difference, local row) as two f64 to `out`
 * [range][own][other]; the lowest row wins ties, and a row of -1 says that there is none.
 */
export function bestMoves(at: usize, ranges: usize, count: i32, out: usize): void {
  const shard = changetype<Shard>(at);
  const cells = ((shard.k * shard.k) as usize) << 4;
  for (let index = 0; index < count; index++) {
    const range = ranges + ((index as usize) << 3);
    bestOfRange(shard, load<i32>(range), load<i32>(range, 4), out + (index as usize) * cells);
  }
}

function bestOfRange(shard: Shard, from: i32, to: i32, out: usize): void {
  const k = shard.k;
  for (let cell = 0; cell < k * k; cell++) {
    store<f64>(out + ((cell as usize) << 4), 0);
    store<f64>(out + ((cell as usize) << 4), -1, 8);
  }
  if (!shard.uniform) {
    let distances: usize = 0;
    for (let row = from; row < to; row++) {
      if (row == from || (row & 15) == 0) distances = distancesOf(shard, row >> 4);
      offer(shard, row, distances + (((row & 15) as usize) << 3), 128, out);
    }
    return;
  }
  memory.fill(shard.gates, 0, ((k * k) as usize) << 2);
  let scores: usize = 0;
  let weighed = -1;
  for (let row = from; row < to; row++) {
    if (settled(shard, row)) continue;
    if (weighed != row >> 4) {
      weighed = row >> 4;
      scores = roughOf(shard, weighed);
    }
    if (promising(shard, row, scores + (((row & 15) as usize) << 2))) {
      offer(shard, row, personDistances(shard, row), 8, out);
    }
  }
}

/** Whether a move of this person may be better than the best so far for its pair of clusters. Keeps the margin. */
function promising(shard: Shard, row: i32, scores: usize): bool {
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const line = roughLine(shard, row);
  // Jitter counts as one more error.
  const base = roughOwn(shard, scores, line, own) + (errorOf(shard, row) + (shard.jitterReach as f32));
  const gates = shard.gates + (((own * shard.k) as usize) << 2);
  let least = f32.POSITIVE_INFINITY;
  let better = false;
  for (let m = 0; m < shard.k; m++) {
    if (m == own) continue;
    const at = (m as usize) << 2;
    // The lowest that the gap can be.
    const gap = load<f32>(scores + (at << 4)) + load<f32>(shard.roughOffset + line + at) - base;
    // Not "below the gate" but "not above it": what is no number must be looked at.
    if (!(gap >= load<f32>(gates + at))) better = true;
    if (gap < least) least = gap;
  }
  keepMargin(shard, row, least);
  return better;
}

/** Enters a person's moves where they are the best so far. */
function offer(shard: Shard, row: i32, distance: usize, step: usize, out: usize): void {
  const k = shard.k;
  const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
  const line = lineOf(shard, row);
  const jitter = shard.jitter;
  const person = globalRow(shard, row);
  const gates = shard.gates + (((own * k) as usize) << 2);
  let base = scoreOf(shard, distance, step, line, own, own);
  if (jitter > 0) base += jitterOf(person, own, jitter);
  const cells = out + (((own * k) as usize) << 4);
  for (let m = 0; m < k; m++) {
    if (m == own) continue;
    let gap = scoreOf(shard, distance, step, line, m, own) - base;
    if (jitter > 0) gap += jitterOf(person, m, jitter);
    const cell = cells + ((m as usize) << 4);
    if (gap >= load<f64>(cell)) continue;
    store<f64>(cell, gap);
    store<f64>(cell, row as f64, 8);
    if (shard.uniform) store<f32>(gates + ((m as usize) << 2), ((gap / shard.one) * 0.9999998) as f32);
  }
}
