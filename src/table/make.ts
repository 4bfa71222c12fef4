import { MoietyError } from "../errors.js";
import { judge } from "./judge.js";
import { instantOf } from "./spelling.js";
import { sortedText } from "./texts.js";
import type { Column, NumericColumn, Table } from "./types.js";

/** What a cell of a table may be. Null, undefined, NaN and empty text are missing. */
export type Cell = number | bigint | string | boolean | Date | null | undefined;

/** A column as an array: of numbers, typed or not, or of cells of one kind. */
export type ColumnData = Float64Array | Float32Array | ArrayLike<number> | ArrayLike<bigint> | ArrayLike<Cell>;

/** A table of objects that have a cell for each column; a column that some do not have is missing there. */
export function tableFromRecords(records: Iterable<Readonly<Record<string, Cell>>>): Table {
  if (typeof (records as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== "function") {
    throw new MoietyError("usage", `records are ${typeOf(records)}: give an array of objects, one for each row`);
  }
  return tableOfColumns(Array.from(cellsByColumn(records), ([name, cells]) => columnOf(name, cells)));
}

/** The cells of each column, in rows of objects; undefined where an object does not have it. */
export function cellsByColumn<Value>(records: Iterable<Readonly<Record<string, Value>>>): Map<string, Value[]> {
  const collected = new Map<string, Value[]>();
  let rows = 0;
  for (const record of records) {
    if (typeof record !== "object" || record === null || Array.isArray(record)) {
      throw new MoietyError("input", `row ${rows} is ${typeOf(record)}: give an object with a cell for each column`);
    }
    for (const [name, cell] of Object.entries(record)) {
      const cells = collected.get(name) ?? [];
      collected.set(name, cells);
      cells[rows] = cell;
    }
    rows++;
  }
  // A column that its last rows do not have is as long as the others.
  for (const cells of collected.values()) cells.length = rows;
  return collected;
}

/**
 * A table of whole columns by name. Float64Array and Float32Array are taken as they are, without a copy, with NaN where a
 * value is missing; other arrays are copied.
 */
export function tableFromColumns(
  columns: Readonly<Record<string, ColumnData>> | ReadonlyMap<string, ColumnData>,
): Table {
  if (typeof columns !== "object" || columns === null || Array.isArray(columns) || ArrayBuffer.isView(columns)) {
    const advice = "give an object of arrays, such as { age: [31, 45] }";
    throw new MoietyError("usage", `columns are ${typeOf(columns)}: ${advice}`);
  }
  const entries: [string, ColumnData][] = columns instanceof Map ? [...columns] : Object.entries(columns);
  return tableOfColumns(entries.map(([name, data]) => columnOf(name, data)));
}

export function tableOfColumns(columns: readonly Column[]): Table {
  if (columns.length === 0) throw new MoietyError("input", "the table has no columns: give at least one");
  const [first] = columns;
  const rows = lengthOf(first);
  for (const column of columns) {
    if (lengthOf(column) === rows) continue;
    const other = `column '${column.name}' has ${lengthOf(column)}`;
    throw new MoietyError("input", `column '${first.name}' has ${rows} rows and ${other}: give as many for each`);
  }
  if (rows === 0) throw new MoietyError("input", "the table has no rows: give at least one");
  return { rows, columns };
}

function lengthOf(column: Column): number {
  return column.kind === "text" ? column.codes.length : column.values.length;
}

/** A column of whatever kind its cells are, all of them the same. */
export function columnOf(name: string, data: ColumnData): Column {
  if (data instanceof Float64Array || data instanceof Float32Array) return numberColumn(name, data);
  if (typeof data !== "object" || data === null || typeof data.length !== "number") {
    throw new MoietyError("input", `column '${name}' is ${typeOf(data)}: give an array`);
  }
  const { kind, first } = kindIn(name, data);
  if (kind === "number") return numberColumn(name, numbersIn(name, data, first));
  const codes = new Int32Array(data.length);
  const codeOf = new Map<string, number>();
  let missing = 0;
  for (let i = 0; i < data.length; i++) {
    const cell = data[i];
    if (isMissing(cell)) {
      codes[i] = -1;
      missing++;
      continue;
    }
    if (typeOf(cell) !== first.type) throw mixed(name, first, { type: typeOf(cell), row: i });
    const text = textOf(name, cell as Exclude<Cell, null | undefined>, i);
    const code = codeOf.get(text) ?? codeOf.size;
    codeOf.set(text, code);
    codes[i] = code;
  }
  const column = sortedText(name, codes, [...codeOf.keys()], missing);
  if (kind === "text") return judge(column, true).column;
  return { ...column, spells: kind };
}

type CellKind = "number" | "text" | "boolean" | "date";

/** A cell that is there: what it is, and in which row. */
interface Place {
  readonly type: string;
  readonly row: number;
}

/** What the first cell is that is there; a column without any is one of numbers, all of them missing. */
function kindIn(name: string, data: ArrayLike<unknown>): { kind: CellKind; first: Place } {
  for (let row = 0; row < data.length; row++) {
    if (isMissing(data[row])) continue;
    const type = typeOf(data[row]);
    const kind = kinds[type];
    if (kind === undefined) {
      const advice = "give numbers, texts, booleans, dates or null";
      throw new MoietyError("input", `column '${name}' holds ${type} in row ${row}: ${advice}`);
    }
    return { kind, first: { type, row } };
  }
  return { kind: "number", first: { type: "a number", row: 0 } };
}

/** What all cells are that are there; undefined where there are none, or of several kinds, or of one that no column has. */
export function kindOfCells(cells: ArrayLike<unknown>): CellKind | undefined {
  const found = new Set<CellKind | undefined>();
  for (let i = 0; i < cells.length; i++) if (!isMissing(cells[i])) found.add(kinds[typeOf(cells[i])]);
  return found.size === 1 ? [...found][0] : undefined;
}

const kinds: Readonly<Record<string, CellKind>> = {
  "a number": "number",
  "a bigint": "number",
  text: "text",
  "a boolean": "boolean",
  "a date": "date",
};

function isMissing(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === "" || (typeof cell === "number" && Number.isNaN(cell));
}

function numbersIn(name: string, data: ArrayLike<unknown>, first: Place): Float64Array {
  const values = new Float64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const cell = data[i];
    if (typeof cell === "number") values[i] = cell;
    else if (typeof cell === "bigint") values[i] = exact(name, cell, i);
    else if (isMissing(cell)) values[i] = Number.NaN;
    else throw mixed(name, { type: "a number", row: first.row }, { type: typeOf(cell), row: i });
  }
  return values;
}

