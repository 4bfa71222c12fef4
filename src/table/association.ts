import { asLevels } from "./levels.js";
import type { Column } from "./types.js";

/** Numbers are compared by their rank: in so many groups of equal size. */
const rankBins = 16;

/** A column as whole numbers from 0, for counting: few levels as they are, many numbers by rank, missing as one more. */
export interface CountedColumn {
  readonly codes: Int32Array;
  readonly levels: number;
}

/** Of the chosen rows. */
export function counted(column: Column, rows: Uint32Array): CountedColumn {
  if (column.kind === "text") {
    const { codes, levels } = column;
    return { codes: Int32Array.from(rows, (row) => codes[row] + 1), levels: levels.length + 1 };
  }
  const values = Float64Array.from(rows, (row) => column.values[row]);
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const starts = Array.from(
    { length: rankBins - 1 },
    (_, j) => sorted[Math.floor(((j + 1) * sorted.length) / rankBins)],
  );
  const cuts = Float64Array.from([...new Set(starts)]);
  const codes = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    codes[i] = 1;
    for (let cut = 0; cut < cuts.length && values[i] >= cuts[cut]; cut++) codes[i]++;
  }
  return { codes, levels: cuts.length + 2 };
}

/**
 * How much of the uncertainty about the groups goes away when the column is known (Theil's U, I(column; groups) / H(groups)):
 * 0 is none, 1 is all of it. By chance alone I would be (a - 1)(b - 1) / 2n (Miller and Madow), which is taken off.
 */
export function uncertaintyRemoved(column: CountedColumn, groups: CountedColumn): number {
  const n = groups.codes.length;
  const table = new Float64Array(column.levels * groups.levels);
  for (let i = 0; i < n; i++) table[column.codes[i] * groups.levels + groups.codes[i]]++;
  const sums = (length: number, at: (cell: number) => number) => {
    const totals = new Float64Array(length);
    table.forEach((count, cell) => {
      totals[at(cell)] += count;
    });
    return totals;
  };
  const ofColumn = sums(column.levels, (cell) => Math.floor(cell / groups.levels));
  const ofGroups = sums(groups.levels, (cell) => cell % groups.levels);
  const entropy = (counts: Float64Array) =>
    counts.reduce((sum, count) => (count === 0 ? sum : sum - (count / n) * Math.log(count / n)), 0);
  const used = (counts: Float64Array) => counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  const uncertainty = entropy(ofGroups);
  if (!(uncertainty > 0)) return 0;
  const byChance = ((used(ofColumn) - 1) * (used(ofGroups) - 1)) / (2 * n);
  const shared = entropy(ofColumn) + uncertainty - entropy(table) - byChance;
  return Math.min(1, Math.max(0, shared / uncertainty));
}

/** How many different values a column has; missing ones are none. */
export function distinctCount(column: Column): number {
  if (column.kind === "text") return asLevels(column).levels.length;
  const sorted = column.values.slice().sort();
  let distinct = 0;
  for (let i = 0; i < sorted.length; i++) {
    // NaN stands last.
    if (Number.isNaN(sorted[i])) break;
    if (i === 0 || sorted[i] !== sorted[i - 1]) distinct++;
  }
  return distinct;
}
