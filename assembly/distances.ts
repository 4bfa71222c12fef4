// Squared distances of one tile to all centres, as |x|^2 - 2 x.c + |c|^2, or sums of absolute differences: exact, since all
// terms are whole numbers.
import { exactMadd } from "./madd";
import { pairManhattan, tileManhattan } from "./manhattan";
import { Shard, TILE } from "./shard";

/** Spreads a tile's f32 coordinates to f64 and sums their squares. Returns where the squared norms are. */
function widen(shard: Shard, tile: i32): usize {
  const dims = shard.dims;
  const source = shard.x + (((tile * dims) as usize) << 6);
  const wide = shard.scratch;
  const norms = wide + (((dims + shard.k) as usize) << 7);
  memory.fill(norms, 0, 128);
  for (let j = 0; j < dims; j++) {
    const from = source + ((j as usize) << 6);
    const to = wide + ((j as usize) << 7);
    for (let q: usize = 0; q < 8; q++) {
      const v = f64x2.promote_low_f32x4(v128.load64_zero(from + (q << 3)));
      v128.store(to + (q << 4), v);
      v128.store(norms + (q << 4), f64x2.add(v128.load(norms + (q << 4)), f64x2.mul(v, v)));
    }
  }
  return norms;
}

/** Distances of a tile's 16 people to every centre, f64 [k][16], written to `out`. */
export function tileDistances(shard: Shard, tile: i32, out: usize): void {
  const dims = shard.dims;
  const wide = shard.scratch;
  const norms = widen(shard, tile);
  if (shard.manhattan) return tileManhattan(shard, wide, out);
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
    let square: f64 = 0;
    for (let j = 0; j < dims; j++) {
      const coordinate = load<f64>(centre + ((j as usize) << 3));
      square += coordinate * coordinate;
      const c = f64x2.splat(coordinate);
      const p = wide + ((j as usize) << 7);
      a0 = exactMadd(c, v128.load(p), a0);
      a1 = exactMadd(c, v128.load(p, 16), a1);
      a2 = exactMadd(c, v128.load(p, 32), a2);
      a3 = exactMadd(c, v128.load(p, 48), a3);
      a4 = exactMadd(c, v128.load(p, 64), a4);
      a5 = exactMadd(c, v128.load(p, 80), a5);
      a6 = exactMadd(c, v128.load(p, 96), a6);
      a7 = exactMadd(c, v128.load(p, 112), a7);
    }
    const s = f64x2.splat(square);
    const two = f64x2.splat(-2);
    const o = out + ((m as usize) << 7);
    v128.store(o, finish(a0, s, two, norms));
    v128.store(o, finish(a1, s, two, norms + 16), 16);
    v128.store(o, finish(a2, s, two, norms + 32), 32);
    v128.store(o, finish(a3, s, two, norms + 48), 48);
    v128.store(o, finish(a4, s, two, norms + 64), 64);
    v128.store(o, finish(a5, s, two, norms + 80), 80);
    v128.store(o, finish(a6, s, two, norms + 96), 96);
    v128.store(o, finish(a7, s, two, norms + 112), 112);
  }
}

// @ts-ignore: decorator
@inline
function finish(dot: v128, square: v128, two: v128, norm: usize): v128 {
  return f64x2.add(f64x2.add(v128.load(norm), square), f64x2.mul(two, dot));
}

/** Where the distances of a tile are: in the table when there is one, else computed into the scratch. */
// @ts-ignore: decorator
@inline
export function distancesOf(shard: Shard, tile: i32): usize {
  if (shard.table) return shard.table + (((tile * shard.k) as usize) << 7);
  const out = shard.scratch + ((shard.dims as usize) << 7);
  tileDistances(shard, tile, out);
  return out;
}

/** Fills the table with the distances to the present centres. */
export function measure(at: usize): void {
  const shard = changetype<Shard>(at);
  const tiles = (shard.rows + TILE - 1) / TILE;
  for (let tile = 0; tile < tiles; tile++) {
    tileDistances(shard, tile, shard.table + (((tile * shard.k) as usize) << 7));
  }
}

