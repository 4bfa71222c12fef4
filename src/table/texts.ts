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

/** The codes after their levels have moved. They change in place. */
export function recoded(codes: Int32Array, moved: Int32Array): Int32Array {
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = moved[codes[i]];
  return codes;
}
