import type { Lane } from "../kernels/lanes.js";
import type { Random } from "../table/generators/random.js";
import { GridPoints } from "./grid-points.js";
import { kMeans, meansOf, untilSettled } from "./kmeans.js";

/** Rounds of subspace iteration: few, as only the space matters, not its exact axes. */
const iterations = 8;

/**
 * The start of Awasthi and Sheffet 2012, which k-FED uses: cluster the points as they lie in their k strongest directions,
 * then take the means of those who are at least three times nearer to their centre than to any other.
 */
export async function spectralStart(
  points: GridPoints,
  lanes: readonly Lane[],
  k: number,
  starts: number,
  random: Random,
): Promise<Float64Array> {
  const matrix = Array.from({ length: points.n }, (_, i) => points.point(i));
  const directions = k < points.columns ? strongest(matrix, Math.min(k, points.n), random) : undefined;
  const columns = directions
    ? directions.map((direction) => Float64Array.from(matrix, (point) => Math.round(dot(point, direction))))
    : Array.from({ length: points.columns }, (_, j) => Float64Array.from(matrix, (point) => point[j]));
  const projected = await GridPoints.load(lanes, points.n, columns, 1);
  const [{ centres, counts, labels }] = await kMeans(projected, { k, starts, steps: untilSettled, random });
  const distances = await projected.distances(centres, counts.length);
  projected.close();

  const clear = { sums: new Float64Array(counts.length * points.columns), counts: new Float64Array(counts.length) };
  const all = { sums: clear.sums.slice(), counts };
  matrix.forEach((point, i) => {
    const line = distances.subarray(i * counts.length, (i + 1) * counts.length);
    // Three times nearer is nine times in squares.
    const isClear = line.every((distance, m) => m === labels[i] || 9 * line[labels[i]] <= distance);
    if (isClear) clear.counts[labels[i]]++;
    for (let j = 0; j < point.length; j++) {
      all.sums[labels[i] * point.length + j] += point[j];
      if (isClear) clear.sums[labels[i] * point.length + j] += point[j];
    }
  });
  return meansOf(clear, meansOf(all, new Float64Array(clear.sums.length)));
}

/** An orthonormal basis of the space that holds most of the points' squared length. */
function strongest(matrix: readonly Float64Array[], count: number, random: Random): Float64Array[] {
  const columns = matrix[0].length;
  let basis = orthonormal(
    Array.from({ length: count }, () => Float64Array.from({ length: columns }, () => random.normal())),
  );
  for (let round = 0; round < iterations; round++) {
    const next = basis.map(() => new Float64Array(columns));
    for (const point of matrix) {
      basis.forEach((direction, q) => {
        const weight = dot(point, direction);
        const target = next[q];
        for (let j = 0; j < columns; j++) target[j] += weight * point[j];
      });
    }
    basis = orthonormal(next);
  }
  return basis;
}

/** Gram-Schmidt, twice against rounding; vectors that depend on those before are left out. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const vector of vectors) {
    const before = Math.sqrt(dot(vector, vector));
    for (const other of [...basis, ...basis]) {
      const part = dot(vector, other);
      for (let j = 0; j < vector.length; j++) vector[j] -= part * other[j];
    }
    const length = Math.sqrt(dot(vector, vector));
    if (length > 1e-9 * before) basis.push(vector.map((value) => value / length));
  }
  return basis;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