/** One person's distances to all centres, f64 [k]: for the few who need a closer look. */
export function personDistances(shard: Shard, row: i32): usize {
  const dims = shard.dims;
  const wide = shard.lone;
  const out = wide + ((dims as usize) << 3);
  const x = shard.x + (((((row >> 4) * dims) << 4) + (row & 15)) << 2);
  for (let j = 0; j < dims; j++) store<f64>(wide + ((j as usize) << 3), load<f32>(x + ((j as usize) << 6)) as f64);
  for (let m = 0; m < shard.k; m++) {
    const centre = shard.centres + (((m * dims) as usize) << 3);
    if (shard.manhattan) {
      store<f64>(out + ((m as usize) << 3), pairManhattan(wide, centre, dims));
      continue;
    }
    let pair = f64x2.splat(0);
    let j = 0;
    for (; j < dims - 1; j += 2) {
      const at = (j as usize) << 3;
      const gap = f64x2.sub(v128.load(wide + at), v128.load(centre + at));
      pair = f64x2.add(pair, f64x2.mul(gap, gap));
    }
    let sum = f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
    if (j < dims) {
      const gap = load<f64>(wide + ((j as usize) << 3)) - load<f64>(centre + ((j as usize) << 3));
      sum += gap * gap;
    }
    store<f64>(out + ((m as usize) << 3), sum);
  }
  return out;
}

/** Distances of all local rows to one point (f64 [dims]) into `out` (f64 [rows]). */
export function distancesTo(at: usize, point: usize, out: usize): void {
  const shard = changetype<Shard>(at);
  const rows = shard.rows;
  // Four people at a time, and the last ones one by one.
  let row = 0;
  for (; row + 4 <= rows; row += 4) fourDistancesTo(shard, row, point, out + ((row as usize) << 3));
  for (; row < rows; row++) store<f64>(out + ((row as usize) << 3), distanceTo(shard, row, point));
}

/** The distances of four people of a tile to a point, f64 [4]. */
// @ts-ignore: decorator
@inline
function fourDistancesTo(shard: Shard, row: i32, point: usize, out: usize): void {
  const dims = shard.dims;
  let x = shard.x + (((((row >> 4) * dims) << 4) + (row & 15)) << 2);
  let low = f64x2.splat(0);
  let high = low;
  for (let j = 0; j < dims; j++, x += 64) {
    const centre = v128.load64_splat(point + ((j as usize) << 3));
    const some = v128.load(x);
    const a = f64x2.sub(f64x2.promote_low_f32x4(some), centre);
    const b = f64x2.sub(f64x2.promote_low_f32x4(v128.shuffle<i64>(some, some, 1, 1)), centre);
    low = f64x2.add(low, shard.manhattan ? f64x2.abs(a) : f64x2.mul(a, a));
    high = f64x2.add(high, shard.manhattan ? f64x2.abs(b) : f64x2.mul(b, b));
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}

/** The same to the centre of each one's own cluster. */
export function distancesToOwn(at: usize, out: usize): void {
  const shard = changetype<Shard>(at);
  for (let row = 0; row < shard.rows; row++) {
    const own = load<u16>(shard.label + ((row as usize) << 1)) as i32;
    const centre = shard.centres + (((own * shard.dims) as usize) << 3);
    store<f64>(out + ((row as usize) << 3), distanceTo(shard, row, centre));
  }
}

/** The distance of a local row to the centre of a cluster. */
export function distanceToCentre(shard: Shard, row: i32, m: i32): f64 {
  return distanceTo(shard, row, shard.centres + (((m * shard.dims) as usize) << 3));
}

// @ts-ignore: decorator
@inline
function distanceTo(shard: Shard, row: i32, point: usize): f64 {
  const x = shard.x + (((((row >> 4) * shard.dims) << 4) + (row & 15)) << 2);
  let sum: f64 = 0;
  for (let j = 0; j < shard.dims; j++) {
    const gap = (load<f32>(x + ((j as usize) << 6)) as f64) - load<f64>(point + ((j as usize) << 3));
    sum += shard.manhattan ? Math.abs(gap) : gap * gap;
  }
  return sum;
}
