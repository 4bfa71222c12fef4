import type { Attribute, People } from "../table/types.js";
import { weightOf } from "./border.js";
import type { Everybody } from "./prepare.js";
import { jitterOf, type SampledPoints, type ScannedScores } from "./scanner.js";

/** The same people in the order of their hashes: what follows does not depend on the scanner's. */
export function ordered({ hashes, patterns, weights, points }: SampledPoints): SampledPoints {
  const dims = points.length / Math.max(1, hashes.length);
  const order = Uint32Array.from(hashes.keys()).sort((a, b) => hashes[a] - hashes[b] || compare(a, b));
  const sorted = new Int32Array(points.length);
  order.forEach((from, to) => {
    sorted.set(points.subarray(from * dims, (from + 1) * dims), to * dims);
  });
  return {
    hashes: Float64Array.from(order, (i) => hashes[i]),
    patterns: Uint16Array.from(order, (i) => patterns[i]),
    ...(weights ? { weights: Float64Array.from(order, (i) => weights[i]) } : {}),
    points: sorted,
  };

  /** Ids may share a hash. */
  function compare(a: number, b: number): number {
    for (let j = 0; j < dims; j++) {
      const difference = points[a * dims + j] - points[b * dims + j];
      if (difference !== 0) return difference;
    }
    return patterns[a] - patterns[b] || (weights ? weights[a] - weights[b] : 0);
  }
}

/** A sample as people whom the solver can cluster in memory. */
export function peopleOf(everybody: Everybody, sampled: SampledPoints, bits: number): People {
  const { hashes, patterns, points, weights: values } = sampled;
  const n = hashes.length;
  const dims = everybody.dimensionNames.length;
  const unit = 2 ** -bits;
  const { dimensionNames, encodings } = everybody;
  return {
    n,
    dimensions: dimensionNames.map((_, j) => Float64Array.from({ length: n }, (_, i) => points[i * dims + j] * unit)),
    dimensionNames,
    encodings,
    attributes: everybody.attributes.map(({ people: _, codes, ...attribute }): Attribute => {
      const people = values ? { people: values } : {};
      return { ...attribute, codes: Uint16Array.from(patterns, (pattern) => codes[pattern]), ...people };
    }),
    ...(values && everybody.weights ? { weights: { ...everybody.weights, values, total: weightOf(sampled) } } : {}),
    sourceRows: Uint32Array.from({ length: n }, (_, i) => i),
    warnings: [],
  };
}

/** The scores of a sample's people, as a scanner would tell them. */
export function scoresOf(
  { hashes, patterns, weights, points }: SampledPoints,
  centres: Float64Array,
  k: number,
  jitter: number,
): ScannedScores {
  const dims = centres.length / k;
  const squares = Float64Array.from({ length: k }, (_, m) => {
    return centres.subarray(m * dims, (m + 1) * dims).reduce((sum, c) => sum + c * c, 0);
  });
  const scores = new Float64Array(hashes.length * k);
  for (let i = 0; i < hashes.length; i++) {
    for (let m = 0; m < k; m++) {
      let inner = 0;
      for (let j = 0; j < dims; j++) inner += points[i * dims + j] * centres[m * dims + j];
      scores[i * k + m] = squares[m] - 2 * inner + jitterOf(hashes[i], m, jitter);
    }
  }
  return { hashes, patterns, ...(weights ? { weights } : {}), scores };
}

/** The mean squared distance of a sample's people to their nearest centre. */
export function meanDistance({ points, hashes }: SampledPoints, { scores }: ScannedScores, k: number): number {
  let total = 0;
  for (const x of points) total += x * x;
  for (let i = 0; i < hashes.length; i++) {
    let least = Number.POSITIVE_INFINITY;
    for (let m = 0; m < k; m++) least = Math.min(least, scores[i * k + m]);
    total += least;
  }
  return Math.max(1, total / hashes.length);
}
