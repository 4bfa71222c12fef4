import type { Table } from "../../table/index.js";

/** People whose numbers follow from their row. */
export function invented(rows: number, columns: Readonly<Record<string, (row: number) => number>>): Table {
  return {
    rows,
    columns: Object.entries(columns).map(([name, value]) => {
      const values = Float64Array.from({ length: rows }, (_, row) => value(row));
      return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
    }),
  };
}
