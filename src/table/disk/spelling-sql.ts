import { type DecimalMark, missingMarks, patterns, removed } from "../spelling.js";
import { quoteText } from "./engine.js";

/** Whether a cell is missing in a column of numbers, as SQL; `na` are the user's own words for it. */
export function missingSql(cell: string, na: readonly string[]): string {
  const list = (texts: Iterable<string>) => Array.from(texts, quoteText).join(", ");
  const marked = `${cell} IS NULL OR lower(trim(${cell})) IN (${list(missingMarks)})`;
  return na.length === 0 ? `(${marked})` : `(${marked} OR trim(${cell}) IN (${list(na)}))`;
}

export function isNumberSql(cell: string, mark: DecimalMark): string {
  return `regexp_full_match(${cell}, ${quoteText(patterns[mark])})`;
}

/** The number that the engine takes a cell for; to it alone 1_000 is a number. */
export function plainNumberSql(cell: string): string {
  return `CASE WHEN strpos(${cell}, '_') = 0 THEN TRY_CAST(${cell} AS DOUBLE) END`;
}

/** The number in a cell as SQL: NULL where it is missing, and a conversion error where it is anything else. */
export function numberSql(cell: string, mark: DecimalMark, na: readonly string[]): string {
  const [from, to] = mark === "comma" ? [`,${removed.comma}`, "."] : [removed.point, ""];
  const written =
    `CASE WHEN ${missingSql(cell, na)} THEN NULL` +
    ` WHEN ${isNumberSql(cell, mark)}` +
    ` THEN CAST(translate(${cell}, ${quoteText(from)}, ${quoteText(to)}) AS DOUBLE)` +
    ` ELSE CAST(concat('?', ${cell}) AS DOUBLE) END`;
  // Most cells are plain, and patterns take longer than numbers. A point may not pass for a decimal one beside commas.
  const plain =
    mark === "point"
      ? plainNumberSql(cell)
      : `CASE WHEN strpos(${cell}, '.') = 0 THEN ${plainNumberSql(`replace(${cell}, ',', '.')`)} END`;
  return `coalesce(${plain}, ${written})`;
}
