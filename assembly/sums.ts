// What follows from a change of labels: the sums and counts of clusters. Sums are of whole numbers and exact. What many
// people's moves change is added up in single precision first, which is exact too as long as it is taken over before it
// outgrows it.
import { NOWHERE, Shard } from "./shard";
import { UNKNOWN } from "./weigh";

/** Moves a person to another cluster and keeps the sums and counts in step. */
export function move(shard: Shard, row: i32, from: i32, to: i32): void {
  relabelled(shard, row, from, to);
  addRow(shard, row, from, to);
}

/**
 * Moves the people of a tile whose bits are set to the clusters in `shard.choices` (i32 [16]). To tally them costs less for each
 * and something in the end, about as much as adding k of them one by one: so whoever comes after the first k is tallied.
 */
export function moveMany(shard: Shard, tile: i32, movers: i32, before: i32): void {
  const tallying = before >= shard.k && shard.reach >= 16;
  if (tallying) {
    if (shard.tallied + 16 > shard.reach) takeOver(shard);
    shard.tallied += popcnt(movers);
  }
  for (let bits = movers; bits; bits &= bits - 1) {
    const i = ctz(bits);
    const row = (tile << 4) | i;
    const from = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const to = load<i32>(shard.choices + ((i as usize) << 2));
    relabelled(shard, row, from, to);
    if (tallying) tally(shard, row, from, to);
    else addRow(shard, row, from, to);
  }
}

/** The bytes of a line of the tallies. */
// @ts-ignore: decorator
@inline
function lineBytes(shard: Shard): usize {
  return (((shard.dims + 3) & ~3) as usize) << 2;
}

/** Brings what was tallied in single precision into the sums. */
export function takeOver(shard: Shard): void {
  if (shard.tallied == 0) return;
  shard.tallied = 0;
  const dims = shard.dims;
  const line = lineBytes(shard);
  for (let m = 0; m < shard.k; m++) {
    const tally = shard.tallies + (m as usize) * line;
    const sums = shard.sums + (((m * dims) as usize) << 3);
    for (let j = 0; j < dims; j++) {
      const to = sums + ((j as usize) << 3);
      store<f64>(to, load<f64>(to) + (load<f32>(tally + ((j as usize) << 2)) as f64));
    }
  }
  memory.fill(shard.tallies, 0, (shard.k as usize) * line);
}

/** How many people a row counts for. */
// @ts-ignore: decorator
@inline
function peopleOf(shard: Shard, row: i32): f64 {
  return shard.people ? load<f64>(shard.people + ((row as usize) << 3)) : 1;
}

// @ts-ignore: decorator
@inline
function relabelled(shard: Shard, row: i32, from: i32, to: i32): void {
  store<u16>(shard.label + ((row as usize) << 1), to as u16);
  store<f32>(shard.margin + ((row as usize) << 2), UNKNOWN);
  const line = shard.counts + (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * shard.k) << 3);
  const people = peopleOf(shard, row);
  const gain = line + ((to as usize) << 3);
  store<f64>(gain, load<f64>(gain) + people);
  if (from == NOWHERE) return;
  const loss = line + ((from as usize) << 3);
  store<f64>(loss, load<f64>(loss) - people);
}

// @ts-ignore: decorator
@inline
function coordinatesOf(shard: Shard, row: i32): usize {
  return shard.x + (((((row >> 4) * shard.dims) << 4) + (row & 15)) << 2);
}

/** One person's coordinates go from the sums of one cluster to those of another. */
function addRow(shard: Shard, row: i32, from: i32, to: i32): void {
  const dims = shard.dims;
  const x = coordinatesOf(shard, row);
  const people = peopleOf(shard, row);
  const gain = shard.sums + (((to * dims) as usize) << 3);
  if (from == NOWHERE) {
    for (let j = 0; j < dims; j++) {
      const at = gain + ((j as usize) << 3);
      store<f64>(at, load<f64>(at) + people * (load<f32>(x + ((j as usize) << 6)) as f64));
    }
    return;
  }
  const loss = shard.sums + (((from * dims) as usize) << 3);
  for (let j = 0; j < dims; j++) {
    const value = people * (load<f32>(x + ((j as usize) << 6)) as f64);
    const to = gain + ((j as usize) << 3);
    store<f64>(to, load<f64>(to) + value);
    const from = loss + ((j as usize) << 3);
    store<f64>(from, load<f64>(from) - value);
  }
}

/** The same in single precision, four dimensions at a time. */
function tally(shard: Shard, row: i32, from: i32, to: i32): void {
  const line = lineBytes(shard);
  let x = coordinatesOf(shard, row);
  let gain = shard.tallies + (to as usize) * line;
  const end = gain + line;
  if (from == NOWHERE) {
    for (; gain < end; gain += 16, x += 256) v128.store(gain, f32x4.add(v128.load(gain), four(x)));
    return;
  }
  let loss = shard.tallies + (from as usize) * line;
  for (; gain < end; gain += 16, loss += 16, x += 256) {
    const v = four(x);
    v128.store(gain, f32x4.add(v128.load(gain), v));
    v128.store(loss, f32x4.sub(v128.load(loss), v));
  }
}

/** Four dimensions of a person. Beyond the last it reads what follows, into padding that nobody looks at. */
// @ts-ignore: decorator
@inline
function four(x: usize): v128 {
  let v = v128.load32_zero(x);
  v = v128.load_lane<f32>(x + 64, v, 1);
  v = v128.load_lane<f32>(x + 128, v, 2);
  return v128.load_lane<f32>(x + 192, v, 3);
}
