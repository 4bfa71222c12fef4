import { MoietyError } from "../errors.js";
import { type Cell, columnOf, tableOfColumns } from "./make.js";
import { instantOf } from "./spelling.js";
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
const wrongType = "only numbers, texts, booleans and dates can be read; select the others";

/** A table of Arrow as ours. Numbers without holes are taken as they are where they lie in one piece of single or double precision. */
export function tableFromArrow(table: ArrowTable): Table {
  if (typeof table?.getChildAt !== "function" || !Array.isArray(table.schema?.fields)) {
    throw new MoietyError("usage", "this is not an Arrow table: give one with a schema and getChildAt");
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
  const cells = (cell: (value: unknown) => Cell, from = vector) => {
    const values = Array.from({ length: from.length }, (_, i) => from.get(i) ?? null);
    return columnOf(
      name,
      values.map((value) => (value === null ? null : cell(value))),
    );
  };
  switch (type.typeId) {
    case types.int:
    case types.float: {
      const whole = vector.nullCount === 0 ? vector.toArray() : undefined;
      if (whole instanceof Float64Array || whole instanceof Float32Array) return columnOf(name, whole);
      return cells((value) => value as Cell);
    }
    case types.decimal: {
      const scale = 10 ** ((type as { readonly scale?: number }).scale ?? 0);
      return cells((value) => Number(String(value)) / scale);
    }
    case types.date:
    case types.timestamp: {
      const column = cells((value) => instantOf(Number(value)));
      return column.kind === "text" ? { ...column, spells: "date" } : column;
    }
    case types.null:
    case types.text:
    case types.largeText:
    case types.boolean:
    case dictionary:
      return cells((value) => value as Cell, vector.memoize?.());
    default:
      throw new MoietyError("input", `column '${name}' is of Arrow's type ${type}: ${wrongType}`);
  }
}
