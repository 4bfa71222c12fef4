/**
 * The expected mutual information of two random labellings with these class sizes (Vinh, Epps and Bailey 2010, eq. 24a).
 *
 * A cell's count is hypergeometric. The textbook sum takes its probabilities from log-gamma functions, whose values
 * are so large at millions of people that their differences keep eight digits only. Here weights start at 1 at the
 * mode, follow the exact ratio of neighbouring probabilities outwards, and are divided by their sum: nothing large is
 * ever subtracted, no table is needed, and the walk ends where weights vanish, after some tens of standard deviations.
 * Classes of equal size give equal cells, so each pair of sizes is computed once.
 */
export function expectedMutualInformation(rowTotals: Float64Array, columnTotals: Float64Array, people: number): number {
  const columns = sizesWithCounts(columnTotals);
  let sum = 0;
  for (const [row, rowCount] of sizesWithCounts(rowTotals)) {
    for (const [column, columnCount] of columns) sum += rowCount * columnCount * expectedCell(row, column, people);
  }
  return sum;
}

/** Weights below this, relative to the mode's, add nothing to a double. */
const negligibleWeight = 1e-30;

/** The expectation of (x/n) log(n x / (a b)), x being the overlap of random sets of a and b out of n people. */
function expectedCell(a: number, b: number, n: number): number {
  const least = Math.max(0, a + b - n);
  const most = Math.min(a, b);
  const mode = Math.min(most, Math.max(least, Math.floor(((a + 1) * (b + 1)) / (n + 2))));
  const independent = (a * b) / n;
  let weights = 1;
  let sum = mode > 0 ? mode * Math.log(mode / independent) : 0;
  for (let x = mode + 1, weight = 1; x <= most; x++) {
    weight *= ((a - x + 1) * (b - x + 1)) / (x * (n - a - b + x));
    if (weight < negligibleWeight) break;
    weights += weight;
    sum += weight * x * Math.log(x / independent);
  }
  for (let x = mode - 1, weight = 1; x >= least; x--) {
    weight *= ((x + 1) * (n - a - b + x + 1)) / ((a - x) * (b - x));
    if (weight < negligibleWeight) break;
    weights += weight;
    if (x > 0) sum += weight * x * Math.log(x / independent);
  }
  return sum / weights / n;
}

/** In ascending order, so that the sum does not depend on how the classes are numbered. */
function sizesWithCounts(totals: Float64Array): [size: number, count: number][] {
  const counts = new Map<number, number>();
  for (const size of totals.slice().sort()) counts.set(size, (counts.get(size) ?? 0) + 1);
  return [...counts];
}
