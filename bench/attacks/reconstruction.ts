import { type Columns, combine, explained, leastSquares } from "./linear.js";
import type { Recording } from "./recording.js";
import type { SeenPass, View } from "./views.js";

/** People whose data the attacker has from elsewhere. */
export const knownPeople = 60;

export function known(n: number): { readonly inside: readonly number[]; readonly outside: readonly number[] } {
  const all = Array.from({ length: n }, (_, i) => i);
  return { inside: all.slice(0, knownPeople), outside: all.slice(knownPeople) };
}

/** The differences of all passes as columns, in units of their size. */
function differenceColumns(seen: readonly SeenPass[], n: number, k: number): Columns {
  return seen.flatMap(({ differences }) =>
    Array.from({ length: k - 1 }, (_, m) => {
      const column = new Float64Array(n);
      for (let i = 0; i < n; i++) column[i] = Number(differences[i * (k - 1) + m]);
      return column;
    }),
  );
}

function pick(column: Float64Array, people: readonly number[]): Float64Array {
  return Float64Array.from(people, (i) => column[i]);
}

/**
 * Differences of distances are linear in a person's data: 60 known people give the coefficients, and these everybody else's
 * columns. The mean share of spread that is explained, over the columns.
 */
export function byLeastSquares({ n, k }: Recording, { passes, columns }: View): number {
  const { inside, outside } = known(n);
  const ones = new Float64Array(n).fill(1);
  const features = [ones, ...differenceColumns(passes, n, k)];
  const some = features.map((feature) => pick(feature, inside));
  const shares = columns.map((column) => {
    const coefficients = leastSquares(some, pick(column, inside));
    return explained(combine(features, coefficients), column, outside);
  });
  return Math.max(0, shares.reduce((sum, share) => sum + share, 0) / shares.length);
}

/**
 * Prices are the same for all people of a group, so that they too are linear in who belongs to which: 60 known people tell
 * the groups of the others. The share of those who are told apart beyond what guessing the largest group gets right.
 */
export function byGroups({ n, k, groups }: Recording, { passes }: View): number {
  const { inside, outside } = known(n);
  const features = [new Float64Array(n).fill(1), ...differenceColumns(passes, n, k)];
  const some = features.map((feature) => pick(feature, inside));
  const scores = Array.from({ length: Math.max(...groups) + 1 }, (_, group) => {
    const belongs = Float64Array.from(inside, (i) => (groups[i] === group ? 1 : 0));
    return combine(features, leastSquares(some, belongs));
  });
  const sizes = scores.map((_, group) => outside.filter((i) => groups[i] === group).length);
  const guessed = Math.max(...sizes);
  const right = outside.filter((i) => scores.every((score) => score[i] <= scores[groups[i]][i])).length;
  return Math.max(0, (right - guessed) / (outside.length - guessed));
}

/**
 * Without knowing anybody: the differences span the data up to a linear map, and the first scores, which are squares of
 * distances, tell which map. The share of distances between people that come out right to 1%.
 */
export function byRotation({ n, k }: Recording, { passes, columns }: View): number {
  const span = independent(differenceColumns(passes, n, k).map(centred));
  const level =
    passes[0].level ?? Float64Array.from({ length: n }, (_, i) => Number(passes[0].differences[i * (k - 1)]));
  const squares: Float64Array[] = [];
  for (let a = 0; a < span.length; a++) {
    for (let b = 0; b <= a; b++) squares.push(span[a].map((value, i) => value * span[b][i] * (a === b ? 1 : 2)));
  }
  const metric = leastSquares([new Float64Array(n).fill(1), ...span, ...squares], level).slice(1 + span.length);
  const distance = (i: number, j: number) => {
    let sum = 0;
    let at = 0;
    for (let a = 0; a < span.length; a++) {
      for (let b = 0; b <= a; b++, at++) {
        sum += (a === b ? 1 : 2) * metric[at] * (span[a][i] - span[a][j]) * (span[b][i] - span[b][j]);
      }
    }
    return Math.sqrt(Math.max(0, sum));
  };
  const truth = (i: number, j: number) =>
    Math.sqrt(columns.reduce((sum, column) => sum + (column[i] - column[j]) ** 2, 0));
  const pairs = Array.from({ length: 1000 }, (_, at): [number, number] => [at % n, (at * 7 + 1) % n]);
  const apart = pairs.filter(([i, j]) => truth(i, j) > 0.01);
  // The attacker knows no unit of length: the typical ratio gives it.
  const ratios = apart.map(([i, j]) => distance(i, j) / truth(i, j)).sort((a, b) => a - b);
  const typical = ratios[ratios.length >> 1];
  return ratios.filter((ratio) => Math.abs(ratio / typical - 1) < 0.01).length / ratios.length;
}

