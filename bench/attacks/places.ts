import { explained } from "./linear.js";
import type { Recording } from "./recording.js";
import type { View } from "./views.js";

/** How exactly differences are known, in squared deviations: what hides ties and rounding are far below. */
const exactly = 1e-4;
/** A person's values have come out where every one of them is right to a tenth of a deviation. */
const right = 0.1;

/** What whoever knows the places gets of anonymous rows. */
export interface ByPlaces {
  /** The share of spread explained, for each column. */
  readonly explained: readonly number[];
  /** The share of rows of which all values come out. */
  readonly opened: number;
}

/**
 * With known places c, a row's differences are f (|c_a|^2 - |c_b|^2 - 2 x (c_a - c_b)) with an unknown factor f, in an unknown order: for
 * each order that is linear in x and 1 / f. The attacker tries all of them, holds people around the mean of all to be likelier than
 * far ones, and takes the mean of what fits, weighed by how well. Whose row it is stays unknown, and is not needed.
 */
export function byPlaces({ k, places }: Recording, { passes, columns }: View, rows: number): ByPlaces {
  const [{ differences, people }] = passes;
  const orders = permutations(k);
  const found = Array.from({ length: rows }, (_, row) => {
    const seen = [0, ...Array.from(differences.subarray(row * (k - 1), (row + 1) * (k - 1)), Number)];
    return likeliest(seen, places!, orders);
  });
  const truths = columns.map((column) => Float64Array.from(found, (_, row) => column[people[row]]));
  const all = found.map((_, row) => row);
  const open = found.filter((values, row) => values.every((value, j) => Math.abs(value - truths[j][row]) < right));
  return {
    explained: truths.map((truth, j) =>
      explained(
        Float64Array.from(found, (values) => values[j]),
        truth,
        all,
      ),
    ),
    opened: open.length / rows,
  };
}

/** The values of a row's person, as far as the row tells them. */
function likeliest(seen: readonly number[], places: readonly Float64Array[], orders: readonly number[][]): number[] {
  const dims = places[0].length;
  const most = Math.max(...seen.map(Math.abs));
  const row = seen.map((value) => value / most);
  const norms = places.map((place) => place.reduce((sum, value) => sum + value * value, 0));
  const fits = orders.map((order) => {
    const [first, ...others] = order;
    const lines = others.map((place, at) => {
      const slopes = Array.from(places[place], (value, j) => -2 * (value - places[first][j]));
      return { line: [...slopes, -(row[at + 1] - row[0])], level: norms[place] - norms[first] };
    });
    return nearestFit(lines, dims);
  });
  const least = fits.reduce((low, { misfit }) => Math.min(low, misfit), Number.POSITIVE_INFINITY);
  const weights = fits.map(({ misfit }) => Math.exp((least - misfit) / 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: dims }, (_, j) =>
    fits.reduce((sum, { values }, at) => sum + (weights[at] / total) * values[j], 0),
  );
}

/** The x and 1 / f of least misfit: that of the lines, and how far x is from the mean of all people. */
function nearestFit(
  lines: readonly { readonly line: readonly number[]; readonly level: number }[],
  dims: number,
): { readonly values: readonly number[]; readonly misfit: number } {
  const size = dims + 1;
  const system = Array.from({ length: size }, (_, a) => {
    const row = new Float64Array(size + 1);
    for (const { line, level } of lines) {
      for (let b = 0; b < size; b++) row[b] += line[a] * line[b];
      row[size] -= line[a] * level;
    }
    row[a] += a < dims ? exactly ** 2 : 1e-12;
    return row;
  });
  const solution = solved(system);
  const values = solution.slice(0, dims);
  const missed = lines.reduce((sum, { line, level }) => {
    return sum + (line.reduce((at, slope, j) => at + slope * solution[j], 0) + level) ** 2;
  }, 0);
  const far = values.reduce((sum, value) => sum + value * value, 0);
  // Factors are positive.
  return { values, misfit: solution[dims] > 0 ? missed / exactly ** 2 + far : Number.POSITIVE_INFINITY };
}

/** By elimination, the largest pivot first. */
function solved(system: readonly Float64Array[]): number[] {
  const size = system.length;
  const rows = [...system];
  for (let at = 0; at < size; at++) {
    const pivot = rows.reduce(
      (best, row, i) => (i >= at && Math.abs(row[at]) > Math.abs(rows[best][at]) ? i : best),
      at,
    );
    [rows[at], rows[pivot]] = [rows[pivot], rows[at]];
    for (let i = 0; i < size; i++) {
      if (i === at || rows[at][at] === 0) continue;
      const times = rows[i][at] / rows[at][at];
      for (let j = at; j <= size; j++) rows[i][j] -= times * rows[at][j];
    }
  }
  return rows.map((row, at) => (row[at] === 0 ? 0 : row[size] / row[at]));
}

function permutations(k: number): number[][] {
  if (k === 0) return [[]];
  return permutations(k - 1).flatMap((order) =>
    Array.from({ length: k }, (_, at) => [...order.slice(0, at), k - 1, ...order.slice(at)]),
  );
}
