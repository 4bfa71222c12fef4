// Products of one query with many rows. Every product is summed in one fixed order, so results depend on no number of threads.

/** The product of a query with each of `count` rows of `stride` numbers, eight rows at a time: as many sums as hide how long each takes. */
export function dots(query: usize, rows: usize, stride: i32, count: i32, out: usize): void {
  const bytes = <usize>stride * 4;
  let i = 0;
  for (; i + 8 <= count; i += 8) {
    const a = rows + <usize>i * bytes;
    const b = a + bytes;
    const c = b + bytes;
    const d = c + bytes;
    const e = d + bytes;
    const f = e + bytes;
    const g = f + bytes;
    const h = g + bytes;
    let sumA = f32x4.splat(0);
    let sumB = sumA;
    let sumC = sumA;
    let sumD = sumA;
    let sumE = sumA;
    let sumF = sumA;
    let sumG = sumA;
    let sumH = sumA;
    for (let j: usize = 0; j < bytes; j += 16) {
      const q = v128.load(query + j);
      sumA = f32x4.add(sumA, f32x4.mul(q, v128.load(a + j)));
      sumB = f32x4.add(sumB, f32x4.mul(q, v128.load(b + j)));
      sumC = f32x4.add(sumC, f32x4.mul(q, v128.load(c + j)));
      sumD = f32x4.add(sumD, f32x4.mul(q, v128.load(d + j)));
      sumE = f32x4.add(sumE, f32x4.mul(q, v128.load(e + j)));
      sumF = f32x4.add(sumF, f32x4.mul(q, v128.load(f + j)));
      sumG = f32x4.add(sumG, f32x4.mul(q, v128.load(g + j)));
      sumH = f32x4.add(sumH, f32x4.mul(q, v128.load(h + j)));
    }
    const to = out + <usize>i * 4;
    v128.store(to, totals(sumA, sumB, sumC, sumD));
    v128.store(to, totals(sumE, sumF, sumG, sumH), 16);
  }
  for (; i < count; i++) store<f32>(out + <usize>i * 4, dot(query, rows + <usize>i * bytes, bytes));
}

/** The products of four queries that lie one behind the other with each of `count` rows: [4][apart], every row read once for all four. */
export function dotsOfFour(queries: usize, rows: usize, stride: i32, count: i32, out: usize, apart: i32): void {
  const bytes = <usize>stride * 4;
  const second = queries + bytes;
  const third = second + bytes;
  const fourth = third + bytes;
  const line = <usize>apart * 4;
  let i = 0;
  for (; i + 2 <= count; i += 2) {
    const a = rows + <usize>i * bytes;
    const b = a + bytes;
    let sumA = f32x4.splat(0);
    let sumB = sumA;
    let sumC = sumA;
    let sumD = sumA;
    let sumE = sumA;
    let sumF = sumA;
    let sumG = sumA;
    let sumH = sumA;
    for (let j: usize = 0; j < bytes; j += 16) {
      const x = v128.load(a + j);
      const y = v128.load(b + j);
      const p = v128.load(queries + j);
      sumA = f32x4.add(sumA, f32x4.mul(p, x));
      sumB = f32x4.add(sumB, f32x4.mul(p, y));
      const q = v128.load(second + j);
      sumC = f32x4.add(sumC, f32x4.mul(q, x));
      sumD = f32x4.add(sumD, f32x4.mul(q, y));
      const r = v128.load(third + j);
      sumE = f32x4.add(sumE, f32x4.mul(r, x));
      sumF = f32x4.add(sumF, f32x4.mul(r, y));
      const s = v128.load(fourth + j);
      sumG = f32x4.add(sumG, f32x4.mul(s, x));
      sumH = f32x4.add(sumH, f32x4.mul(s, y));
    }
    const to = out + <usize>i * 4;
    const one = totals(sumA, sumB, sumC, sumD);
    const two = totals(sumE, sumF, sumG, sumH);
    v128.store64_lane(to, one, 0);
    v128.store64_lane(to + line, one, 1);
    v128.store64_lane(to + 2 * line, two, 0);
    v128.store64_lane(to + 3 * line, two, 1);
  }
  if (i < count) {
    for (let q: usize = 0; q < 4; q++) {
      store<f32>(out + q * line + <usize>i * 4, dot(queries + q * bytes, rows + <usize>i * bytes, bytes));
    }
  }
}

// @ts-ignore: decorator
@inline
function dot(query: usize, row: usize, bytes: usize): f32 {
  let sum = f32x4.splat(0);
  for (let j: usize = 0; j < bytes; j += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(query + j), v128.load(row + j)));
  return f32x4.extract_lane(totals(sum, sum, sum, sum), 0);
}

/** The squared distance of a query to each of `count` rows of `stride` numbers: exact where products of large numbers would cancel out. */
export function squaredDistances(query: usize, rows: usize, stride: i32, count: i32, out: usize): void {
  const bytes = <usize>stride * 4;
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const a = rows + <usize>i * bytes;
    const b = a + bytes;
    const c = b + bytes;
    const d = c + bytes;
    let sumA = f32x4.splat(0);
    let sumB = sumA;
    let sumC = sumA;
    let sumD = sumA;
    for (let j: usize = 0; j < bytes; j += 16) {
      const q = v128.load(query + j);
      sumA = addSquare(sumA, q, a + j);
      sumB = addSquare(sumB, q, b + j);
      sumC = addSquare(sumC, q, c + j);
      sumD = addSquare(sumD, q, d + j);
    }
    v128.store(out + <usize>i * 4, totals(sumA, sumB, sumC, sumD));
  }
  for (; i < count; i++) {
    const row = rows + <usize>i * bytes;
    let sum = f32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) sum = addSquare(sum, v128.load(query + j), row + j);
    store<f32>(out + <usize>i * 4, f32x4.extract_lane(totals(sum, sum, sum, sum), 0));
  }
}

// @ts-ignore: decorator
@inline
function addSquare(sum: v128, query: v128, row: usize): v128 {
  const apart = f32x4.sub(query, v128.load(row));
  return f32x4.add(sum, f32x4.mul(apart, apart));
}

/** The sum of the four numbers of each, always in the same order: the first two, the last two, and both together. */
// @ts-ignore: decorator
@inline
function totals(a: v128, b: v128, c: v128, d: v128): v128 {
  const firsts = f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7));
  const lasts = f32x4.add(v128.shuffle<f32>(c, d, 0, 2, 4, 6), v128.shuffle<f32>(c, d, 1, 3, 5, 7));
  return f32x4.add(v128.shuffle<f32>(firsts, lasts, 0, 2, 4, 6), v128.shuffle<f32>(firsts, lasts, 1, 3, 5, 7));
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
