/** Steps into which the reach of a column is divided at first: sums of squares are exact for a hundred million people. */
export const firstSteps = 2 ** 13;

/** u = round((x - shift) / step) is what is added up: whole numbers, whose sums do not depend on who holds which rows. */
interface WholeSteps {
  readonly shift: number;
  readonly step: number;
}

/** Over the whole reach of a column. */
export function firstGrid(least: number, most: number): WholeSteps {
  return { shift: (least + most) / 2, step: (most - least) / firstSteps || 1 };
}

/** Around the mean, and as finely as sums of squares of so many people stay exact; `fewest` steps at least. */
export function fineGrid(least: number, most: number, mean: number, people: number, fewest = 1): WholeSteps {
  const steps = Math.max(fewest, 2 ** Math.floor((53 - Math.log2(people)) / 2 - 1));
  return { shift: mean, step: (most - least || 1) / steps };
}

/** Mean and variance of a column from whole sums. */
export function fromSums(people: number, sum: number, squares: number, { shift, step }: WholeSteps) {
  const mean = shift + (step * sum) / people;
  return { mean, variance: step ** 2 * Math.max(0, squares / people - (sum / people) ** 2) };
}

/** Sums of u and of its squares over one column. */
function wholeSums(values: ArrayLike<number>, { shift, step }: WholeSteps): { sum: number; squares: number } {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const whole = Math.round((values[i] - shift) / step);
    sum += whole;
    squares += whole * whole;
  }
  return { sum, squares };
}

/** What several holders of a column's values would agree on, to the last bit; NaN is left out. */
export function exactMoments(values: Float64Array | Float32Array) {
  const known = (values as Float64Array).some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of known) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const measure = (grid: WholeSteps) => {
    const { sum, squares } = wholeSums(known, grid);
    return fromSums(known.length, sum, squares, grid);
  };
  const rough = measure(firstGrid(min, max));
  const { mean, variance } = measure(fineGrid(min, max, rough.mean, known.length));
  return { mean, deviation: Math.sqrt(variance), min, max };
}
