// Bringing columns in: from a plain stretch of values to tiles, and from values to whole numbers of the grid.
import { Shard, TILE } from "./shard";

/** Takes one dimension of all local rows from `source` (f32 [rows]) into the tiles. */
export function fill(at: usize, dimension: i32, source: usize): void {
  const shard = changetype<Shard>(at);
  const stride = (shard.dims as usize) << 6;
  let to = shard.x + ((dimension as usize) << 6);
  const whole = shard.rows / TILE;
  for (let tile = 0; tile < whole; tile++) {
    v128.store(to, v128.load(source));
    v128.store(to, v128.load(source, 16), 16);
    v128.store(to, v128.load(source, 32), 32);
    v128.store(to, v128.load(source, 48), 48);
    source += 64;
    to += stride;
  }
  for (let row = whole * TILE; row < shard.rows; row++) {
    store<f32>(to + (((row & 15) as usize) << 2), load<f32>(source));
    source += 4;
  }
}

/** The largest magnitude, the sum and the sum of squares of each dimension, f64 [dims][3] into `out` (room for [dims][6]). */
export function survey(at: usize, out: usize): void {
  const shard = changetype<Shard>(at);
  const dims = shard.dims;
  const tiles = (shard.rows + TILE - 1) / TILE;
  memory.fill(out, 0, (dims * 48) as usize);
  // Vectors are kept for each dimension and folded at the end. The padding of the last tile is 0 and changes nothing.
  let x = shard.x;
  for (let tile = 0; tile < tiles; tile++) {
    for (let place = out, end = out + ((dims * 48) as usize); place < end; place += 48) {
      let top = v128.load(place);
      let sum = v128.load(place, 16);
      let squares = v128.load(place, 32);
      for (let q: usize = 0; q < 64; q += 16) {
        const v = v128.load(x + q);
        top = f32x4.pmax(top, f32x4.abs(v));
        const low = f64x2.promote_low_f32x4(v);
        const high = f64x2.promote_low_f32x4(v128.shuffle<u64>(v, v, 1, 0));
        sum = f64x2.add(sum, f64x2.add(low, high));
        squares = f64x2.add(squares, f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high)));
      }
      v128.store(place, top);
      v128.store(place, sum, 16);
      v128.store(place, squares, 32);
      x += 64;
    }
  }
  for (let j = 0; j < dims; j++) {
    const place = out + ((j * 48) as usize);
    const top = v128.load(place);
    const sum = v128.load(place, 16);
    const squares = v128.load(place, 32);
    const to = out + ((j * 24) as usize);
    const most = max(
      max(f32x4.extract_lane(top, 0), f32x4.extract_lane(top, 1)),
      max(f32x4.extract_lane(top, 2), f32x4.extract_lane(top, 3)),
    );
    store<f64>(to, most as f64);
    store<f64>(to, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1), 8);
    store<f64>(to, f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1), 16);
  }
}

/** Turns all coordinates into whole multiples of the grid's step; `scale` is 1 / step. */
export function snap(at: usize, scale: f64): void {
  const shard = changetype<Shard>(at);
  const factor = f32x4.splat(scale as f32);
  const tiles = (shard.rows + TILE - 1) / TILE;
  const end = shard.x + (((tiles * shard.dims) as usize) << 6);
  for (let p = shard.x; p < end; p += 16) v128.store(p, f32x4.nearest(f32x4.mul(v128.load(p), factor)));
}

/** The length of every local row's vector, f32 [rows], never too short. */
export function norms(at: usize): void {
  const shard = changetype<Shard>(at);
  const tiles = (shard.rows + TILE - 1) / TILE;
  // Above whatever single precision loses in dims + 1 additions.
  const generous = f32x4.splat((1 + (shard.dims + 4) * 1.2e-7) as f32);
  let x = shard.x;
  for (let tile = 0; tile < tiles; tile++) {
    let a = f32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    for (let j = 0; j < shard.dims; j++) {
      a = f32x4.add(a, f32x4.mul(v128.load(x), v128.load(x)));
      b = f32x4.add(b, f32x4.mul(v128.load(x, 16), v128.load(x, 16)));
      c = f32x4.add(c, f32x4.mul(v128.load(x, 32), v128.load(x, 32)));
      d = f32x4.add(d, f32x4.mul(v128.load(x, 48), v128.load(x, 48)));
      x += 64;
    }
    const out = shard.norm + ((tile as usize) << 6);
    v128.store(out, f32x4.mul(f32x4.sqrt(a), generous));
    v128.store(out, f32x4.mul(f32x4.sqrt(b), generous), 16);
    v128.store(out, f32x4.mul(f32x4.sqrt(c), generous), 32);
    v128.store(out, f32x4.mul(f32x4.sqrt(d), generous), 48);
  }
}
