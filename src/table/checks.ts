import { MoietyError } from "../errors.js";
import { mostNamedCells, numbersOf } from "./judge.js";
import { isMissingMark, isNumber } from "./spelling.js";
import type { Column, NumericColumn, TextColumn } from "./types.js";

/** Up to this many different values a text column is likely to be a category. */
const mostCategories = 50;

/** Infinity is not a missing value but a broken one: no rule may paper over it. */
export function checkFinite(columns: readonly Column[]): void {
  for (const column of columns) {
    if (column.kind === "numeric") checkFiniteCells(column.name, column.notFinite);
  }
}

export function checkFiniteCells(name: string, notFinite: number): void {
  if (notFinite === 0) return;
  const advice = "repair them or leave the column out";
  throw new MoietyError("input", `column '${name}' has ${cells(notFinite)} with infinity; ${advice}`);
}

export function checkMissing(columns: readonly Column[], advice: string): void {
  for (const column of columns) {
    if (column.missing > 0) {
      const noun = column.missing === 1 ? "value" : "values";
      throw new MoietyError("input", `column '${column.name}' has ${column.missing} missing ${noun}; ${advice}`);
    }
  }
}

/** What looks like numbers and cannot be read as such may not be left out in silence. */
export function checkDoubts(columns: readonly Column[]): void {
  const doubtful = columns.filter((column) => column.kind === "text" && column.doubt !== undefined);
  if (doubtful.length > 0) throw unreadable(doubtful[0] as TextColumn, doubtful.length - 1);
}

/** The column as numbers, or an error that says which cells are none. */
export function numericColumn(column: Column): NumericColumn {
  const numbers = column.kind === "numeric" ? column : numbersOf(column);
  if (numbers === undefined) throw unreadable(column as TextColumn);
  return numbers;
}

/**
 * Why a column is not one of numbers. Cells are named by their places, since what they hold is people's. `others` is given for
 * a column that nobody has named, with the number of those that are in doubt as well.
 */
function unreadable(column: TextColumn, others?: number): MoietyError {
  const { name, codes, levels, doubt, odd: counted } = column;
  if (doubt === "marks" && levels.length === 0) return twoWays(name, "its commas and points", "");
  if (counted) return looksNumeric(name, counted, counted.cells === 1 ? "is not a number" : "are not numbers", others);
  if (levels.length === 0) return new MoietyError("input", `column '${name}' has no values at all; leave it out`);
  const also = others ? `; ${others === 1 ? "1 other column is" : `${others} other columns are`} in doubt too` : "";
  const odd = rowsOf(column, (level) => !isNumber(level, "point"));
  const oddWithCommas = rowsOf(column, (level) => !isNumber(level, "comma"));
  const fewer = odd.length <= oddWithCommas.length ? odd : oddWithCommas;
  if (fewer.length === 0) {
    const places = listed(column.notNumbers ?? namesOf(rowsOf(column, (level) => /[.,]/.test(level))));
    return twoWays(name, `the commas and points in ${places}`, also);
  }
  const places = [...(column.notNumbers ?? namesOf(fewer)), ...(fewer.length > mostNamedCells ? ["others"] : [])];
  const verb = `(${listed(places)}) ${fewer.length === 1 ? "is not a number" : "are not numbers"}`;
  if (doubt === undefined) {
    const few = `use \`categorical: ${name}\` if it is a category`;
    const advice = levels.length <= mostCategories ? few : "name what is missing with `na`, or leave the column out";
    return new MoietyError("input", `column '${name}' is not numeric: ${cells(fewer.length)} ${verb}; ${advice}`);
  }
  const present = codes.reduce((count, code) => count + (code < 0 ? 0 : 1), 0);
  return looksNumeric(name, { cells: fewer.length, of: present }, verb, others, also);
}

function twoWays(name: string, marks: string, also: string): MoietyError {
  const seen = `${marks} may stand before decimals or between thousands`;
  const advice = "say `decimal: point` or `decimal: comma`";
  return new MoietyError("input", `column '${name}' could be read in two ways: ${seen}; ${advice}${also}`);
}

function looksNumeric(
  name: string,
  { cells, of }: NonNullable<TextColumn["odd"]>,
  verb: string,
  others: number | undefined,
  also = "",
): MoietyError {
  const remedies = `name what is missing with \`na\`, use \`categorical: ${name}\``;
  const advice = others === undefined ? `${remedies}, or leave the column out` : `${remedies}, or \`exclude: ${name}\``;
  return new MoietyError(
    "input",
    `column '${name}' looks numeric, but ${cells} of its ${of} cells ${verb}; ${advice}${also}`,
  );
}

/** The rows whose cells are there and odd. */
function rowsOf({ codes, levels }: TextColumn, isOdd: (level: string) => boolean): number[] {
  const odd = levels.map((level) => !isMissingMark(level) && isOdd(level));
  const rows: number[] = [];
  for (let row = 0; row < codes.length; row++) if (odd[codes[row]]) rows.push(row);
  return rows;
}

/** Of a table that no spreadsheet shows, by the numbers that labels have too. */
function namesOf(rows: readonly number[]): string[] {
  return rows.slice(0, mostNamedCells).map((row) => `row ${row}`);
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

function cells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}
