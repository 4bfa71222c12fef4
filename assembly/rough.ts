// Rough scores in single precision: |c|^2 - 2 x.c, the squared distance without the |x|^2 that all clusters share, or the sum of
// absolute differences. They
// are a filter: with a bound on their error they settle nearly everybody, and whoever they do not settle is decided
// exactly. So speed costs no exactness.
import { roughMadd } from "./madd";
import { roughManhattan } from "./manhattan";
import { Shard, TILE } from "./shard";

// Engines have 15 registers for vectors, and some load all that a step of a loop needs before they compute. Sums, loads and a
// product must fit together, or sums go through memory in every step: 8 + 6 + 1 for two centres and 16 people, and three centres
// with 8 people.

/** x.c of a tile for two centres, plus each one's square, f32 [2][16]. */
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
    a0 = roughMadd(a, x0, a0);
    a1 = roughMadd(a, x1, a1);
    a2 = roughMadd(a, x2, a2);
    a3 = roughMadd(a, x3, a3);
    const b = v128.load32_splat(centre + next);
    b0 = roughMadd(b, x0, b0);
    b1 = roughMadd(b, x1, b1);
    b2 = roughMadd(b, x2, b2);
    b3 = roughMadd(b, x3, b3);
    x += 64;
  }
  finish(out, square, a0, a1);
  finish(out + 32, square, a2, a3);
  finish(out + 64, square + 4, b0, b1);
  finish(out + 96, square + 4, b2, b3);
}

/** The same for three centres and half a tile: every other half of f32 [3][16]. */
function three(x: usize, centre: usize, square: usize, dims: i32, out: usize): void {
  const next = (dims as usize) << 2;
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  let c0 = a0;
  let c1 = a0;
  const end = centre + next;
  for (; centre < end; centre += 4) {
    const x0 = v128.load(x);
    const x1 = v128.load(x, 16);
    const a = v128.load32_splat(centre);
    a0 = roughMadd(a, x0, a0);
    a1 = roughMadd(a, x1, a1);
    const b = v128.load32_splat(centre + next);
    b0 = roughMadd(b, x0, b0);
    b1 = roughMadd(b, x1, b1);
    const c = v128.load32_splat(centre + 2 * next);
    c0 = roughMadd(c, x0, c0);
    c1 = roughMadd(c, x1, c1);
    x += 64;
  }
  finish(out, square, a0, a1);
  finish(out + 64, square + 4, b0, b1);
  finish(out + 128, square + 8, c0, c1);
}

// @ts-ignore: decorator
@inline
function finish(out: usize, square: usize, a: v128, b: v128): void {
  const s = v128.load32_splat(square);
  v128.store(out, f32x4.add(a, s));
  v128.store(out, f32x4.add(b, s), 16);
}

/** Rough scores of a tile's 16 people, f32 [k][16], into `out`, where a lone cluster needs the room of two. */
function weighTile(shard: Shard, tile: i32, out: usize): void {
  if (shard.manhattan) return roughManhattan(shard, tile, out);
  const dims = shard.dims;
  const k = shard.k;
  const x = shard.x + (((tile * dims) as usize) << 6);
  // Twos, and three where they would leave one over; a lone one is weighed with a second that nobody looks at.
  for (let m = 0; m < k; ) {
    const centre = shard.roughCentres + (((m * dims) as usize) << 2);
    const square = shard.roughSquares + ((m as usize) << 2);
    const at = out + ((m as usize) << 6);
    if (k - m == 3) {
      three(x, centre, square, dims, at);
      three(x + 32, centre, square, dims, at + 32);
      return;
    }
    two(x, centre, square, dims, at);
    m += 2;
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