/** Those columns that are no sums of the others, at most as many as there could be data columns, each of length 1 a person. */
function independent(columns: Columns): Columns {
  const kept: Float64Array[] = [];
  for (const column of columns) {
    const predicted = kept.length > 0 ? combine(kept, leastSquares(kept, column)) : new Float64Array(column.length);
    const rest = column.map((value, i) => value - predicted[i]);
    const size = Math.sqrt(rest.reduce((sum, value) => sum + value * value, 0) / rest.length);
    const whole = Math.sqrt(column.reduce((sum, value) => sum + value * value, 0) / column.length);
    if (size > 1e-6 * whole && kept.length < 8) kept.push(rest.map((value) => value / size));
  }
  return kept;
}

function centred(column: Float64Array): Float64Array {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  return column.map((value) => value - mean);
}

/**
 * Rows with a secret factor are still known up to that factor: a projective image of the data. 60 known people give the map of
 * each pass, the ratios of everybody else's row their columns. The mean share of spread explained, over the columns.
 */
export function byProjection({ n, k }: Recording, { passes, columns }: View): number {
  const { inside, outside } = known(n);
  const rows = passes.map(({ differences }) => Array.from({ length: n }, (_, i) => unitRow(differences, i, k - 1)));
  const maps = rows.map((pass) => projectiveMap(pass, columns, inside, k - 1));
  const predicted = columns.map(() => new Float64Array(n));
  for (const i of outside) {
    const equations: number[][] = [];
    const right: number[] = [];
    rows.forEach((pass, p) => {
      const row = pass[i];
      for (let a = 1; a < k - 1; a++) {
        // row[0] (M x)_a = row[a] (M x)_0, with x = (columns, 1).
        const line = maps[p][a].map((value, j) => row[0] * value - row[a] * maps[p][0][j]);
        right.push(-line[columns.length]);
        equations.push(line.slice(0, columns.length));
      }
    });
    const system = columns.map((_, j) => Float64Array.from(equations, (line) => line[j]));
    const solution = leastSquares(system, Float64Array.from(right));
    // Nobody is farther than 10 deviations: what comes out beyond that was no solution.
    solution.forEach((value, j) => {
      predicted[j][i] = Math.max(-10, Math.min(10, value));
    });
  }
  const shares = columns.map((column, j) => explained(predicted[j], column, outside));
  return Math.max(0, shares.reduce((sum, share) => sum + share, 0) / shares.length);
}

function unitRow(differences: BigInt64Array, i: number, width: number): number[] {
  const row = Array.from({ length: width }, (_, m) => Number(differences[i * width + m]));
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)) || 1;
  return row.map((value) => value / length);
}

/** M with row ~ M (columns, 1) for the known people, up to a factor: the last entry of its first line is 1. */
function projectiveMap(
  pass: readonly number[][],
  targets: Columns,
  inside: readonly number[],
  width: number,
): number[][] {
  const size = targets.length + 1;
  const system = Array.from({ length: width * size }, () => new Float64Array(inside.length * (width - 1)));
  inside.forEach((i, at) => {
    const x = [...targets.map((column) => column[i]), 1];
    for (let a = 1; a < width; a++) {
      const line = at * (width - 1) + a - 1;
      x.forEach((value, j) => {
        system[a * size + j][line] = pass[i][0] * value;
        system[j][line] = -pass[i][a] * value;
      });
    }
  });
  const fixed = size - 1;
  const free = system.filter((_, at) => at !== fixed);
  const solved = [
    ...leastSquares(
      free,
      system[fixed].map((value) => -value),
    ),
  ];
  solved.splice(fixed, 0, 1);
  return Array.from({ length: width }, (_, a) => solved.slice(a * size, (a + 1) * size));
}
