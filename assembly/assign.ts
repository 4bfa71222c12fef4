// The one assignment behind every clusterer:
//   argmin over m of  weight[m] |x - c_m|^2 + offset[pattern][m]      (own weight and own offset for the present cluster)
// and the statistics that follow from it.
import { distancesOf } from "./distances";
import { roughOf, strideOf } from "./rough";
import { globalRow, jitterOf, Shard } from "./shard";
import { move, moveMany, takeOver } from "./sums";
import { keepMargin, lead, lineOf, reconsider, scoreOf, settled, weighExactly, weighRoughly } from "./weigh";

/** The 16 people of a tile that lie in [from, to) and are not settled, as bits. */
// @ts-ignore: decorator
@inline
function openRows(shard: Shard, from: i32, to: i32): i32 {
  let open = 0;
  for (let row = from; row < to; row++) if (!settled(shard, row)) open |= 1 << (row & 15);
  return open;
}

/**
 * Assigns the local rows [from, to). Ties: with `ownFirst` a person stays, else the lowest cluster wins.
 * With `out` the choice is written there (u16, at [row - from]) and nobody moves. Returns how many (would) move.
 */
export function decide(at: usize, from: i32, to: i32, ownFirst: i32, out: usize): i32 {
  const shard = changetype<Shard>(at);
  const line = (strideOf(shard.k) as usize) << 2;
  let moved = 0;
  for (let row = from; row < to; ) {
    const tile = row >> 4;
    const end = min((row | 15) + 1, to);
    const open = shard.uniform ? openRows(shard, row, end) : 0xffff;
    let weighed: usize = 0;
    if (open) weighed = shard.uniform ? roughOf(shard, tile) : distancesOf(shard, tile);
    let movers = 0;
    for (; row < end; row++) {
      const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
      let choice = own;
      if (!shard.uniform) {
        choice = weighExactly(shard, row, weighed + (((row & 15) as usize) << 3), 128, ownFirst);
      } else if ((open >> (row & 15)) & 1) {
        choice = weighRoughly(shard, row, weighed + ((row & 15) as usize) * line);
        if (choice < 0) {
          choice = reconsider(shard, row, ownFirst);
          if (choice == own) keepMargin(shard, row, below(lead));
        }
      }
      if (out) store<u16>(out + (((row - from) as usize) << 1), choice as u16);
      if (choice == own) continue;
      movers |= 1 << (row & 15);
      store<i32>(shard.choices + (((row & 15) as usize) << 2), choice);
    }
    moved += popcnt(movers);
    if (movers && !out) moveMany(shard, tile, movers);
  }
  takeOver(shard);
  return moved;
}

/** A single-precision number that is not above this one. */
// @ts-ignore: decorator
@inline
function below(value: f64): f32 {
  return (value - Math.abs(value) * 1.2e-7) as f32;
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
      const line = lineOf(shard, row);
      const person = globalRow(shard, row);
      const target = out + ((((row - from) * k) as usize) << 3);
      for (let m = 0; m < k; m++) {
        let score = scoreOf(shard, distance, 128, line, m, own);
        if (jitter > 0) score += jitterOf(person, m, jitter);
        store<f64>(target + ((m as usize) << 3), score);
      }
    }
  }
}

/** Takes over single labels decided elsewhere: local rows (u32) and their labels (u16). Returns how many moved. */
export function relabel(at: usize, count: i32, rows: usize, labels: usize): i32 {
  const shard = changetype<Shard>(at);
  let moved = 0;
  for (let index = 0; index < count; index++) {
    const row = load<u32>(rows + ((index as usize) << 2)) as i32;
    const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const next = load<u16>(labels + ((index as usize) << 1)) as i32;
    if (own == next) continue;
    moved++;
    move(shard, row, own, next);
  }
  return moved;
}

/** Takes over labels decided elsewhere (u16, at [row - from]) for the local rows [from, to). Returns how many moved. */
export function adopt(at: usize, from: i32, to: i32, labels: usize): i32 {
  const shard = changetype<Shard>(at);
  let moved = 0;
  for (let row = from; row < to; ) {
    const tile = row >> 4;
    const end = min((row | 15) + 1, to);
    let movers = 0;
    for (; row < end; row++) {
      const next = load<u16>(labels + (((row - from) as usize) << 1)) as i32;
      if ((load<u16>(shard.label + ((row as usize) << 1)) as i32) == next) continue;
      movers |= 1 << (row & 15);
      store<i32>(shard.choices + (((row & 15) as usize) << 2), next);
    }
    moved += popcnt(movers);
    if (movers) moveMany(shard, tile, movers);
  }
  takeOver(shard);
  return moved;
}
