import { damaged } from "./formats.js";
import { judge } from "./judge.js";
import { type Cell, cellsByColumn, columnOf, kindOfCells, tableOfColumns } from "./make.js";
import { sortedText } from "./texts.js";
import type { Column, Table, TextColumn } from "./types.js";

/** The table that a JSON file with this text would be read as: an array of objects, or one object a line. */
export function tableFromJson(text: string, name: string): Table {
  const records = parsed(text, name);
  const isRecord = (record: unknown) => typeof record === "object" && record !== null && !Array.isArray(record);
  if (records.length === 0 || !records.every(isRecord)) throw damaged(name, "json");
  const columns = cellsByColumn(records as Readonly<Record<string, unknown>>[]);
  if (columns.size === 0) throw damaged(name, "json");
  return tableOfColumns(Array.from(columns, ([column, cells]) => jsonColumn(column, cells)));
}

function parsed(text: string, name: string): unknown[] {
  try {
    const whole = text.replace(/^\ufeff/, "");
    if (whole.trimStart().startsWith("[")) return parsedLeniently(whole) as unknown[];
    return whole
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map(parsedLeniently);
  } catch (cause) {
    throw damaged(name, "json", { cause });
  }
}

/** Python writes numbers that JSON has no word for: they are read as the engine of files reads them. */
function parsedLeniently(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const known = text.replace(
      /"(?:[^"\\]|\\.)*"|\bNaN\b|\bInfinity\b/g,
      (token) => ({ NaN: "null", Infinity: "1e999" })[token] ?? token,
    );
    if (known === text) throw error;
    return JSON.parse(known);
  }
}

/** Cells of several kinds, what is nested, and nothing at all are text without a type, as cells of a CSV are. */
export function jsonColumn(name: string, cells: readonly unknown[]): Column {
  if (kindOfCells(cells) !== undefined) return columnOf(name, cells as readonly Cell[]);
  const texts = Array.from(cells, (cell) => (cell === null || cell === undefined ? null : textOf(cell)));
  const { column, rows } = judge(coded(name, texts), false);
  return column.kind === "numeric" || rows.length === 0
    ? column
    : { ...column, notNumbers: rows.map((row) => `row ${row}`) };
}

function textOf(cell: unknown): string {
  if (typeof cell !== "object") return inOneSpelling(String(cell));
  return JSON.stringify(cell, (_, value) => (typeof value === "bigint" ? Number(value) : value));
}

/** One spelling for what JSON has several of: 1 and 1.0 are one number, and spaces say nothing. */
function inOneSpelling(text: string): string {
  if (!/^[[{\-\d]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** A column of texts that JSON wrote, in one spelling. */
export function inOneSpellingEach({ name, codes, levels }: TextColumn): TextColumn {
  const spelt = levels.map(inOneSpelling);
  return coded(
    name,
    Array.from(codes, (code) => (code < 0 ? null : spelt[code])),
  );
}

function coded(name: string, texts: readonly (string | null)[]): TextColumn {
  const codeOf = new Map<string, number>();
  for (const text of texts) if (text !== null && !codeOf.has(text)) codeOf.set(text, codeOf.size);
  const codes = Int32Array.from(texts, (text) => (text === null ? -1 : (codeOf.get(text) ?? -1)));
  return sortedText(name, codes, [...codeOf.keys()], texts.filter((text) => text === null).length);
}
