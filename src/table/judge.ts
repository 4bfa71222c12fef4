import { isSinglePrecision } from "./scale.js";
import { booleanIn, type DecimalMark, dateIn, isMissingMark, isNumber, numberIn } from "./spelling.js";
import { withoutLevels } from "./texts.js";
import type { Column, NumericColumn, TextColumn } from "./types.js";

/** How many of a column's cells are numbers, and of which kind. What is missing does not count. */
export interface NumberTally {
  readonly cells: number;
  /** Cells that fit each way of writing numbers. */
  readonly point: number;
  readonly comma: number;
  /** Cells with a comma in them, and with a point. */
  readonly commas: number;
  readonly points: number;
}

export interface Preference {
  /** What the user says of columns that could be read with either mark. */
  readonly decimal?: DecimalMark;
  /** Another column of the source has decimal commas: a point then is not plainly a decimal one. */
  readonly commasElsewhere?: boolean;
}

/**
 * Which mark a column of numbers has before its decimals: the one with which every cell is a number. Where that holds of
 * both, as of 1,234 and 5,678, a point is taken for a decimal point as programs write it, and a comma is "either": nothing
 * shows whether it separates thousands or decimals, and a guess would be wrong by a factor of a thousand.
 */
export function decimalMark(
  { cells, point, comma, commas, points }: NumberTally,
  { decimal, commasElsewhere = false }: Preference,
): DecimalMark | "either" | undefined {
  if (cells === 0 || (point < cells && comma < cells)) return undefined;
  if (comma < cells) return "point";
  if (point < cells) return "comma";
  if (commas + points === 0) return "point";
  return decimal ?? (commas === 0 && !commasElsewhere ? "point" : "either");
}

/** A column of which more than this share of the cells are numbers was meant to be one of numbers. */
const numericShare = 0.95;
/** So many cells are named in an error. */
export const mostNamedCells = 3;

/** A column for what it was found to be, and the rows of some cells that keep it from being one of numbers. */
export interface JudgedColumn {
  readonly column: Column;
  readonly rows: readonly number[];
}

/**
 * What a column of texts holds. In a source without types (CSV) texts that spell numbers are numbers; where the source
 * itself says that they are text (`typed`) they stay text and may be named as features.
 */
export function judge(column: TextColumn, typed: boolean, preference: Preference = {}): JudgedColumn {
  const { levels } = column;
  const counts = countsOf(column);
  const tally = tallyOf(levels, counts);
  const mark = tally && decimalMark(tally, preference);
  if (mark === "point" || mark === "comma") {
    const spelt = withoutMarks({ ...column, spells: "number", ...(mark === "comma" ? { decimal: mark } : {}) });
    return { column: typed ? spelt : numbersOf(spelt)!, rows: [] };
  }
  const spells = dictionarySpells(levels);
  if (spells !== undefined) return { column: withoutMarks({ ...column, spells }), rows: [] };
  // Of a column without doubt only the cells that are no numbers at all are of interest, and of one in doubt all others.
  const usual = tally && tally.comma > tally.point ? "comma" : "point";
  const odd = (level: string) =>
    !isMissingMark(level) && (mark === "either" ? /[.,]/.test(level) : !isNumber(level, usual));
  const doubt = tally === undefined || typed ? {} : ({ doubt: mark === "either" ? "marks" : "cells" } as const);
  return { column: { ...column, ...doubt }, rows: firstRows(column, odd) };
}