function exact(name: string, cell: bigint, row: number): number {
  const value = Number(cell);
  if (Number.isSafeInteger(value)) return value;
  throw new MoietyError("input", `column '${name}' has a number too large to be exact in row ${row}: give it as text`);
}

function numberColumn(name: string, values: Float64Array | Float32Array): NumericColumn {
  let missing = 0;
  let notFinite = 0;
  for (const value of values) {
    if (Number.isNaN(value)) missing++;
    else if (value - value !== 0) notFinite++;
  }
  return { kind: "numeric", name, values, missing, notFinite };
}

/** As a file would spell it. */
function textOf(name: string, cell: Exclude<Cell, null | undefined>, row: number): string {
  if (!(cell instanceof Date)) return String(cell);
  if (Number.isNaN(cell.getTime())) {
    throw new MoietyError("input", `column '${name}' has an invalid date in row ${row}: repair it, or give null`);
  }
  return instantOf(cell.getTime());
}

function mixed(name: string, one: Place, other: Place): MoietyError {
  const seen = `${one.type} in row ${one.row} and ${other.type} in row ${other.row}`;
  return new MoietyError("input", `column '${name}' holds ${seen}: make them all of one kind`);
}

/** A word for what something is, never what it says. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "a date";
  const words: Record<string, string> = { string: "text", object: "an object" };
  return words[typeof value] ?? `a ${typeof value}`;
}
