import { sortedText, withOccurring } from "../texts.js";
import type { Column, NumericColumn, TextColumn } from "../types.js";

/** The next rows of an invented table, which is drawn from the first row on without a gap: `first` is how many there were. */
export type Draw = (first: number, count: number) => Column[];

export function numeric(name: string, values: Float64Array | Float32Array): NumericColumn {
  return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
}

/** A text column from codes into texts in any order. Levels that nobody has would not come back from a file: they are left out. */
export function text(name: string, codes: ArrayLike<number>, texts: readonly string[]): TextColumn {
  return withOccurring(sortedText(name, Int32Array.from(codes), texts, 0));
}

/** c00, c01, …: names that sort as they count, and that no reader takes for numbers. */
export function counted(prefix: string, count: number): string[] {
  const digits = Math.max(1, String(count - 1).length);
  return Array.from({ length: count }, (_, i) => prefix + String(i).padStart(digits, "0"));
}
