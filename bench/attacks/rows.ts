import { combine, explained, leastSquares } from "./linear.js";
import { known } from "./reconstruction.js";
import type { Recording } from "./recording.js";
import type { View } from "./views.js";

/**
 * The greatest common divisor of a row's whole numbers is its secret factor times their public unit, unless they have more
 * in common: divided by it, the row is what it was. The share of rows of the first pass for which that is so, up to the order of the clusters.
 */
export function byDivisor({ n, k, unit }: Recording, { passes, truth }: View): number {
  const [{ differences, people }] = passes;
  let opened = 0;
  for (let j = 0; j < n; j++) {
    const row = differences.subarray(j * (k - 1), (j + 1) * (k - 1));
    const divisor = row.reduce(divisorOf, 0n) || 1n;
    const person = people[j];
    const original = truth.subarray(person * (k - 1), (person + 1) * (k - 1));
    if (sortedGaps([...row].map((value) => (value / divisor) * BigInt(unit))) === sortedGaps([...original])) opened++;
  }
  return opened / n;
}

function divisorOf(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** A row without its order and its level. */
function sortedGaps(row: readonly bigint[]): string {
  const values = [0n, ...row].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return values.map((value) => value - values[0]).join();
}

/**
 * What blinding leaves: sorted ratios of a row's differences. The attacker is told where the 60 known people stand in a
 * pass (which blinding hides), and learns to tell people's columns from their ratios: by squares of them, or by the nearest
 * known people, whichever does better. The share of spread explained, for each column, by the best pass.
 */
export function byRatios({ n, k }: Recording, { passes, columns }: View): number[] {
  const { inside, outside } = known(n);
  const best = columns.map(() => 0);
  for (const { differences, people } of passes) {
    const ratios: number[][] = new Array(n);
    people.forEach((person, j) => {
      ratios[person] = ratiosOf(differences.subarray(j * (k - 1), (j + 1) * (k - 1)));
    });
    columns.forEach((column, c) => {
      best[c] = Math.max(best[c], bestOf(ratios, column, { inside, outside }));
    });
  }
  return best;
}

/** What a column's spread is explained by, of numbers about everybody, as some who are known teach it. */
export function bestOf(
  numbers: readonly number[][],
  column: Float64Array,
  { inside, outside }: { readonly inside: readonly number[]; readonly outside: readonly number[] },
): number {
  return Math.max(
    explained(bySquares(numbers, column, inside), column, outside),
    explained(byNeighbours(numbers, column, inside), column, outside),
  );
}

/** Between the smallest and the largest of a row, where the others lie. */
function ratiosOf(row: BigInt64Array): number[] {
  const values = [0, ...Array.from(row, Number)].sort((a, b) => a - b);
  const [least, most] = [values[0], values[values.length - 1]];
  return values.slice(1, -1).map((value) => (value - least) / (most - least || 1));
}

function bySquares(ratios: readonly number[][], column: Float64Array, inside: readonly number[]): Float64Array {
  const terms = ratios.map((row) => [1, ...row, ...row.flatMap((a, at) => row.slice(at).map((b) => a * b))]);
  const matrix = terms[0].map((_, t) => Float64Array.from(terms, (row) => row[t]));
  const some = matrix.map((term) => Float64Array.from(inside, (i) => term[i]));
  const fit = combine(
    matrix,
    leastSquares(
      some,
      Float64Array.from(inside, (i) => column[i]),
    ),
  );
  const values = inside.map((i) => column[i]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return fit.map((value) => Math.max(least, Math.min(most, value)));
}

function byNeighbours(ratios: readonly number[][], column: Float64Array, inside: readonly number[]): Float64Array {
  const neighbours = 7;
  return Float64Array.from(ratios, (row) => {
    const far = inside.map((i) => ({ i, gap: ratios[i].reduce((sum, value, at) => sum + (value - row[at]) ** 2, 0) }));
    far.sort((a, b) => a.gap - b.gap);
    return far.slice(0, neighbours).reduce((sum, { i }) => sum + column[i], 0) / neighbours;
  });
}
