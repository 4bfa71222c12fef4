import { MoietyError } from "../errors.js";
import { asLevels } from "./levels.js";
import { gather } from "./scale.js";
import { unknownName } from "./suggest.js";
import type { Column, Table } from "./types.js";

/** The table of the rows whose id is among these, as if no others had ever been there. */
export function tableAmong(table: Table, id: string, among: Iterable<string>): Table {
  const named = table.columns.find(({ name }) => name === id);
  if (!named) {
    const names = table.columns.map(({ name }) => name);
    throw new MoietyError("input", unknownName("column", id, names));
  }
  const { codes, levels } = asLevels(named);
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
    const place = new Int32Array(column.levels.length);
    for (const code of codes) if (code >= 0) place[code] = 1;
    const levels = column.levels.filter((_, code) => place[code] === 1);
    for (let code = 0, next = 0; code < place.length; code++) if (place[code] === 1) place[code] = next++;
    const moved = codes.map((code) => (code < 0 ? code : place[code]));
    return { ...column, codes: moved, levels, missing: codes.reduce((gaps, code) => gaps + (code < 0 ? 1 : 0), 0) };
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
