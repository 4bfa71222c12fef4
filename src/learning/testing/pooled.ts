import type { Examples } from "../trainer.js";

/** Logistic regression of everybody in one place, by Newton's method to the end: what federated averages are compared with. */
export function pooledLogistic(
  { n, features, labels }: Examples,
  /** Of the squared weights, the intercept's excepted: scikit-learn's C = 1. */
  ridge = 1,
): { readonly loss: number; scores(people: Examples): Float64Array } {
  const d = features.length / n;
  const width = d + 1;
  const weights = new Float64Array(width);
  const scoresOf = (of: Examples) =>
    Float64Array.from({ length: of.n }, (_, i) => {
      let sum = weights[d];
      for (let j = 0; j < d; j++) sum += weights[j] * of.features[i * d + j];
      return sum;
    });
  const all = { n, features, labels, groups: labels };
  for (let step = 0; step < 30; step++) {
    const slope = Float64Array.from(weights, (weight, j) => (j < d ? ridge * weight : 0));
    const curvature = Array.from({ length: width }, (_, j) => {
      const row = new Float64Array(width);
      row[j] = j < d ? ridge : 1e-9;
      return row;
    });
    scoresOf(all).forEach((score, i) => {
      const yes = 1 / (1 + Math.exp(-score));
      const value = (j: number) => (j < d ? features[i * d + j] : 1);
      for (let j = 0; j < width; j++) {
        slope[j] += (yes - labels[i]) * value(j);
        for (let k = 0; k < width; k++) curvature[j][k] += yes * (1 - yes) * value(j) * value(k);
      }
    });
    solve(curvature, slope).forEach((move, j) => {
      weights[j] -= move;
    });
  }
  const loss = scoresOf(all).reduce((sum, score, i) => sum + Math.log1p(Math.exp(labels[i] === 1 ? -score : score)), 0);
  return { loss: loss / n, scores: scoresOf };
}

/** The solution of a system of equations, by elimination with pivots. */
function solve(rows: Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let row = i + 1; row < n; row++) if (Math.abs(rows[row][i]) > Math.abs(rows[pivot][i])) pivot = row;
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    [right[i], right[pivot]] = [right[pivot], right[i]];
    for (let row = i + 1; row < n; row++) {
      const factor = rows[row][i] / rows[i][i];
      for (let k = i; k < n; k++) rows[row][k] -= factor * rows[i][k];
      right[row] -= factor * right[i];
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) right[i] -= rows[i][k] * right[k];
    right[i] /= rows[i][i];
  }
  return right;
}
