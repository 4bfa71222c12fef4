// What follows from a change of labels: the sums and counts of clusters. Sums are of whole numbers and exact. Single movers
// are added in double precision; where many people of a tile move, whole vectors of their coordinates are added in single
// precision, which is exact too as long as the sums are taken over before they outgrow it.
import { NOWHERE, Shard } from "./shard";
import { UNKNOWN } from "./weigh";

/** With so many movers in a tile, turning all of it round costs less than picking out each one's coordinates. */
const MANY = 6;

/** Moves a person to another cluster and keeps the sums and counts in step. */
export function move(shard: Shard, row: i32, from: i32, to: i32): void {
  relabelled(shard, row, from, to);
  addRow(shard, row, from, to);
}

/** Moves the people of a tile whose bits are set to the clusters in `shard.choices` (i32 [16]). */
export function moveMany(shard: Shard, tile: i32, movers: i32): void {
  if (popcnt(movers) >= MANY && shard.reach >= 16) {
    tallyTile(shard, tile, movers);
    return;
  }
  for (let bits = movers; bits; bits &= bits - 1) {
    const i = ctz(bits);
    const row = (tile << 4) | i;
    const from = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    move(shard, row, from, load<i32>(shard.choices + ((i as usize) << 2)));
  }
}

/** The same, turning the whole tile round: each row goes to the line of its cluster, or to a last one if it does not move. */
function tallyTile(shard: Shard, tile: i32, movers: i32): void {
  const line = (((shard.dims + 3) & ~3) << 2) as u32;
  const gains = shard.tallies as u32;
  const nobody = shard.k as u32 * line;
  const losses = gains + nobody + line;
  const gaining = shard.choices + 64;
  const losing = gaining + 64;
  const spare = i32x4.splat(gains + nobody);
  const lost = i32x4.splat(losses + nobody);
  for (let q: usize = 0; q < 64; q += 16) {
    v128.store(gaining + q, spare);
    v128.store(losing + q, lost);
  }
  let leavers = 0;
  for (let bits = movers; bits; bits &= bits - 1) {
    const i = ctz(bits);
    const row = (tile << 4) | i;
    const place = (i as usize) << 2;
    const to = load<i32>(shard.choices + place);
    const from = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    relabelled(shard, row, from, to);
    store<u32>(gaining + place, gains + (to as u32) * line);
    if (from == NOWHERE) continue;
    leavers++;
    store<u32>(losing + place, losses + (from as u32) * line);
  }
  if (shard.tallied + 16 > shard.reach) takeOver(shard);
  shard.tallied += 16;
  const x = shard.x + (((tile * shard.dims) as usize) << 6);
  addTile(x, shard.dims, gaining);
  if (leavers) addTile(x, shard.dims, losing);
}

/** Brings what was tallied in single precision into the sums. */
export function takeOver(shard: Shard): void {
  if (shard.tallied == 0) return;
  shard.tallied = 0;
  const dims = shard.dims;
  const line = (((dims + 3) & ~3) as usize) << 2;
  const table = ((shard.k + 1) as usize) * line;
  for (let m = 0; m < shard.k; m++) {
    const gains = shard.tallies + (m as usize) * line;
    const sums = shard.sums + (((m * dims) as usize) << 3);
    for (let j = 0; j < dims; j++) {
      const at = gains + ((j as usize) << 2);
      const to = sums + ((j as usize) << 3);
      store<f64>(to, load<f64>(to) + (load<f32>(at) as f64) - (load<f32>(at + table) as f64));
    }
  }
  memory.fill(shard.tallies, 0, 2 * table);
}

// @ts-ignore: decorator
@inline
function relabelled(shard: Shard, row: i32, from: i32, to: i32): void {
  store<u16>(shard.label + ((row as usize) << 1), to as u16);
  store<f32>(shard.margin + ((row as usize) << 2), UNKNOWN);
  const line = shard.counts + (((load<u16>(shard.pattern + ((row as usize) << 1)) as i32) * shard.k) << 3);
  const gain = line + ((to as usize) << 3);
  store<f64>(gain, load<f64>(gain) + 1);
  if (from == NOWHERE) return;
  const loss = line + ((from as usize) << 3);
  store<f64>(loss, load<f64>(loss) - 1);
}

/** One person's coordinates go from the sums of one cluster to those of another. */
function addRow(shard: Shard, row: i32, from: i32, to: i32): void {
  const dims = shard.dims;
  const x = shard.x + (((((row >> 4) * dims) << 4) + (row & 15)) << 2);
  const gain = shard.sums + (((to * dims) as usize) << 3);
  if (from == NOWHERE) {
    for (let j = 0; j < dims; j++) {
      const at = gain + ((j as usize) << 3);
      store<f64>(at, load<f64>(at) + (load<f32>(x + ((j as usize) << 6)) as f64));
    }
    return;
  }
  const loss = shard.sums + (((from * dims) as usize) << 3);
  for (let j = 0; j < dims; j++) {
    const value = load<f32>(x + ((j as usize) << 6)) as f64;
    const to = gain + ((j as usize) << 3);
    store<f64>(to, load<f64>(to) + value);
    const from = loss + ((j as usize) << 3);
    store<f64>(from, load<f64>(from) - value);
  }
}

/** Adds each of a tile's 16 rows to the line (f32 [dims]) that `lines` (u32 [16]) points at, four by four turned round. */
function addTile(x: usize, dims: i32, lines: usize): void {
  for (let q: usize = 0; q < 4; q++) {
    const rows = lines + (q << 4);
    let l0 = load<u32>(rows) as usize;
    let l1 = load<u32>(rows, 4) as usize;
    let l2 = load<u32>(rows, 8) as usize;
    let l3 = load<u32>(rows, 12) as usize;
    let from = x + (q << 4);
    // Beyond the last dimension it reads what follows, into padding that nobody looks at.
    for (let j = 0; j < dims; j += 4) {
      const r0 = v128.load(from);
      const r1 = v128.load(from, 64);
      const r2 = v128.load(from, 128);
      const r3 = v128.load(from, 192);
      const t0 = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
      const t1 = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
      const t2 = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
      const t3 = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
      v128.store(l0, f32x4.add(v128.load(l0), v128.shuffle<i64>(t0, t2, 0, 2)));
      v128.store(l1, f32x4.add(v128.load(l1), v128.shuffle<i64>(t0, t2, 1, 3)));
      v128.store(l2, f32x4.add(v128.load(l2), v128.shuffle<i64>(t1, t3, 0, 2)));
      v128.store(l3, f32x4.add(v128.load(l3), v128.shuffle<i64>(t1, t3, 1, 3)));
      from += 256;
      l0 += 16;
      l1 += 16;
      l2 += 16;
      l3 += 16;
    }
  }
}
