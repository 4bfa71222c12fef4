import { whyNoFeature } from "./choose.js";
import type { DescribedColumn, Plausible } from "./describe.js";
import { absentRows } from "./rows.js";
import type { Column, PeopleOptions, Table } from "./types.js";

/** What could be asked for. */
export type Suggestion = Pick<PeopleOptions, "categorical" | "exclude" | "protect" | "id" | "missing">;

/** A first request that works; null where there is nothing to cluster by. */
export function suggestionOf(
  table: Table,
  described: readonly DescribedColumn[],
  protect: readonly Plausible[],
  id: Column | undefined,
): Suggestion | null {
  const ofRole = (role: DescribedColumn["role"]) => table.columns.filter((_, at) => described[at].role === role);
  const features = ofRole("feature");
  const excluded = ofRole("left out").filter(isInTheWay);
  // Without numbers, texts of few values are all there is to tell people apart by.
  const categorical =
    features.length > 0
      ? []
      : table.columns.filter((_, at) => described[at].role === "left out" && described[at].groups);
  if (features.length + categorical.length === 0) return null;
  const holes = [...features, ...categorical, ...protect.map(({ column }) => column)].filter(
    ({ missing }) => missing > 0,
  );
  // Many small holes add up: the largest go first, until half of the people stay.
  const costly = holes.filter((column) => features.includes(column)).sort((a, b) => a.missing - b.missing);
  while (costly.length > 0 && features.length > 1 && 2 * completeRows(table, holes) < table.rows) {
    const worst = costly.pop()!;
    holes.splice(holes.indexOf(worst), 1);
    features.splice(features.indexOf(worst), 1);
    excluded.push(worst);
  }
  const absent = absentRows(table.rows, holes);
  const varied = categorical.filter((column) => varies(column, absent));
  if (features.length + varied.length === 0) return null;
  const names = (columns: readonly Column[]) => columns.map(({ name }) => name);
  return {
    ...(protect.length > 0 ? { protect: protect.map(({ spec }) => spec) } : {}),
    ...(varied.length > 0 ? { categorical: names(varied) } : {}),
    ...(excluded.length > 0 ? { exclude: names(excluded) } : {}),
    ...(id ? { id: id.name } : {}),
    ...(holes.length > 0 ? { missing: "drop" as const } : {}),
  };
}

/** Whether a column would be taken for a feature, or for one that cannot be read, unless it is excluded. */
function isInTheWay(column: Column): boolean {
  if (column.kind === "text") return column.doubt !== undefined;
  const isConstant = column.missing === 0 && column.values.every((value) => value === column.values[0]);
  return whyNoFeature(column) === "" && !isConstant;
}

/** Whether a column has two values or more among the rows that are left when some are absent. */
function varies(column: Column, absent: Uint8Array): boolean {
  const values = column.kind === "text" ? column.codes : column.values;
  const first = absent.indexOf(0);
  return values.some((value, row) => absent[row] === 0 && value !== values[first]);
}

function completeRows({ rows }: Table, holes: readonly Column[]): number {
  return rows - absentRows(rows, holes).reduce((count, each) => count + each, 0);
}
