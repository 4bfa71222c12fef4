// Bringing columns in: from plain stretches of values to tiles, and from values to whole numbers of the grid.
import { Shard, TILE } from "./shard";

/**
 * Takes all dimensions of the local rows [from, from + count) from `source` (f32 [dims][count rounded up to a tile]) into the
 * tiles. On the way each dimension's largest magnitude (f32 [4]), sum (f64 [2]) and sum of squares (f64 [2]) are brought up to
 * date in `survey`, in parts that the caller folds.
 */
export function fill(at: usize, from: i32, count: i32, source: usize, survey: usize): void {
  const shard = changetype<Shard>(at);
  const stride = (shard.dims as usize) << 6;
  const tiles = (count + TILE - 1) / TILE;
  const first = shard.x + ((from / TILE) as usize) * stride;
  for (let j = 0; j < shard.dims; j++) {
    let top = v128.load(survey);
    let sum = v128.load(survey, 16);
    let squares = v128.load(survey, 32);
    let to = first + ((j as usize) << 6);
    for (let tile = 0; tile < tiles; tile++) {
      for (let q: usize = 0; q < 64; q += 16) {
        const v = v128.load(source + q);
        v128.store(to + q, v);
        top = f32x4.pmax(top, f32x4.abs(v));
        const low = f64x2.promote_low_f32x4(v);
        const high = f64x2.promote_low_f32x4(v128.shuffle<u64>(v, v, 1, 0));
        sum = f64x2.add(sum, f64x2.add(low, high));
        squares = f64x2.add(squares, f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high)));
      }
      source += 64;
      to += stride;
    }
    v128.store(survey, top);
    v128.store(survey, sum, 16);
    v128.store(survey, squares, 32);
    survey += 48;
  }
}

/**
 * Turns the coordinates of the local rows [from, to) into whole multiples of the grid's step; `scale` is 1 / step. Sets the
 * length of every row's vector, never too short, and adds to each dimension's sum of squares (f64 [dims][2], in parts).
 * Returns the largest magnitude. Both ends are those of tiles.
 */
export function snap(at: usize, from: i32, to: i32, scale: f64, squares: usize): f64 {
  const shard = changetype<Shard>(at);
  const factor = f32x4.splat(scale as f32);
  const last = (to + TILE - 1) / TILE;
  const end = squares + ((shard.dims as usize) << 4);
  // Above whatever single precision loses in dims + 1 additions.
  const generous = f32x4.splat((1 + (shard.dims + 4) * 1.2e-7) as f32);
  let top = f32x4.splat(0);
  let x = shard.x + (((from / TILE) * shard.dims) as usize << 6);
  for (let tile = from / TILE; tile < last; tile++) {
    let a = f32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    for (let place = squares; place < end; place += 16) {
      const x0 = f32x4.nearest(f32x4.mul(v128.load(x), factor));
      const x1 = f32x4.nearest(f32x4.mul(v128.load(x, 16), factor));
      const x2 = f32x4.nearest(f32x4.mul(v128.load(x, 32), factor));
      const x3 = f32x4.nearest(f32x4.mul(v128.load(x, 48), factor));
      v128.store(x, x0);
      v128.store(x, x1, 16);
      v128.store(x, x2, 32);
      v128.store(x, x3, 48);
      a = f32x4.add(a, f32x4.mul(x0, x0));
      b = f32x4.add(b, f32x4.mul(x1, x1));
      c = f32x4.add(c, f32x4.mul(x2, x2));
      d = f32x4.add(d, f32x4.mul(x3, x3));
      top = f32x4.pmax(f32x4.pmax(top, f32x4.abs(x0)), f32x4.pmax(f32x4.abs(x1), f32x4.pmax(f32x4.abs(x2), f32x4.abs(x3))));
      const sum = f64x2.add(f64x2.add(squared(x0), squared(x1)), f64x2.add(squared(x2), squared(x3)));
      v128.store(place, f64x2.add(v128.load(place), sum));
      x += 64;
    }
    const out = shard.norm + ((tile as usize) << 6);
    v128.store(out, f32x4.mul(f32x4.sqrt(a), generous));
    v128.store(out, f32x4.mul(f32x4.sqrt(b), generous), 16);
    v128.store(out, f32x4.mul(f32x4.sqrt(c), generous), 32);
    v128.store(out, f32x4.mul(f32x4.sqrt(d), generous), 48);
  }
  return max(
    max(f32x4.extract_lane(top, 0), f32x4.extract_lane(top, 1)),
    max(f32x4.extract_lane(top, 2), f32x4.extract_lane(top, 3)),
  ) as f64;
}

/** The squares of four numbers in double precision, added up in pairs. */
// @ts-ignore: decorator
@inline
function squared(v: v128): v128 {
  const low = f64x2.promote_low_f32x4(v);
  const high = f64x2.promote_low_f32x4(v128.shuffle<u64>(v, v, 1, 0));
  return f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high));
}
