// Blocks of people as they lie in a file: whole coordinates column after column, in 16 or 32 bits. Nothing is kept between
// blocks; src/kernels/block-lane.ts writes the fields and must list them in the same order.
import { sumProducts } from "./products";

@unmanaged
class ScanBlock {
  /** i16 or i32 [dims][rows], rows a multiple of 16 */
  x: usize;
  /** 2 or 4 */
  bytes: i32;
  /** people of this block, and for how many there is room in each column */
  people: i32;
  rows: i32;
  dims: i32;
  k: i32;
  /** u16 [rows] */
  pattern: usize;
  /** f64 [k][dims]: -2 c; and f64 [k]: |c|^2 */
  centres: usize;
  squares: usize;
  /** f64 [patterns][k] */
  offset: usize;
  /** u16 [rows]: the lowest cluster of least score; and f64 [rows]: how far the next one is behind */
  label: usize;
  gap: usize;
  /** f64 [dims + k][16] */
  scratch: usize;
  /** f64 [k][dims]: sums of coordinates, added to */
  sums: usize;
  /** f64 [rows]: how often each person counts; 0 where everybody counts once */
  weights: usize;
}

// @ts-ignore: decorator
@inline
function coordinate(block: ScanBlock, dimension: i32, row: i32): f64 {
  const at = dimension * block.rows + row;
  return block.bytes == 2 ? (load<i16>(block.x + ((at as usize) << 1)) as f64) : (load<i32>(block.x + ((at as usize) << 2)) as f64);
}

/** Spreads the coordinates of 16 people to f64. */
function widen(block: ScanBlock, row: i32): void {
  for (let j = 0; j < block.dims; j++) {
    const to = block.scratch + ((j as usize) << 7);
    const at = (j * block.rows + row) as usize;
    for (let q: usize = 0; q < 4; q++) {
      const four =
        block.bytes == 2
          ? i32x4.extend_low_i16x8_s(v128.load64_zero(block.x + (at << 1) + (q << 3)))
          : v128.load(block.x + (at << 2) + (q << 4));
      v128.store(to + (q << 5), f64x2.convert_low_i32x4_s(four));
      v128.store(to + (q << 5), f64x2.convert_low_i32x4_s(i8x16.shuffle(four, four, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)), 16);
    }
  }
}

/** Everybody's best cluster under the offsets, and the gap to the next: exact, since all terms are whole numbers below 2^53. */
export function scanDecide(at: usize): void {
  const block = changetype<ScanBlock>(at);
  const dims = block.dims;
  const k = block.k;
  const scores = block.scratch + ((dims as usize) << 7);
  for (let row = 0; row < block.people; row += 16) {
    widen(block, row);
    for (let m = 0; m < k; m++) {
      const centre = block.centres + (((m * dims) as usize) << 3);
      const end = centre + ((dims as usize) << 3);
      const square = load<f64>(block.squares + ((m as usize) << 3));
      sumProducts(square, centre, end, block.scratch, scores + ((m as usize) << 7));
    }
    const last = min(16, block.people - row);
    for (let i = 0; i < last; i++) {
      const pattern = load<u16>(block.pattern + (((row + i) as usize) << 1)) as i32;
      const offset = block.offset + (((pattern * k) as usize) << 3);
      const own = scores + ((i as usize) << 3);
      let least = load<f64>(own) + load<f64>(offset);
      let second: f64 = Infinity;
      let best = 0;
      for (let m = 1; m < k; m++) {
        const score = load<f64>(own + ((m as usize) << 7)) + load<f64>(offset + ((m as usize) << 3));
        if (score < least) {
          second = least;
          least = score;
          best = m;
        } else if (score < second) second = score;
      }
      store<u16>(block.label + (((row + i) as usize) << 1), best as u16);
      store<f64>(block.gap + (((row + i) as usize) << 3), second - least);
    }
  }
}

/** Adds everybody's coordinates to the sums of their cluster, as often as they count. */
export function scanSums(at: usize): void {
  const block = changetype<ScanBlock>(at);
  const dims = block.dims;
  for (let j = 0; j < dims; j++) {
    for (let row = 0; row < block.people; row++) {
      const cluster = load<u16>(block.label + ((row as usize) << 1)) as i32;
      const to = block.sums + (((cluster * dims + j) as usize) << 3);
      const times: f64 = block.weights == 0 ? 1 : load<f64>(block.weights + ((row as usize) << 3));
      store<f64>(to, load<f64>(to) + times * coordinate(block, j, row));
    }
  }
}
