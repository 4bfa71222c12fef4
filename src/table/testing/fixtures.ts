import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type ErrorCode, MoietyError } from "../../errors.js";
import { sortedText } from "../texts.js";
import type { Column, NumericColumn, Table, TextColumn } from "../types.js";

/** A folder that is removed when the tests are done. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), "moiety-table-"));

  path(name: string): string {
    return join(this.folder, name);
  }

  file(name: string, contents: string | Uint8Array): string {
    writeFileSync(this.path(name), contents);
    return this.path(name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function tableOf(...columns: Column[]): Table {
  const first = columns[0];
  return { rows: first.kind === "text" ? first.codes.length : first.values.length, columns };
}

/** A number column; null is missing. */
export function numbers(name: string, cells: readonly (number | null)[]): NumericColumn {
  const values = Float64Array.from(cells, (cell) => cell ?? Number.NaN);
  const missing = cells.filter((cell) => cell === null).length;
  const notFinite = cells.filter((cell) => cell !== null && !Number.isFinite(cell)).length;
  return { kind: "numeric", name, values, missing, notFinite };
}

export function texts(name: string, cells: readonly (string | null)[]): TextColumn {
  const distinct = [...new Set(cells.filter((cell) => cell !== null))];
  const codes = Int32Array.from(cells, (cell) => (cell === null ? -1 : distinct.indexOf(cell)));
  return sortedText(name, codes, distinct, cells.filter((cell) => cell === null).length);
}

/** The cells of a column as plain values, for comparing. */
export function cellsOf(column: Column): (string | number | null)[] {
  if (column.kind === "text") return Array.from(column.codes, (code) => (code < 0 ? null : column.levels[code]));
  return Array.from(column.values, (value) => (Number.isNaN(value) ? null : value));
}

/** The error of a promise or a function: one line, of the expected code, without any of the `secrets`. */
export async function failure(
  work: Promise<unknown> | (() => unknown),
  code: ErrorCode = "input",
  secrets: readonly string[] = [],
): Promise<string> {
  let error: unknown;
  try {
    await (typeof work === "function" ? work() : work);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(MoietyError);
  const { code: seen, message } = error as MoietyError;
  expect(seen).toBe(code);
  expect(message).not.toMatch(/[\r\n]/);
  expect(message.length).toBeLessThan(400);
  for (const secret of secrets) expect(message).not.toContain(secret);
  return message;
}
