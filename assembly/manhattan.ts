// Sums of absolute differences, and medians by counting: what the Manhattan distance needs in place of products and means.
// All coordinates are whole numbers, so that sums are exact in any order.
import { NOWHERE, Shard, TILE } from "./shard";

/** Digits of a coordinate's place in the order of all numbers, the highest first. */
const DIGIT: u32 = 8;

/** Distances of 16 people, whose coordinates lie in `wide` (f64 [dims][16]), to every centre, f64 [k][16], into `out`. */
export function tileManhattan(shard: Shard, wide: usize, out: usize): void {
  const dims = shard.dims;
  for (let m = 0; m < shard.k; m++) {
    const centre = shard.centres + (((m * dims) as usize) << 3);
    let a0 = f64x2.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let a4 = a0;
    let a5 = a0;
    let a6 = a0;
    let a7 = a0;
    for (let j = 0; j < dims; j++) {
      const c = v128.load64_splat(centre + ((j as usize) << 3));
      const p = wide + ((j as usize) << 7);
      a0 = f64x2.add(a0, f64x2.abs(f64x2.sub(v128.load(p), c)));
      a1 = f64x2.add(a1, f64x2.abs(f64x2.sub(v128.load(p, 16), c)));
      a2 = f64x2.add(a2, f64x2.abs(f64x2.sub(v128.load(p, 32), c)));
      a3 = f64x2.add(a3, f64x2.abs(f64x2.sub(v128.load(p, 48), c)));
      a4 = f64x2.add(a4, f64x2.abs(f64x2.sub(v128.load(p, 64), c)));
      a5 = f64x2.add(a5, f64x2.abs(f64x2.sub(v128.load(p, 80), c)));
      a6 = f64x2.add(a6, f64x2.abs(f64x2.sub(v128.load(p, 96), c)));
      a7 = f64x2.add(a7, f64x2.abs(f64x2.sub(v128.load(p, 112), c)));
    }
    const o = out + ((m as usize) << 7);
    v128.store(o, a0);
    v128.store(o, a1, 16);
    v128.store(o, a2, 32);
    v128.store(o, a3, 48);
    v128.store(o, a4, 64);
    v128.store(o, a5, 80);
    v128.store(o, a6, 96);
    v128.store(o, a7, 112);
  }
}

/** One person's distance to one point: both f64 [dims]. */
export function pairManhattan(person: usize, point: usize, dims: i32): f64 {
  let sum: f64 = 0;
  for (let j = 0; j < dims; j++) {
    const at = (j as usize) << 3;
    sum += Math.abs(load<f64>(person + at) - load<f64>(point + at));
  }
  return sum;
}

/** The same in single precision for a tile's 16 people and every centre, f32 [k][16]: rough scores, see rough.ts. */
export function roughManhattan(shard: Shard, tile: i32, out: usize): void {
  const dims = shard.dims;
  let centre = shard.roughCentres;
  for (let m = 0; m < shard.k; m++, out += 64) {
    let x = shard.x + (((tile * dims) as usize) << 6);
    let a0 = f32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    for (const end = centre + ((dims as usize) << 2); centre < end; centre += 4, x += 64) {
      const c = v128.load32_splat(centre);
      a0 = f32x4.add(a0, f32x4.abs(f32x4.sub(v128.load(x), c)));
      a1 = f32x4.add(a1, f32x4.abs(f32x4.sub(v128.load(x, 16), c)));
      a2 = f32x4.add(a2, f32x4.abs(f32x4.sub(v128.load(x, 32), c)));
      a3 = f32x4.add(a3, f32x4.abs(f32x4.sub(v128.load(x, 48), c)));
    }
    v128.store(out, a0);
    v128.store(out, a1, 16);
    v128.store(out, a2, 32);
    v128.store(out, a3, 48);
  }
}

/** Adds everybody's distance to the centre of their cluster, among `centres` (f64 [k][dims]), up for each column: f64 [dims]. */
export function sumAround(at: usize, centres: usize, out: usize): void {
  const shard = changetype<Shard>(at);
  const dims = shard.dims;
  for (let j = 0; j < dims; j++) {
    const column = centres + ((j as usize) << 3);
    let sum: f64 = 0;
    for (let row = 0; row < shard.rows; row++) {
      const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
      if (own == NOWHERE) continue;
      const centre = load<f64>(column + (((own * dims) as usize) << 3));
      sum += Math.abs((load<f32>(coordinate(shard, row, j)) as f64) - centre);
    }
    store<f64>(out + ((j as usize) << 3), sum);
  }
}

/**
 * One step towards the medians of the columns [from, from + count). For each column and cluster: how many of its people have each
 * next digit, u32 [count][k][256] at `tables`, among those whose digits so far are those in u32 [count][k] behind it.
 */
export function countDigits(at: usize, from: i32, count: i32, shift: u32, tables: usize): void {
  const shard = changetype<Shard>(at);
  const k = shard.k;
  const cells = ((count * k) as usize) << 2;
  memory.fill(tables, 0, cells << DIGIT);
  for (let j = 0; j < count; j++) {
    const counts = tables + ((((j * k) as usize) << DIGIT) << 2);
    const known = tables + (cells << DIGIT) + (((j * k) as usize) << 2);
    for (let row = 0; row < shard.rows; row++) {
      const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
      if (own == NOWHERE) continue;
      const digits = orderOf(load<u32>(coordinate(shard, row, from + j))) >> shift;
      if (digits >> DIGIT != load<u32>(known + ((own as usize) << 2))) continue;
      const cell = counts + ((((own as usize) << DIGIT) + ((digits & 255) as usize)) << 2);
      store<u32>(cell, load<u32>(cell) + 1);
    }
  }
}

// @ts-ignore: decorator
@inline
function coordinate(shard: Shard, row: i32, dimension: i32): usize {
  return shard.x + (((((row / TILE) * shard.dims + dimension) << 4) + (row & 15)) << 2);
}

/** A number of 32 bits that is in the same order as the numbers of single precision with these bits. */
// @ts-ignore: decorator
@inline
function orderOf(bits: u32): u32 {
  return bits ^ ((((bits as i32) >> 31) as u32) | 0x80000000);
}
