// Rows of doubles become coordinates. Each column is added up row after row, so that its sums are those of the column by itself
// (src/table/scale.ts); two columns at a time. None of the numbers is NaN.

/** Adds up the columns of some rows: f64 [d] at `sums`, and at `extremes` f64 [2][d], the least and the largest so far. */
export function sums(rows: usize, count: i32, d: i32, sums: usize, extremes: usize): void {
  const width = <usize>d << 3;
  const most = extremes + width;
  const end = rows + <usize>count * width;
  for (let row = rows; row < end; row += width) {
    let j: usize = 0;
    for (; j + 16 <= width; j += 16) {
      const x = v128.load(row + j);
      v128.store(sums + j, f64x2.add(v128.load(sums + j), x));
      v128.store(extremes + j, f64x2.pmin(v128.load(extremes + j), x));
      v128.store(most + j, f64x2.pmax(v128.load(most + j), x));
    }
    if (j < width) {
      const x = load<f64>(row + j);
      store<f64>(sums + j, load<f64>(sums + j) + x);
      if (x < load<f64>(extremes + j)) store<f64>(extremes + j, x);
      if (x > load<f64>(most + j)) store<f64>(most + j, x);
    }
  }
}

/** Adds up the squared distances from the columns' means. */
export function squares(rows: usize, count: i32, d: i32, means: usize, sums: usize): void {
  const width = <usize>d << 3;
  const end = rows + <usize>count * width;
  for (let row = rows; row < end; row += width) {
    let j: usize = 0;
    for (; j + 16 <= width; j += 16) {
      const x = f64x2.sub(v128.load(row + j), v128.load(means + j));
      v128.store(sums + j, f64x2.add(v128.load(sums + j), f64x2.mul(x, x)));
    }
    if (j < width) {
      const x = load<f64>(row + j) - load<f64>(means + j);
      store<f64>(sums + j, load<f64>(sums + j) + x * x);
    }
  }
}

/** x becomes (x - shift) / scale in single precision: f32 [d][count], column after column. */
export function coordinates(rows: usize, count: i32, d: i32, shifts: usize, scales: usize, into: usize): void {
  const width = <usize>d << 3;
  const stride = <usize>count << 2;
  let row = rows;
  let i = 0;
  // Four rows at a time, so that four coordinates of a column are written at once.
  for (; i + 4 <= count; i += 4, row += 4 * width) {
    let at = into + (<usize>i << 2);
    let j: usize = 0;
    for (; j + 16 <= width; j += 16, at += 2 * stride) {
      const low = v128.shuffle<f32>(pair(row, j, shifts, scales), pair(row + width, j, shifts, scales), 0, 4, 1, 5);
      const next = row + 2 * width;
      const high = v128.shuffle<f32>(pair(next, j, shifts, scales), pair(next + width, j, shifts, scales), 0, 4, 1, 5);
      v128.store(at, v128.shuffle<f64>(low, high, 0, 2));
      v128.store(at + stride, v128.shuffle<f64>(low, high, 1, 3));
    }
    if (j < width) for (let r: usize = 0; r < 4; r++) one(row + r * width, j, shifts, scales, at + (r << 2));
  }
  for (; i < count; i++, row += width) {
    let at = into + (<usize>i << 2);
    for (let j: usize = 0; j < width; j += 8, at += stride) one(row, j, shifts, scales, at);
  }
}

// @ts-ignore: decorator
@inline
function pair(row: usize, j: usize, shifts: usize, scales: usize): v128 {
  return f32x4.demote_f64x2_zero(
    f64x2.div(f64x2.sub(v128.load(row + j), v128.load(shifts + j)), v128.load(scales + j)),
  );
}

// @ts-ignore: decorator
@inline
function one(row: usize, j: usize, shifts: usize, scales: usize, at: usize): void {
  store<f32>(at, <f32>((load<f64>(row + j) - load<f64>(shifts + j)) / load<f64>(scales + j)));
}