/** The numbers in a text column, where all of its cells spell some; a column of nothing but marks is all missing. */
export function numbersOf(column: TextColumn): NumericColumn | undefined {
  const { name, codes, levels, missing, spells, decimal = "point" } = column;
  if (spells === undefined) {
    // Made by a library's caller: nobody has looked at it yet.
    const judged = judge(column, true).column as TextColumn;
    if (judged.spells !== undefined) return numbersOf(judged);
    if (levels.length === 0 || !levels.every(isMissingMark)) return undefined;
    const values = new Float64Array(codes.length).fill(Number.NaN);
    return { kind: "numeric", name, values, missing: codes.length, notFinite: 0 };
  }
  const valueIn = { number: (text: string) => numberIn(text, decimal), boolean: booleanIn, date: dateIn }[spells];
  const numbers = Float64Array.from(levels, (level) => valueIn(level)!);
  const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : numbers[code]));
  const counts = countsOf(column);
  const notFinite = numbers.reduce((sum, value, code) => sum + (Number.isFinite(value) ? 0 : counts[code]), 0);
  return { kind: "numeric", name, values, missing, notFinite };
}

/** Takes what is empty or called missing by the user out of a column; a number is the same however it is written. */
export function withoutNamed(column: Column, na: readonly string[]): Column {
  const named = new Set(na);
  if (column.kind === "text") return withoutLevels(column, (level) => level === "" || named.has(level.trim()));
  const gone = na.filter((text) => isNumber(text, "point")).map(Number);
  if (gone.length === 0) return column;
  const single = isSinglePrecision(column);
  const values = single ? new Float32Array(column.values) : new Float64Array(column.values);
  let missing = column.missing;
  for (const value of gone.map((number) => (single ? Math.fround(number) : number))) {
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== value) continue;
      values[i] = Number.NaN;
      missing++;
    }
  }
  return { ...column, values, missing };
}

function withoutMarks(column: TextColumn): TextColumn {
  return withoutLevels(column, isMissingMark);
}

function countsOf({ codes, levels }: TextColumn): Uint32Array {
  const counts = new Uint32Array(levels.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  return counts;
}

/** The tally of a column that is, but for a few cells, one of numbers; undefined where it is not. */
function tallyOf(levels: readonly string[], counts: Uint32Array): NumberTally | undefined {
  const present = counts.reduce((sum, count) => sum + count, 0);
  const tally = { cells: present, point: 0, comma: 0, commas: 0, points: 0 };
  let missing = 0;
  let others = 0;
  for (let i = 0; i < levels.length; i++) {
    const level = levels[i];
    const count = counts[i];
    if (isMissingMark(level)) {
      missing += count;
      continue;
    }
    const [point, comma] = [isNumber(level, "point"), isNumber(level, "comma")];
    if (!point && !comma) others += count;
    // Most columns of text are told apart after a few of their levels.
    if (others >= (1 - numericShare) * present) return undefined;
    if (point) tally.point += count;
    if (comma) tally.comma += count;
    if (level.includes(",")) tally.commas += count;
    if (level.includes(".")) tally.points += count;
  }
  const values = present - missing;
  return isNumeric({ present, values, numbers: values - others }) ? { ...tally, cells: values } : undefined;
}

/** Whether a column was meant to be one of numbers: of its cells so many are there, are not marked as missing, and are numbers. */
export function isNumeric(cells: {
  readonly present: number;
  readonly values: number;
  readonly numbers: number;
}): boolean {
  const { present, values, numbers } = cells;
  return values - numbers < (1 - numericShare) * present && numbers > numericShare * values;
}

/** Booleans and dates: what all levels spell that are values at all. */
function dictionarySpells(levels: readonly string[]): "boolean" | "date" | undefined {
  const values = levels.filter((level) => !isMissingMark(level));
  if (values.length === 0) return undefined;
  const all = (is: (level: string) => boolean) => values.every(is);
  if (all((level) => /^\s*(true|false)\s*$/i.test(level)) || all((level) => /^\s*(yes|no)\s*$/i.test(level))) {
    return "boolean";
  }
  return all((level) => dateIn(level) !== undefined) ? "date" : undefined;
}

function firstRows({ codes, levels }: TextColumn, isOdd: (level: string) => boolean): number[] {
  const rows: number[] = [];
  for (let row = 0; row < codes.length && rows.length < mostNamedCells; row++) {
    if (codes[row] >= 0 && isOdd(levels[codes[row]])) rows.push(row);
  }
  return rows;
}
