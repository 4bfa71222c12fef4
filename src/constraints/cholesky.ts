/** Solves A x = b for a symmetric positive definite A ([n][n], row after row) by Cholesky's method. */
export function solvePositive(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const lower = matrix.slice();
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = lower[i * n + j];
      for (let l = 0; l < j; l++) sum -= lower[i * n + l] * lower[j * n + l];
      lower[i * n + j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / lower[j * n + j];
    }
  }
  const x = right.slice();
  for (let i = 0; i < n; i++) {
    for (let l = 0; l < i; l++) x[i] -= lower[i * n + l] * x[l];
    x[i] /= lower[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let l = i + 1; l < n; l++) x[i] -= lower[l * n + i] * x[l];
    x[i] /= lower[i * n + i];
  }
  return x;
}
