import { describe, expect, it } from "vitest";
import { cholesky, solveFactored } from "../../constraints/cholesky.js";
import { Draws } from "../../testing/draws.js";
import { clipEigenvalues, eigen, inverse, logDeterminant, type Matrix } from "./linear.js";

function product(a: Matrix, b: Matrix, d: number): Matrix {
  return Float64Array.from({ length: d * d }, (_, at) => {
    const [i, j] = [Math.floor(at / d), at % d];
    let sum = 0;
    for (let t = 0; t < d; t++) sum += a[i * d + t] * b[t * d + j];
    return sum;
  });
}

function positive(d: number, draws: Draws): Matrix {
  const half = Float64Array.from({ length: d * d }, () => draws.normal());
  const transposed = half.map((_, at) => half[(at % d) * d + Math.floor(at / d)]);
  return product(half, transposed, d).map((value, at) => value + (at % (d + 1) === 0 ? 0.1 : 0));
}

const near = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  for (let i = 0; i < a.length; i++) expect(a[i]).toBeCloseTo(b[i], 7);
};

describe.each([1, 2, 5, 12])("symmetric matrices of %i dimensions", (d) => {
  const draws = new Draws(d);
  const a = positive(d, draws);
  const identity = a.map((_, at) => (at % (d + 1) === 0 ? 1 : 0));

  it("are inverted and solved", () => {
    const factor = cholesky(a, d)!;
    near(product(a, inverse(factor, d), d), identity);
    const x = Float64Array.from({ length: d }, () => draws.normal());
    const b = Float64Array.from({ length: d }, (_, i) => x.reduce((sum, value, j) => sum + a[i * d + j] * value, 0));
    near(solveFactored(factor, b), x);
  });

  it("are their eigenvectors again", () => {
    const { values, vectors } = eigen(a, d);
    near(clipEigenvalues(a, d, 0, Number.POSITIVE_INFINITY), a);
    near(
      product(
        vectors.map((_, at) => vectors[(at % d) * d + Math.floor(at / d)]),
        vectors,
        d,
      ),
      identity,
    );
    const log = values.reduce((sum, value) => sum + Math.log(value), 0);
    expect(log).toBeCloseTo(logDeterminant(cholesky(a, d)!, d), 7);
    const clipped = eigen(clipEigenvalues(a, d, 0.5, 2), d).values;
    for (const value of clipped) expect(value > 0.5 - 1e-9 && value < 2 + 1e-9).toBe(true);
  });
});

it("says when a matrix is not positive definite", () => {
  expect(cholesky(Float64Array.of(1, 2, 2, 1), 2)).toBeNull();
});
