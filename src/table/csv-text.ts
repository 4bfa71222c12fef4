import { MoietyError } from "../errors.js";
import { notATable, withoutRows } from "./formats.js";
import { judge, type Preference, withoutNamed } from "./judge.js";
import { cellName, checkNames } from "./names.js";
import type { DecimalMark } from "./spelling.js";
import { unknownName } from "./suggest.js";
import { sortedText } from "./texts.js";
import type { Column, Table, TextColumn } from "./types.js";

export interface CsvOptions {
  /** Columns to take as text whatever they look like: an id keeps its leading zeros and all of its digits. */
  readonly text?: readonly string[];
  /** What else is missing, in every column, beside what is empty; in numbers, dates and booleans NA, ? and the like always are. */
  readonly na?: readonly string[];
  /** The mark before decimals in columns that could be read with either, such as one of 1,234 and 5,678. */
  readonly decimal?: DecimalMark;
}

/** The table that a CSV file with this text would be read as; `name` is what messages call it. */
export function tableFromCsv(text: string, options: CsvOptions = {}, name?: string): Table {
  const { na = [], decimal } = options;
  const asText = new Set(options.text ?? []);
  const { columns, sheetRows } = textColumns(text.replace(/^\ufeff/, ""), name);
  const names = columns.map((column) => column.name);
  const unknown = [...asText].find((each) => !names.includes(each));
  if (unknown !== undefined) throw new MoietyError("input", unknownName("column", unknown, names));
  const texts = columns.map((column) => withoutNamed(column, na) as TextColumn);
  const preference: Preference = decimal === undefined ? {} : { decimal };
  // A point is not plainly a decimal one where another column has decimal commas.
  const commasElsewhere = texts.some((column) => {
    const { column: judged } = judge(column, true, preference);
    return judged.kind === "text" && judged.decimal === "comma";
  });
  const judged = texts.map((column, position): Column => {
    if (asText.has(column.name)) return column;
    const { column: found, rows } = judge(column, false, { ...preference, commasElsewhere });
    if (found.kind === "numeric" || rows.length === 0) return found;
    return { ...found, notNumbers: rows.map((row) => cellName(position, sheetRows[row])) };
  });
  return { rows: sheetRows.length, columns: judged, firstRow: 2 };
}

/** All columns as texts, and the row in a spreadsheet of each record. */
function textColumns(text: string, label = "the text"): { columns: TextColumn[]; sheetRows: number[] } {
  const delimiter = /\.tsv(\.gz)?$/i.test(label) ? "\t" : likelyDelimiter(text);
  const { names, end } = headerOf(text, delimiter);
  checkNames(names, label);
  const sheetRows: number[] = [];
  const dictionaries = names.map(() => new Map<string, number>());
  const codes: number[][] = names.map(() => []);
  for (const { cells, row } of recordsOf(text, delimiter, end, label)) {
    // Lines without anything are records only where there is one column.
    if (cells.length === 1 && cells[0] === "" && names.length > 1) continue;
    if (cells.length !== names.length) {
      const seen = `${cells.length} ${cells.length === 1 ? "cell" : "cells"}`;
      throw notATable(label, `row ${row} has ${seen} and the header has ${names.length}`);
    }
    sheetRows.push(row);
    cells.forEach((cell, j) => {
      const known = dictionaries[j].get(cell);
      codes[j].push(known ?? dictionaries[j].size);
      if (known === undefined) dictionaries[j].set(cell, dictionaries[j].size);
    });
  }
  if (sheetRows.length === 0) throw withoutRows(label);
  const columns = names.map((name, j) => sortedText(name, Int32Array.from(codes[j]), [...dictionaries[j].keys()], 0));
  return { columns, sheetRows };
}

/** The names of the columns, and where the header ends. */
export function headerOf(text: string, delimiter: string): { names: string[]; end: number } {
  const { cells, end } = recordAt(text, delimiter, 0);
  return { names: cells.map((cell, i) => cell.trim() || `column${i}`), end };
}

function* recordsOf(
  text: string,
  delimiter: string,
  from: number,
  label: string,
): Generator<{ cells: string[]; row: number }> {
  for (let at = from, row = 2; at < text.length; row++) {
    const { cells, end, open } = recordAt(text, delimiter, at);
    if (open) throw notATable(label, `row ${row} opens a quote that is never closed`);
    yield { cells, row };
    at = end;
  }
}

/** The cells of one record; quoted ones may hold delimiters, line ends and doubled quotes. */
function recordAt(text: string, delimiter: string, from: number): { cells: string[]; end: number; open: boolean } {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  let i = from;
  for (; i < text.length; i++) {
    const character = text[i];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === "\n" || character === "\r") break;
    else if (character === delimiter) {
      cells.push(cell);
      cell = "";
    } else cell += character;
  }
  cells.push(cell);
  const lineEnd = text[i] === "\r" && text[i + 1] === "\n" ? 2 : 1;
  return { cells, end: i + lineEnd, open: quoted };
}

/** The candidate that occurs most often in the header, outside quotes; a comma when there is none: one column. */
export function likelyDelimiter(text: string): string {
  const candidates = [",", ";", "\t", "|"];
  const counts = candidates.map(() => 0);
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "\n" || character === "\r")) break;
    else if (!quoted) {
      const i = candidates.indexOf(character);
      if (i >= 0) counts[i]++;
    }
  }
  return candidates[counts.indexOf(Math.max(...counts))];
}
