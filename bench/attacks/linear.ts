/** Columns of equal length. */
export type Columns = readonly Float64Array[];

/** What is left of a column counts as nothing when it is shorter than this part of the column: rounding. */
const nothing = 1e-9;

/**
 * The coefficients that make the columns add up to the target as nearly as possible. Columns that are sums of others get
 * none. By modified Gram and Schmidt, the longest column first.
 */
export function leastSquares(columns: Columns, target: Float64Array): Float64Array {
  const lengths = columns.map(norm);
  const rest = columns.map((column, at) => column.map((value) => value / (lengths[at] || 1)));
  const chosen: number[] = [];
  const basis: Float64Array[] = [];
  /** share[b][j]: what column j has of basis column b. */
  const share: Float64Array[] = [];
  for (;;) {
    let longest = -1;
    let most = nothing;
    rest.forEach((column, j) => {
      const length = chosen.includes(j) ? 0 : norm(column);
      if (length > most) [longest, most] = [j, length];
    });
    if (longest < 0) break;
    const unit = rest[longest].map((value) => value / most);
    const shares = new Float64Array(columns.length);
    rest.forEach((column, j) => {
      if (chosen.includes(j)) return;
      shares[j] = dot(unit, column);
      for (let i = 0; i < column.length; i++) column[i] -= shares[j] * unit[i];
    });
    chosen.push(longest);
    basis.push(unit);
    share.push(shares);
  }
  const coefficients = new Float64Array(columns.length);
  const left = target.slice();
  const wanted = basis.map((unit) => {
    const amount = dot(unit, left);
    for (let i = 0; i < left.length; i++) left[i] -= amount * unit[i];
    return amount;
  });
  for (let b = chosen.length - 1; b >= 0; b--) {
    let amount = wanted[b];
    for (let c = b + 1; c < chosen.length; c++) amount -= share[b][chosen[c]] * coefficients[chosen[c]];
    coefficients[chosen[b]] = amount / share[b][chosen[b]];
  }
  return coefficients.map((value, j) => value / (lengths[j] || 1));
}

/** The columns times the coefficients. */
export function combine(columns: Columns, coefficients: Float64Array): Float64Array {
  const sum = new Float64Array(columns[0].length);
  columns.forEach((column, j) => {
    for (let i = 0; i < sum.length; i++) sum[i] += coefficients[j] * column[i];
  });
  return sum;
}

/** How much of a column's spread over some people a prediction explains: 1 all, 0 or less nothing. */
export function explained(predicted: Float64Array, truth: Float64Array, people: readonly number[]): number {
  const mean = people.reduce((sum, i) => sum + truth[i], 0) / people.length;
  let wrong = 0;
  let spread = 0;
  for (const i of people) {
    wrong += (predicted[i] - truth[i]) ** 2;
    spread += (truth[i] - mean) ** 2;
  }
  return Number.isFinite(wrong) ? 1 - wrong / spread : Number.NEGATIVE_INFINITY;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function norm(column: Float64Array): number {
  return Math.sqrt(dot(column, column));
}
