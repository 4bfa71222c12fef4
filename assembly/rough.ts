// Rough scores in single precision: |c|^2 - 2 x.c, the squared distance without the |x|^2 that all clusters share. They
// are a filter: with a bound on their error they settle nearly everybody, and whoever they do not settle is decided
// exactly. So speed costs no exactness.
import { Shard, TILE } from "./shard";

/** x.c of a tile for three centres, plus each one's square, f32 [3][16]: twelve sums stay in registers. */
function three(x: usize, centre: usize, square: usize, dims: i32, out: usize): void {
  const next = (dims as usize) << 2;
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  let c0 = a0;
  let c1 = a0;
  let c2 = a0;
  let c3 = a0;
  const end = centre + next;
  for (; centre < end; centre += 4) {
    const x0 = v128.load(x);
    const x1 = v128.load(x, 16);
    const x2 = v128.load(x, 32);
    const x3 = v128.load(x, 48);
    const a = v128.load32_splat(centre);
    a0 = f32x4.add(a0, f32x4.mul(a, x0));
    a1 = f32x4.add(a1, f32x4.mul(a, x1));
    a2 = f32x4.add(a2, f32x4.mul(a, x2));
    a3 = f32x4.add(a3, f32x4.mul(a, x3));
    const b = v128.load32_splat(centre + next);
    b0 = f32x4.add(b0, f32x4.mul(b, x0));
    b1 = f32x4.add(b1, f32x4.mul(b, x1));
    b2 = f32x4.add(b2, f32x4.mul(b, x2));
    b3 = f32x4.add(b3, f32x4.mul(b, x3));
    const c = v128.load32_splat(centre + 2 * next);
    c0 = f32x4.add(c0, f32x4.mul(c, x0));
    c1 = f32x4.add(c1, f32x4.mul(c, x1));
    c2 = f32x4.add(c2, f32x4.mul(c, x2));
    c3 = f32x4.add(c3, f32x4.mul(c, x3));
    x += 64;
  }
  finish(out, square, a0, a1, a2, a3);
  finish(out + 64, square + 4, b0, b1, b2, b3);
  finish(out + 128, square + 8, c0, c1, c2, c3);
}

/** The same for two centres. */
function two(x: usize, centre: usize, square: usize, dims: i32, out: usize): void {
  const next = (dims as usize) << 2;
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  const end = centre + next;
  for (; centre < end; centre += 4) {
    const x0 = v128.load(x);
    const x1 = v128.load(x, 16);
    const x2 = v128.load(x, 32);
    const x3 = v128.load(x, 48);
    const a = v128.load32_splat(centre);
    a0 = f32x4.add(a0, f32x4.mul(a, x0));
    a1 = f32x4.add(a1, f32x4.mul(a, x1));
    a2 = f32x4.add(a2, f32x4.mul(a, x2));
    a3 = f32x4.add(a3, f32x4.mul(a, x3));
    const b = v128.load32_splat(centre + next);
    b0 = f32x4.add(b0, f32x4.mul(b, x0));
    b1 = f32x4.add(b1, f32x4.mul(b, x1));
    b2 = f32x4.add(b2, f32x4.mul(b, x2));
    b3 = f32x4.add(b3, f32x4.mul(b, x3));
    x += 64;
  }
  finish(out, square, a0, a1, a2, a3);
  finish(out + 64, square + 4, b0, b1, b2, b3);
}

// @ts-ignore: decorator
@inline
function finish(out: usize, square: usize, a: v128, b: v128, c: v128, d: v128): void {
  const s = v128.load32_splat(square);
  v128.store(out, f32x4.add(a, s));
  v128.store(out, f32x4.add(b, s), 16);
  v128.store(out, f32x4.add(c, s), 32);
  v128.store(out, f32x4.add(d, s), 48);
}

/** Rough scores of a tile's 16 people, f32 [k][16], into `out`, where a lone cluster needs the room of two. */
function weighTile(shard: Shard, tile: i32, out: usize): void {
  const dims = shard.dims;
  const k = shard.k;
  const x = shard.x + (((tile * dims) as usize) << 6);
  // Threes and twos make any number of clusters but one; a lone one is weighed with a second that nobody looks at.
  for (let m = 0; m < k; ) {
    const centre = shard.roughCentres + (((m * dims) as usize) << 2);
    const square = shard.roughSquares + ((m as usize) << 2);
    const at = out + ((m as usize) << 6);
    const left = k - m;
    if (left == 3 || left > 4) {
      three(x, centre, square, dims, at);
      m += 3;
    } else {
      two(x, centre, square, dims, at);
      m += 2;
    }
  }
}

/** Where the rough scores of a tile's people are: in the table when there is one, else computed into the scratch. */
// @ts-ignore: decorator
@inline
export function roughOf(shard: Shard, tile: i32): usize {
  if (shard.roughTable) return shard.roughTable + (((tile * shard.k) as usize) << 6);
  weighTile(shard, tile, shard.roughScratch);
  return shard.roughScratch;
}

/** Fills the table of rough scores for the present centres. */
export function measureRoughly(at: usize): void {
  const shard = changetype<Shard>(at);
  const tiles = (shard.rows + TILE - 1) / TILE;
  for (let tile = 0; tile < tiles; tile++) weighTile(shard, tile, shard.roughTable + (((tile * shard.k) as usize) << 6));
}
