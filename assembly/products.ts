/**
 * start + the sum over j of factors[j] * columns[j] for 16 people at once: columns are f64 [..][16], factors lie from `factors` up to
 * `end`. The sums stay in registers. Writes f64 [16].
 */
// @ts-ignore: decorator
@inline
export function sumProducts(start: f64, factors: usize, end: usize, columns: usize, out: usize): void {
  let column = columns;
  let a0 = f64x2.splat(start);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let a4 = a0;
  let a5 = a0;
  let a6 = a0;
  let a7 = a0;
  for (let at = factors; at < end; at += 8) {
    const factor = v128.load64_splat(at);
    a0 = f64x2.add(a0, f64x2.mul(factor, v128.load(column)));
    a1 = f64x2.add(a1, f64x2.mul(factor, v128.load(column, 16)));
    a2 = f64x2.add(a2, f64x2.mul(factor, v128.load(column, 32)));
    a3 = f64x2.add(a3, f64x2.mul(factor, v128.load(column, 48)));
    a4 = f64x2.add(a4, f64x2.mul(factor, v128.load(column, 64)));
    a5 = f64x2.add(a5, f64x2.mul(factor, v128.load(column, 80)));
    a6 = f64x2.add(a6, f64x2.mul(factor, v128.load(column, 96)));
    a7 = f64x2.add(a7, f64x2.mul(factor, v128.load(column, 112)));
    column += 128;
  }
  v128.store(out, a0);
  v128.store(out, a1, 16);
  v128.store(out, a2, 32);
  v128.store(out, a3, 48);
  v128.store(out, a4, 64);
  v128.store(out, a5, 80);
  v128.store(out, a6, 96);
  v128.store(out, a7, 112);
}
