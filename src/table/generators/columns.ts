import { sortedText } from "../texts.js";
import type { NumericColumn, TextColumn } from "../types.js";

export function numeric(name: string, values: Float64Array | Float32Array): NumericColumn {
  return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
}

/** A text column from codes into texts in any order. */
export function text(name: string, codes: ArrayLike<number>, texts: readonly string[]): TextColumn {
  return withOccurring(sortedText(name, Int32Array.from(codes), texts, 0));
}

/** Levels that nobody has would not come back from a file, so they are not there to begin with. */
function withOccurring(column: TextColumn): TextColumn {
  const { codes, levels } = column;
  const occurs = new Uint8Array(levels.length);
  for (let i = 0; i < codes.length; i++) occurs[codes[i]] = 1;
  if (occurs.every((flag) => flag === 1)) return column;
  const moved = new Int32Array(levels.length);
  let next = 0;
  for (let i = 0; i < levels.length; i++) if (occurs[i] === 1) moved[i] = next++;
  return { ...column, codes: codes.map((code) => moved[code]), levels: levels.filter((_, i) => occurs[i] === 1) };
}

/** c00, c01, …: names that sort as they count, and that no reader takes for numbers. */
export function counted(prefix: string, count: number): string[] {
  const digits = Math.max(1, String(count - 1).length);
  return Array.from({ length: count }, (_, i) => prefix + String(i).padStart(digits, "0"));
}
