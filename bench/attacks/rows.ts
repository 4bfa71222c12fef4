import { combine, explained, leastSquares } from "./linear.js";
import { known } from "./reconstruction.js";
import type { Recording } from "./recording.js";
import { factorBits, type View } from "./views.js";

/**
 * The greatest common divisor of a row's whole numbers is its secret factor times what they have in common anyhow, mostly a small
 * public unit: divided by it, the row is what it was, in that unit. The share of rows of the first pass for which that is so, up to the
 * order of the clusters.
 */
export function byDivisor({ n, k }: Recording, { passes, truth }: View): number {
  const [{ differences, people }] = passes;
  let opened = 0;
  for (let j = 0; j < n; j++) {
    const person = people[j];
    const seen = differences.subarray(j * (k - 1), (j + 1) * (k - 1));
    const original = truth.subarray(person * (k - 1), (person + 1) * (k - 1));
    if (sortedGaps(reduced(seen)) === sortedGaps(reduced(original))) opened++;
  }
  return opened / n;
}

/** A row divided by its greatest common divisor. */
function reduced(row: BigInt64Array): bigint[] {
  const divisor = row.reduce(divisorOf, 0n) || 1n;
  return Array.from(row, (value) => value / divisor);
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

/** What distances are multiplied by, in clusters of some hundred people or more: scores are multiples of it. */
const weights = [511, 512] as const;

/**
 * Scores are distances times a weight, the same for clusters of about the same size; what hides ties must not be small beside it. Whoever
 * tries all factors of a row, and all such weights, takes those that leave the most small remainders. The share of some rows of the last
 * pass whose own factor is the largest that does, of four clusters or more. (Trying takes some tenths of a second for each.)
 */
export function byFactors({ k }: Recording, { passes }: View, rows: number): number {
  const { differences, factorOf } = passes[passes.length - 1];
  let opened = 0;
  for (let j = 0; j < rows; j++) {
    if (factorOf(j) === 1) {
      opened++;
      continue;
    }
    const row = [0n, ...differences.subarray(j * (k - 1), (j + 1) * (k - 1))];
    const bases = row
      .slice(0, 3)
      .map((base) => halvesOf(row.filter((value) => value !== base).map((value) => value - base)));
    let most = 3;
    let largest = 0;
    for (const weight of weights) {
      for (let factor = k * k; factor < 2 ** factorBits; factor++) {
        for (const gaps of bases) {
          const fit = smallRemainders(gaps, weight * factor, factor);
          if (fit > most || (fit === most && factor > largest)) [most, largest] = [fit, factor];
        }
      }
    }
    if (largest === factorOf(j)) opened++;
  }
  return opened / rows;
}

const half = 2 ** 31;

/** Sizes of numbers in two halves, one after the other: of these remainders are found without whole numbers of any length. */
function halvesOf(numbers: readonly bigint[]): Float64Array {
  const sizes = numbers.map((value) => (value < 0n ? -value : value));
  return Float64Array.from(sizes.flatMap((size) => [Number(size / BigInt(half)), Number(size % BigInt(half))]));
}

/** How many of the numbers are multiples of `whole`, but for less than `small`. */
function smallRemainders(halves: Float64Array, whole: number, small: number): number {
  const carried = half % whole;
  let count = 0;
  for (let at = 0; at < halves.length; at += 2) {
    const rest = ((halves[at] % whole) * carried + halves[at + 1]) % whole;
    if (rest < small || whole - rest < small) count++;
  }
  return count;
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

/** Two ratios are the same up to what hides ties. */
const alike = 2 ** 20;

/**
 * Rows whose ratios repeat, without knowing anybody: whoever is beyond all centres on the same sides has the same differences of
 * Manhattan distances, however far away. The share of people whom a pass puts together with others of other data, in the pass that does so most.
 */
export function byRepeats({ n, k }: Recording, { passes, columns }: View): number {
  const shares = passes.map(({ differences, people }) => {
    const together = new Map<string, Set<string>>();
    const signs = Array.from(people, (person, j) => {
      const ratios = ratiosOf(differences.subarray(j * (k - 1), (j + 1) * (k - 1)));
      const sign = ratios.map((ratio) => Math.round(ratio * alike)).join();
      const data = columns.map((column) => column[person]).join();
      together.set(sign, (together.get(sign) ?? new Set()).add(data));
      return sign;
    });
    return signs.filter((sign) => together.get(sign)!.size > 1).length / n;
  });
  return Math.max(...shares);
}

/**
 * The rows of one exchange that are taken for those of the next: each for the row whose ratios are nearest. Where only prices change, or centres
 * move a little, somebody's ratios hardly do. The share of people who are recognised, in the exchange after which most are.
 */
export function byLinks({ n, k }: Recording, { passes }: View): number {
  const rowsOf = ({ differences }: View["passes"][number]) =>
    Array.from({ length: n }, (_, j) => ratiosOf(differences.subarray(j * (k - 1), (j + 1) * (k - 1))));
  const shares = passes.slice(1).map((after, at) => {
    const [before, seen] = [rowsOf(passes[at]), rowsOf(after)];
    const isRight = (row: readonly number[], j: number) => after.people[nearestTo(row, seen)] === passes[at].people[j];
    return before.filter(isRight).length / n;
  });
  return Math.max(...shares);
}

function nearestTo(row: readonly number[], rows: readonly (readonly number[])[]): number {
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  rows.forEach((other, at) => {
    const gap = other.reduce((sum, value, which) => sum + (value - row[which]) ** 2, 0);
    if (gap < least) [best, least] = [at, gap];
  });
  return best;
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
