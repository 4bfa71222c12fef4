import { MoietyError } from "../errors.js";
import { isNumberText, numbersOf } from "./levels.js";
import type { Column, NumericColumn, TextColumn } from "./types.js";

/** Up to this many different values a text column is likely to be a category. */
const fewLevels = 50;

/** NaN and infinity are not missing values but broken ones: no rule may paper over them. */
export function checkFinite(columns: readonly Column[]): void {
  for (const column of columns) {
    if (column.kind === "numeric" && column.notFinite > 0) {
      const advice = "repair them or leave the column out";
      throw new MoietyError(
        "input",
        `column '${column.name}' has ${cells(column.notFinite)} with NaN or infinity; ${advice}`,
      );
    }
  }
}

export function checkMissing(columns: readonly Column[], advice: string): void {
  for (const column of columns) {
    if (column.missing > 0) {
      const noun = column.missing === 1 ? "value" : "values";
      throw new MoietyError("input", `column '${column.name}' has ${column.missing} missing ${noun}; ${advice}`);
    }
  }
}

/** The column as numbers, or an error that says how many cells are none and where the first is, but not what it holds. */
export function numericColumn(column: Column): NumericColumn {
  if (column.kind === "numeric") return column;
  const values = numbersOf(column);
  if (values === undefined) throw notNumeric(column);
  return { kind: "numeric", name: column.name, values, missing: column.missing, notFinite: 0 };
}

function notNumeric(column: TextColumn): MoietyError {
  const { name, codes, levels } = column;
  if (levels.length === 0) return new MoietyError("input", `column '${name}' has no values at all; leave it out`);
  const bad = levels.map((level) => !isNumberText(level));
  let count = 0;
  let first = -1;
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < 0 || !bad[codes[i]]) continue;
    count++;
    if (first < 0) first = i;
  }
  const advice =
    levels.length <= fewLevels
      ? `use --categorical ${name} if it is a category`
      : "repair them or leave the column out";
  const verb = count === 1 ? "is not a number" : "are not numbers";
  return new MoietyError(
    "input",
    `column '${name}' is not numeric: ${cells(count)} ${verb}, the first in row ${first}; ${advice}`,
  );
}

function cells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}
