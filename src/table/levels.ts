import { isSinglePrecision } from "./scale.js";
import type { Column, ColumnKind, TextColumn } from "./types.js";

/** What a column was judged to hold. Text that spells numbers, in a source that calls it text, is text. */
export function kindOf(column: Column): ColumnKind {
  if (column.kind === "numeric") return "numeric";
  return column.spells === "boolean" || column.spells === "date" ? column.spells : "text";
}

/**
 * Any column as codes into levels, so that coded numbers (0/1, iSex) can be groups or categories. A number's level is
 * its shortest decimal text, and levels are in the order of the numbers. NaN is missing.
 */
export function asLevels(column: Column): TextColumn {
  if (column.kind === "text") return column;
  const { values, name } = column;
  const seen = new Map<number, number>();
  const codes = new Int32Array(values.length);
  let missing = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) {
      codes[i] = -1;
      missing++;
      continue;
    }
    let code = seen.get(value);
    if (code === undefined) {
      code = seen.size;
      seen.set(value, code);
    }
    codes[i] = code;
  }
  const firstSeen = Float64Array.from(seen.keys());
  const sorted = Float64Array.from(firstSeen).sort();
  const rank = new Map<number, number>();
  for (let i = 0; i < sorted.length; i++) rank.set(sorted[i], i);
  const moved = Int32Array.from(firstSeen, (value) => rank.get(value)!);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = moved[codes[i]];
  const write = isSinglePrecision(column) ? shortestSingle : String;
  return { kind: "text", name, codes, levels: Array.from(sorted, write), missing };
}

/** The shortest decimal that reads back as the same 32-bit number: 0.1, not 0.10000000149011612. */
export function shortestSingle(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
