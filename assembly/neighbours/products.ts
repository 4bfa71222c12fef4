// Products of one query with many rows. Every product is summed in one fixed order, so results depend on no number of threads.

/** The product of a query with each of `count` rows of `stride` numbers, four rows at a time. */
export function dots(query: usize, rows: usize, stride: i32, count: i32, out: usize): void {
  const bytes = <usize>stride * 4;
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const a = rows + <usize>i * bytes;
    const b = a + bytes;
    const c = b + bytes;
    const d = c + bytes;
    let sumA = f32x4.splat(0);
    let sumB = f32x4.splat(0);
    let sumC = f32x4.splat(0);
    let sumD = f32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) {
      const q = v128.load(query + j);
      sumA = f32x4.add(sumA, f32x4.mul(q, v128.load(a + j)));
      sumB = f32x4.add(sumB, f32x4.mul(q, v128.load(b + j)));
      sumC = f32x4.add(sumC, f32x4.mul(q, v128.load(c + j)));
      sumD = f32x4.add(sumD, f32x4.mul(q, v128.load(d + j)));
    }
    const to = out + <usize>i * 4;
    store<f32>(to, total(sumA));
    store<f32>(to, total(sumB), 4);
    store<f32>(to, total(sumC), 8);
    store<f32>(to, total(sumD), 12);
  }
  for (; i < count; i++) {
    const row = rows + <usize>i * bytes;
    let sum = f32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) {
      sum = f32x4.add(sum, f32x4.mul(v128.load(query + j), v128.load(row + j)));
    }
    store<f32>(out + <usize>i * 4, total(sum));
  }
}

// @ts-ignore: decorator
@inline
function total(sums: v128): f32 {
  return (
    f32x4.extract_lane(sums, 0) +
    f32x4.extract_lane(sums, 1) +
    (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3))
  );
}

/** The same of a query in 16 bits with rows of bytes: sums of whole numbers, exact below 2^31. `stride` is a multiple of 16. */
export function dotBytes(query: usize, rows: usize, stride: i32, count: i32, out: usize): void {
  const bytes = <usize>stride;
  for (let i = 0; i < count; i++) {
    const row = rows + <usize>i * bytes;
    let sum = i32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) {
      const codes = v128.load(row + j);
      const q = query + j * 2;
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(q), i16x8.extend_low_i8x16_s(codes)));
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(q, 16), i16x8.extend_high_i8x16_s(codes)));
    }
    const whole =
      i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
    store<f32>(out + <usize>i * 4, <f32>whole);
  }
}
