import { solveFactored } from "../../constraints/cholesky.js";

/** Symmetric matrices, row after row in one array of size d * d. */
export type Matrix = Float64Array;

/** The logarithm of A's determinant, from its factor. */
export function logDeterminant(l: Matrix, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += Math.log(l[i * d + i]);
  return 2 * sum;
}

/** A's inverse, from its factor; symmetric to the last bit. */
export function inverse(l: Matrix, d: number): Matrix {
  const result = new Float64Array(d * d);
  const column = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    column.fill(0);
    column[j] = 1;
    solveFactored(l, column);
    for (let i = 0; i <= j; i++) {
      result[i * d + j] = column[i];
      result[j * d + i] = column[i];
    }
  }
  return result;
}

/** Eigenvalues and vectors of a symmetric matrix, by Jacobi's rotations; vector i is column i. */
export function eigen(a: Matrix, d: number) {
  const m = Float64Array.from(a);
  const v = new Float64Array(d * d);
  for (let i = 0; i < d; i++) v[i * d + i] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) off += m[p * d + q] ** 2;
    if (off < 1e-26) break;
    for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) rotate(m, v, d, p, q);
  }
  return { values: Float64Array.from({ length: d }, (_, i) => m[i * d + i]), vectors: v };
}

function rotate(m: Matrix, v: Matrix, d: number, p: number, q: number): void {
  const apq = m[p * d + q];
  if (apq === 0) return;
  const theta = (m[q * d + q] - m[p * d + p]) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let i = 0; i < d; i++) {
    const [ip, iq] = [m[i * d + p], m[i * d + q]];
    m[i * d + p] = c * ip - s * iq;
    m[i * d + q] = s * ip + c * iq;
  }
  for (let i = 0; i < d; i++) {
    const [pi, qi] = [m[p * d + i], m[q * d + i]];
    m[p * d + i] = c * pi - s * qi;
    m[q * d + i] = s * pi + c * qi;
    const [vp, vq] = [v[i * d + p], v[i * d + q]];
    v[i * d + p] = c * vp - s * vq;
    v[i * d + q] = s * vp + c * vq;
  }
}

/** The same vectors with eigenvalues held between two limits. */
export function clipEigenvalues(a: Matrix, d: number, least: number, most: number): Matrix {
  const { values, vectors } = eigen(a, d);
  const result = new Float64Array(d * d);
  for (let e = 0; e < d; e++) {
    const value = Math.min(most, Math.max(least, values[e]));
    for (let i = 0; i < d; i++) {
      const left = value * vectors[i * d + e];
      for (let j = 0; j < d; j++) result[i * d + j] += left * vectors[j * d + e];
    }
  }
  return result;
}
