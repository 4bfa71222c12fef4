/** How raw columns are scaled for clustering or training: the same at all holders of rows. */
export interface RowScaling {
  /** x becomes (x - shift) / scale, in each column; a missing x is replaced by the mean. */
  readonly shift: Float64Array;
  readonly scale: Float64Array;
  readonly mean: Float64Array;
}

type ColumnValues = Float64Array | Float32Array;

export function scaledColumn(column: ColumnValues, j: number, { shift, scale, mean }: RowScaling): ColumnValues {
  return column.map((value) => ((Number.isNaN(value) ? mean[j] : value) - shift[j]) / scale[j]);
}

/** The smallest and the largest value of a column, ignoring missing ones. */
export function reachOf(column: ColumnValues): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of column) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** With u = round((x - shift) / step), for each column: how many people have an x, the sums of u and of its squares. */
export type ColumnMoments = Readonly<Record<"people" | "sums" | "squares", Float64Array>>;

export function momentsOf(columns: readonly ColumnValues[], shift: Float64Array, step: Float64Array): ColumnMoments {
  const people = new Float64Array(columns.length);
  const sums = new Float64Array(columns.length);
  const squares = new Float64Array(columns.length);
  columns.forEach((column, j) => {
    for (const value of column) {
      const whole = Math.round((value - shift[j]) / step[j]);
      if (Number.isNaN(whole)) continue;
      people[j]++;
      sums[j] += whole;
      squares[j] += whole * whole;
    }
  });
  return { people, sums, squares };
}
