// a * b + c. The build with relaxed SIMD leaves it to the processor whether the product is rounded before it is added, or
// fused: rounded only with the sum. So these serve where both give the same, or where a bound covers both.

/** In single precision: only for rough scores, whose bound on the error holds for both (src/kernels/weighing.ts). */
// @ts-ignore: decorator
@inline
export function roughMadd(a: v128, b: v128, c: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(a, b, c) : f32x4.add(f32x4.mul(a, b), c);
}

/** In double precision: only for whole numbers below 2^53, products and sums, so that nothing is ever rounded. */
// @ts-ignore: decorator
@inline
export function exactMadd(a: v128, b: v128, c: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f64x2.relaxed_madd(a, b, c) : f64x2.add(f64x2.mul(a, b), c);
}
