import { MoietyError } from "../errors.js";
import { numbersOf } from "./judge.js";
import { asLevels, kindOf } from "./levels.js";
import { type Cuts, type GivenCuts, groupNames, type ProtectedPart } from "./protect.js";
import { gather } from "./scale.js";
import type { Column, NumericColumn, TextColumn } from "./types.js";

/** A column of a protected attribute as groups, and where it was cut. */
export interface GroupedColumn {
  readonly column: TextColumn;
  readonly part: ProtectedPart;
}

/** Quantiles are those of the chosen rows; what they say is then applied to every row. */
export function groupedColumn(column: Column, cuts: Cuts | undefined, rows: Uint32Array): GroupedColumn {
  if (cuts === undefined) return { column: asLevels(column), part: { column: column.name } };
  const { kind, values, missing } = numbersToCut(column, cuts);
  const at = cuts.kind === "quantiles" ? quantileCuts(column.name, gather({ values }, rows), cuts) : cuts.at;
  const codes = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) codes[i] = Number.isNaN(values[i]) ? -1 : groupOf(values[i], at);
  const grouped: TextColumn = { kind: "text", name: column.name, codes, levels: groupNames({ kind, at }), missing };
  return { column: grouped, part: { column: column.name, cuts: { kind, at } } };
}

/** What there is to cut: numbers, or dates as whole days. */
function numbersToCut(column: Column, cuts: Cuts): Pick<NumericColumn, "values" | "missing"> & Pick<GivenCuts, "kind"> {
  const kind = kindOf(column) === "date" ? "dates" : "numbers";
  const wanted = cuts.kind === "quantiles" ? kind : cuts.kind;
  if (wanted !== kind) {
    const advice =
      kind === "dates"
        ? `holds dates: cut it at dates, such as ${column.name}:1980-01-01`
        : `holds no dates: cut it at numbers, such as ${column.name}:25,40,65`;
    throw new MoietyError("input", `column '${column.name}' ${advice}`);
  }
  const numbers = kindOf(column) === "boolean" ? undefined : column.kind === "numeric" ? column : numbersOf(column);
  if (numbers === undefined) {
    throw new MoietyError("input", `column '${column.name}' is not numeric, and cannot be cut: leave the cuts out`);
  }
  const { values, missing } = numbers;
  return { kind, values: kind === "dates" ? values.map(Math.floor) : values, missing };
}

/** How many cuts are at or below the value: there are few of them. */
function groupOf(value: number, cuts: readonly number[]): number {
  let group = 0;
  while (group < cuts.length && cuts[group] <= value) group++;
  return group;
}

function quantileCuts(name: string, values: Float64Array | Float32Array, cuts: Cuts & { kind: "quantiles" }) {
  const sorted = values.sort();
  const different: number[] = [];
  const counts: number[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) {
      different.push(sorted[i]);
      counts.push(0);
    }
    counts[counts.length - 1]++;
  }
  return quantilesOf(name, different, counts, cuts);
}

/**
 * The values at which groups of nearly equal size begin, of so many people of each value, ascending: of two places beside
 * equal values, the one nearer to even.
 */
export function quantilesOf(
  name: string,
  values: readonly number[],
  counts: readonly number[],
  { word, groups }: Cuts & { kind: "quantiles" },
): number[] {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const starts: number[] = [];
  let [at, first] = [0, 0];
  for (let j = 1; j < groups; j++) {
    const even = (j * n) / groups;
    while (at < values.length - 1 && first + counts[at] <= Math.floor(even)) first += counts[at++];
    const next = first + counts[at];
    const below = at > 0 && (next === n || even - first <= next - even);
    starts.push(below ? at : at + 1);
  }
  if (starts.some((start, j) => start <= (starts[j - 1] ?? 0) || start >= values.length)) {
    const advice = `give cuts, such as ${name}:25,40,65`;
    throw new MoietyError("input", `'${name}:${word}' cannot be made: too many people have the same value; ${advice}`);
  }
  return starts.map((start) => values[start]);
}
