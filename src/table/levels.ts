import { isSinglePrecision } from "./scale.js";
import { countMissing, recoded } from "./texts.js";
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
  const codeOf = new Map<number, number>();
  const codes = Int32Array.from(values, (value) => {
    if (Number.isNaN(value)) return -1;
    const code = codeOf.get(value) ?? codeOf.size;
    if (code === codeOf.size) codeOf.set(value, code);
    return code;
  });
  const sorted = Float64Array.from(codeOf.keys()).sort();
  const moved = new Int32Array(sorted.length);
  sorted.forEach((value, rank) => {
    moved[codeOf.get(value)!] = rank;
  });
  recoded(codes, moved);
  const write = isSinglePrecision(column) ? shortestSingle : String;
  return { kind: "text", name, codes, levels: Array.from(sorted, write), missing: countMissing(codes) };
}

/** The shortest decimal that reads back as the same 32-bit number: 0.1, not 0.10000000149011612. */
export function shortestSingle(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
