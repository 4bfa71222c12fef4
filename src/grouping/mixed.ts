import type { People } from "../table/types.js";

/** What is to be alike: everybody's coordinates around their means, person by person. */
export interface Mixed {
  readonly dims: number;
  /** n rows of dims numbers. */
  readonly rows: Float64Array;
  /** For each of the people's dimensions, where it is, and where its squared distances are; -1 where it has none. */
  readonly squares: Int32Array;
  /** The deviation of each. */
  readonly deviations: Float64Array;
}

/**
 * k-means anticlustering looks at means alone; k-plus anticlustering (Papenberg 2024) adds, for each number, its squared distance from
 * the mean, so that variances become alike too. Of two values only that says nothing new: it is left out, and so it is of categories.
 */
export function mixedOf(
  { n, dimensions, encodings }: Pick<People, "n" | "dimensions" | "encodings">,
  spread: boolean,
): Mixed {
  const numeric = encodings.flatMap((encoding) =>
    encoding.kind === "numeric" ? [true] : encoding.levels.map(() => false),
  );
  const squares = new Int32Array(dimensions.length).fill(-1);
  let dims = dimensions.length;
  dimensions.forEach((values, j) => {
    if (spread && numeric[j] && hasThreeValues(values)) squares[j] = dims++;
  });
  const rows = new Float64Array(n * dims);
  const deviations = new Float64Array(dims);
  dimensions.forEach((values, j) => {
    deviations[j] = centre(rows, dims, j, values);
    const at = squares[j];
    if (at < 0) return;
    const distances = Float64Array.from({ length: n }, (_, i) => rows[i * dims + j] ** 2);
    const deviation = centre(rows, dims, at, distances);
    // In its own units a heavy tail would count for more than all else. It counts as much as the number itself.
    const scale = deviation > 0 ? deviations[j] / deviation : 0;
    for (let i = 0; i < n; i++) rows[i * dims + at] *= scale;
    deviations[at] = deviation * scale;
  });
  return { dims, rows, squares, deviations };
}

function hasThreeValues(values: ArrayLike<number>): boolean {
  const first = values[0];
  let second = first;
  for (let i = 1; i < values.length; i++) {
    if (values[i] === first || values[i] === second) continue;
    if (second !== first) return true;
    second = values[i];
  }
  return false;
}

/** Writes the values around their mean, and returns their deviation. */
function centre(rows: Float64Array, dims: number, j: number, values: ArrayLike<number>): number {
  const n = values.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += values[i];
  mean /= n;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    const value = values[i] - mean;
    rows[i * dims + j] = value;
    squares += value * value;
  }
  return Math.sqrt(squares / n);
}
