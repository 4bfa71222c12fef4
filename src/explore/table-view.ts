import { defined } from "../defined.js";
import { describeColumns, type Predictor, proxiesOf } from "../table/describe.js";
import { idLikeness } from "../table/ids.js";
import type { Column, Table } from "../table/types.js";
import { histogramOf } from "./histogram.js";
import type { ColumnRole, ColumnRoles, ColumnView, TableView } from "./questions.js";
import { attributeOf, named } from "./roles.js";

/** What a table holds, and the part that each column would play. */
export function tableView(table: Table): Omit<TableView, "name" | "inEngine" | "hasSecret"> {
  const { columns, warnings, suggestion, rows } = describeColumns(table);
  const suggested = new Set(suggestion?.categorical ?? []);
  const excluded = new Set(suggestion?.exclude ?? []);
  const proposed = (column: (typeof columns)[number]): ColumnRole => {
    if (column.role === "protect") return "protected";
    if (column.role === "id") return "id";
    if (suggested.has(column.name)) return "category";
    return column.role === "feature" && !excluded.has(column.name) ? "feature" : "left out";
  };
  return {
    rows,
    columns: columns.map((column, at) => ({
      ...column,
      proposed: proposed(column),
      ...defined({ histogram: histogramOf(table.columns[at]), doubt: doubtOf(table.columns[at]) }),
    })),
    warnings,
    dropMissing: suggestion?.missing === "drop",
  };
}

function doubtOf(column: Column): ColumnView["doubt"] {
  if (column.kind === "text" && column.doubt !== undefined) return "numbers";
  return idLikeness(column) === undefined ? undefined : "id";
}

/** Columns in use that tell much about a protected one. */
export function proxiesIn(table: Table, roles: ColumnRoles): readonly Predictor[] {
  const used = [...named(roles, "feature"), ...named(roles, "category")];
  return proxiesOf(
    table,
    used,
    named(roles, "protected").map((name) => attributeOf(table, name)),
  );
}
