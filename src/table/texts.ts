import { sortBytes } from "./order.js";
import type { TextColumn } from "./types.js";

/** A text column whose levels are in byte order, so that codes do not depend on the order of rows. Codes change in place. */
export function sortedText(name: string, codes: Int32Array, texts: readonly string[], missing: number): TextColumn {
  const levels = sortBytes([...texts]);
  if (isSame(levels, texts)) return { kind: "text", name, codes, levels, missing };
  const rank = new Map(levels.map((level, i) => [level, i]));
  const moved = Int32Array.from(texts, (text) => rank.get(text)!);
  return { kind: "text", name, codes: recoded(codes, moved), levels, missing };
}

/** Ids are often in order as they come, and there are many of them. */
export function isSame(levels: readonly string[], texts: readonly string[]): boolean {
  return levels.every((level, i) => level === texts[i]);
}

export function countMissing(codes: Int32Array): number {
  return codes.reduce((count, code) => count + (code < 0 ? 1 : 0), 0);
}

/** The column without some of its levels: their cells are missing. */
export function withoutLevels<T extends TextColumn>(column: T, isGone: (level: string, code: number) => boolean): T {
  const gone = column.levels.map(isGone);
  if (!gone.includes(true)) return column;
  let kept = 0;
  const moved = Int32Array.from(gone, (each) => (each ? -1 : kept++));
  const codes = recoded(column.codes.slice(), moved);
  return { ...column, codes, levels: column.levels.filter((_, code) => !gone[code]), missing: countMissing(codes) };
}

/** The column without the levels that no cell has. */
export function withOccurring<T extends TextColumn>(column: T): T {
  const occurs = new Uint8Array(column.levels.length);
  for (const code of column.codes) if (code >= 0) occurs[code] = 1;
  return withoutLevels(column, (_, code) => occurs[code] === 0);
}

/** The codes after their levels have moved. They change in place. */
export function recoded(codes: Int32Array, moved: Int32Array): Int32Array {
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = moved[codes[i]];
  return codes;
}
