// The one assignment behind every clusterer:
//   argmin over m of  weight[m] |x - c_m|^2 + offset[pattern][m]      (own weight and own offset for the present cluster)
// and the statistics that follow from it.
import { distancesOf } from "./distances";
import { roughOf } from "./rough";
import { globalRow, jitterOf, Shard, TILE } from "./shard";
import { move, moveMany, takeOver } from "./sums";
import { lineOf, scoreOf, settled, weighExactly, weighFour, weighFourUnlike } from "./weigh";

/** The rows [from, to) of a tile, as bits. */
// @ts-ignore: decorator
@inline
function bitsOf(from: i32, to: i32): i32 {
  return ((1 << (to - from)) - 1) << (from & 15);
}

/** The people of a tile in the rows [from, to) who are not settled, as bits. */
function openRows(shard: Shard, from: i32, to: i32): i32 {
  const all = bitsOf(from, to);
  const epoch = shard.epoch + (((from & ~15) as usize) << 1);
  // Nobody is settled who was not weighed in one of the epochs that are known.
  const now = i16x8.splat(shard.now as i16);
  const known = i16x8.splat(shard.epochs as i16);
  const low = i16x8.bitmask(i16x8.lt_u(i16x8.sub(now, v128.load(epoch)), known));
  const high = i16x8.bitmask(i16x8.lt_u(i16x8.sub(now, v128.load(epoch, 16)), known));
  const first = from & ~15;
  let open = all;
  for (let bits = (low | (high << 8)) & all; bits; bits &= bits - 1) {
    const i = ctz(bits);
    if (settled(shard, first + i)) open ^= 1 << i;
  }
  return open;
}

/** Those of a tile's open rows who move, by rough scores, as bits. */
function weighOpen(shard: Shard, tile: i32, open: i32, ownFirst: i32): i32 {
  if (!open) return 0;
  const scores = roughOf(shard, tile);
  let movers = 0;
  for (let i = 0; i < TILE; i += 4) {
    const four = (open >> i) & 15;
    if (!four) continue;
    const row = (tile << 4) + i;
    const at = scores + ((i as usize) << 2);
    movers |= (shard.uniform ? weighFour(shard, row, at, four, ownFirst) : weighFourUnlike(shard, row, at, four, ownFirst)) << i;
  }
  return movers;
}

/** The same for the rows [from, to) of a tile, all of them weighed exactly. */
function weighAll(shard: Shard, from: i32, to: i32, ownFirst: i32): i32 {
  const distances = distancesOf(shard, from >> 4);
  let movers = 0;
  for (let row = from; row < to; row++) {
    const choice = weighExactly(shard, row, distances + (((row & 15) as usize) << 3), 128, ownFirst);
    if (choice == (load<u16>(shard.label + ((row as usize) << 1)) as i32)) continue;
    movers |= 1 << (row & 15);
    store<i32>(shard.choices + (((row & 15) as usize) << 2), choice);
  }
  return movers;
}

/**
 * Assigns the local rows [from, to). Ties: with `ownFirst` a person stays, else the lowest cluster wins.
 * With `out` the choice is written there (u16, at [row - from]) and nobody moves. Returns how many (would) move.
 */
export function decide(at: usize, from: i32, to: i32, ownFirst: i32, out: usize): i32 {
  const shard = changetype<Shard>(at);
  let moved = 0;
  if (out) memory.copy(out, shard.label + ((from as usize) << 1), ((to - from) as usize) << 1);
  for (let row = from; row < to; row = (row | 15) + 1) {
    const tile = row >> 4;
    const end = min((row | 15) + 1, to);
    const movers = shard.uniform
      ? weighOpen(shard, tile, openRows(shard, row, end), ownFirst)
      : shard.roughWeight
        ? weighOpen(shard, tile, bitsOf(row, end), ownFirst)
        : weighAll(shard, row, end, ownFirst);
    if (!movers) continue;
    if (!out) moveMany(shard, tile, movers, moved);
    else tell(shard, tile, movers, out - ((from as usize) << 1));
    moved += popcnt(movers);
  }
  takeOver(shard);
  return moved;
}

/** Writes where a tile's movers would go, u16 by row. */
function tell(shard: Shard, tile: i32, movers: i32, out: usize): void {
  for (let bits = movers; bits; bits &= bits - 1) {
    const i = ctz(bits);
    store<u16>(out + ((((tile << 4) | i) as usize) << 1), load<i32>(shard.choices + ((i as usize) << 2)) as u16);
  }
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
    if (movers) moveMany(shard, tile, movers, moved);
    moved += popcnt(movers);
  }
  takeOver(shard);
  return moved;
}
