import type { PeopleClustering } from "../../algorithms/types.js";
import type { People } from "../../table/types.js";

/** One dimension: a number's mean, or a category's share, in each cluster and among everybody. */
export interface Feature {
  readonly kind: "number" | "share";
  readonly column: string;
  /** The category, when it is one. */
  readonly level?: string;
  /** In the units of the source. */
  readonly overall: number;
  readonly values: readonly number[];
  /** Difference from everybody in standard deviations. */
  readonly distances: readonly number[];
}

export interface Profile {
  readonly features: readonly Feature[];
  /** The sum of squared distances to the mean of everybody, in the space that was clustered. */
  readonly totalSquares: number;
}

/** The clusters' centres against everybody, back in the units that people know. */
export function profileOf(people: People, { centres, result }: PeopleClustering): Profile {
  const { dimensions, encodings, weights } = people;
  const n = weights?.total ?? people.n;
  const { sizes } = result;
  const features: Feature[] = [];
  let totalSquares = 0;
  let j = 0;
  const add = (feature: Pick<Feature, "kind" | "column" | "level">, shift: number, scale: number) => {
    const column = centres.map((centre) => centre[j]);
    const mean = column.reduce((sum, value, m) => (sizes[m] > 0 ? sum + (sizes[m] / n) * value : sum), 0);
    const squares = squaresAround(dimensions[j], mean, weights?.values);
    const deviation = Math.sqrt(squares / n);
    totalSquares += squares;
    features.push({
      ...feature,
      overall: mean * scale + shift,
      values: column.map((value, m) => (sizes[m] > 0 ? value * scale + shift : Number.NaN)),
      distances: column.map((value, m) => (sizes[m] > 0 && deviation > 0 ? (value - mean) / deviation : 0)),
    });
    j++;
  };
  for (const encoding of encodings) {
    const { column } = encoding;
    if (encoding.kind === "numeric") add({ kind: "number", column }, encoding.shift, encoding.scale);
    else for (const level of encoding.levels) add({ kind: "share", column, level }, 0, 1 / encoding.weight);
  }
  return { features, totalSquares };
}

function squaresAround(values: Float64Array | Float32Array, mean: number, weights?: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const difference = values[i] - mean;
    sum += difference * difference * (weights ? weights[i] : 1);
  }
  return sum;
}
