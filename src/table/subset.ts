import { columnFinder } from "./choose.js";
import { asLevels } from "./levels.js";
import { gather } from "./scale.js";
import { countMissing, withOccurring } from "./texts.js";
import type { Column, Table } from "./types.js";

/** The table of the rows whose id is among these, as if no others had ever been there. */
export function tableAmong(table: Table, id: string, among: Iterable<string>): Table {
  const { codes, levels } = asLevels(columnFinder(table)(id));
  const wanted = new Set(among);
  const isWanted = Uint8Array.from(levels, (level) => (wanted.has(level) ? 1 : 0));
  const rows = Uint32Array.from(codes.keys()).filter((row) => isWanted[codes[row]] === 1);
  return tableOfRows(table, rows);
}

/** These rows, in this order. */
export function tableOfRows(table: Table, rows: Uint32Array): Table {
  return { ...table, rows: rows.length, columns: table.columns.map((column) => chosen(column, rows)) };
}

function chosen(column: Column, rows: Uint32Array): Column {
  if (column.kind === "text") {
    const codes = Int32Array.from(rows, (row) => column.codes[row]);
    return withOccurring({ ...column, codes, missing: countMissing(codes) });
  }
  const values = gather(column, rows);
  if (column.missing + column.notFinite === 0) return { ...column, values };
  let gaps = 0;
  for (const value of values) if (!Number.isFinite(value)) gaps++;
  // A broken number cannot be told from a missing one any more: where there were any, all gaps are refused as broken.
  return column.notFinite === 0
    ? { ...column, values, missing: gaps }
    : { ...column, values, missing: 0, notFinite: gaps };
}
