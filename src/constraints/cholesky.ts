/**
 * The lower factor L of A = L L' for a symmetric A ([d][d], row after row); null when A is not positive definite. Pivots
 * below `leastPivot` are raised to it.
 */
export function cholesky(a: Float64Array, d: number, leastPivot = 0): Float64Array | null {
  const l = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * d + j];
      for (let t = 0; t < j; t++) sum -= l[i * d + t] * l[j * d + t];
      if (i !== j) l[i * d + j] = sum / l[j * d + j];
      else if (Math.max(sum, leastPivot) > 0) l[i * d + i] = Math.sqrt(Math.max(sum, leastPivot));
      else return null;
    }
  }
  return l;
}

/** Solves L L' x = b in place. */
export function solveFactored(l: Float64Array, b: Float64Array): Float64Array {
  const d = b.length;
  for (let i = 0; i < d; i++) {
    let sum = b[i];
    for (let t = 0; t < i; t++) sum -= l[i * d + t] * b[t];
    b[i] = sum / l[i * d + i];
  }
  for (let i = d - 1; i >= 0; i--) {
    let sum = b[i];
    for (let t = i + 1; t < d; t++) sum -= l[t * d + i] * b[t];
    b[i] = sum / l[i * d + i];
  }
  return b;
}

/** Solves A x = b for a symmetric A that is positive definite but for rounding. */
export function solvePositive(a: Float64Array, b: Float64Array): Float64Array {
  return solveFactored(cholesky(a, b.length, Number.MIN_VALUE)!, b.slice());
}
