import { MoietyError } from "../errors.js";
import { type Cell, columnOf, tableOfColumns } from "./make.js";
import { dateOf } from "./spelling.js";
import type { Column, Table } from "./types.js";

/** What we need of a table of Apache Arrow (the JavaScript library's `Table` is one): no dependency, only its shape. */
export interface ArrowTable {
  readonly numRows: number;
  readonly schema: { readonly fields: readonly ArrowField[] };
  getChildAt(index: number): ArrowVector | null;
}

interface ArrowField {
  readonly name: string;
  readonly type: { readonly typeId: number; toString(): string };
}

interface ArrowVector {
  readonly length: number;
  readonly nullCount: number;
  get(index: number): unknown;
  toArray(): unknown;
  /** Where texts are decoded anew each time that they are asked for. */
  memoize?(): ArrowVector;
}

/** Arrow's own numbers for its types, which are part of its format. */
const types = { null: 1, int: 2, float: 3, text: 5, boolean: 6, decimal: 7, date: 8, timestamp: 10, largeText: 20 };
const dictionary = -1;

/** A table of Arrow as ours. Numbers without holes are taken as they are where they lie in one piece of single or double precision. */
export function tableFromArrow(table: ArrowTable): Table {
  if (typeof table?.getChildAt !== "function" || !Array.isArray(table.schema?.fields)) {
    throw new MoietyError("usage", "this is no table of Arrow: give one with a schema and getChildAt");
  }
  return tableOfColumns(
    table.schema.fields.map((field, at) => {
      const vector = table.getChildAt(at);
      if (vector === null) throw new MoietyError("input", `column '${field.name}' has no values: leave it out`);
      return columnFrom(field, vector);
    }),
  );
}

function columnFrom({ name, type }: ArrowField, vector: ArrowVector): Column {
  const cells = (cell: (value: unknown) => Cell) =>
    columnOf(
      name,
      Array.from({ length: vector.length }, (_, i) => nothingOr(vector.get(i), cell)),
    );
  switch (type.typeId) {
    case types.int:
    case types.float:
      return numbersFrom(name, vector);
    case types.decimal: {
      const scale = 10 ** ((type as { readonly scale?: number }).scale ?? 0);
      return cells((value) => Number(String(value)) / scale);
    }
    case types.date:
    case types.timestamp: {
      const column = cells((value) => instant(Number(value)));
      return column.kind === "text" ? { ...column, spells: "date" } : column;
    }
    case types.null:
    case types.text:
    case types.largeText:
    case types.boolean:
    case dictionary: {
      const remembered = vector.memoize?.() ?? vector;
      return columnOf(
        name,
        Array.from({ length: vector.length }, (_, i) => remembered.get(i) as Cell),
      );
    }
    default:
      throw new MoietyError(
        "input",
        `column '${name}' is of Arrow's type ${type}, which is no number, text, boolean or date: select the others`,
      );
  }
}

function numbersFrom(name: string, vector: ArrowVector): Column {
  const whole = vector.nullCount === 0 ? vector.toArray() : undefined;
  if (whole instanceof Float64Array || whole instanceof Float32Array) return columnOf(name, whole);
  const values: Cell[] = Array.from({ length: vector.length }, (_, i) => vector.get(i) as Cell);
  return columnOf(name, values);
}

function nothingOr(value: unknown, cell: (value: unknown) => Cell): Cell {
  return value === null || value === undefined ? null : cell(value);
}

const millisecondsPerDay = 86_400_000;

/** A date, with its time where it has one, from milliseconds since 1970. */
function instant(milliseconds: number): string {
  const day = Math.floor(milliseconds / millisecondsPerDay);
  const rest = milliseconds - day * millisecondsPerDay;
  if (rest === 0) return dateOf(day);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const seconds = (rest / 1000) % 60;
  return `${dateOf(day)}T${two(rest / 3_600_000)}:${two((rest / 60_000) % 60)}:${two(seconds)}${(seconds % 1).toFixed(3).slice(1)}Z`;
}
