import { MoietyError } from "../../errors.js";
import { numbersOf } from "../judge.js";
import type { Labels } from "../labels.js";
import { asLevels } from "../levels.js";
import { withoutGuard } from "../spreadsheet.js";
import type { Column } from "../types.js";
import { describeSource, readTable } from "./read.js";
import { isParquet } from "./write.js";

/**
 * Reads `row,cluster`, `<id>,cluster` or one bare column of clusters. With more columns, the one called `cluster` is
 * the label and `row`, or the column named as `id`, the key. Clusters may be names: they are numbered in byte order.
 */
export async function readLabels(path: string, options: { readonly id?: string } = {}): Promise<Labels> {
  const { label, key } = await labelColumns(path, options.id);
  const byId = key !== undefined && key !== "row";
  const table = await readTable(path, {
    columns: key === undefined ? [label] : [label, key],
    text: byId ? [key] : [],
  });
  const labels = clusters(path, table.columns[0]);
  if (key === undefined) {
    return { keyColumn: undefined, keys: { kind: "row", rows: Uint32Array.from(labels, (_, i) => i) }, labels };
  }
  const keys = table.columns[1];
  checkAllThere(path, keys);
  if (!byId) return { keyColumn: key, keys: { kind: "row", rows: rowNumbers(path, keys) }, labels };
  const { codes, levels } = asLevels(keys);
  const ids = isParquet(path) ? levels : levels.map(withoutGuard);
  return { keyColumn: key, keys: { kind: "id", ids: Array.from(codes, (code) => ids[code]) }, labels };
}

/** The column of clusters, and that of row numbers or ids, of a file of labels. */
export async function labelColumns(path: string, id?: string): Promise<{ label: string; key: string | undefined }> {
  const names = (await describeSource(path)).map(({ name }) => name);
  const label = labelColumn(path, names, id);
  return { label, key: keyColumn(path, names, label, id) };
}

export function checkAllThere(path: string, { name, missing }: Pick<Column, "name" | "missing">): void {
  if (missing > 0) throw new MoietyError("input", `${path}: ${missing} rows have no ${name}`);
}

export function checkClusters(path: string, wrong: number): void {
  if (wrong > 0) throw new MoietyError("input", `${path}: ${wrong} clusters are not whole numbers from 0 to 65535`);
}

export function notRowNumbers(path: string): MoietyError {
  return new MoietyError("input", `${path}: column 'row' must hold 0-based row numbers`);
}

function tooManyClusters(path: string, clusters: number): MoietyError {
  return new MoietyError("input", `${path}: ${clusters} clusters; at most 65536 are allowed`);
}

function labelColumn(path: string, names: readonly string[], id: string | undefined): string {
  if (names.includes("cluster")) return "cluster";
  if (names.length === 1) return names[0];
  const others = names.filter((name) => name !== "row" && name !== id);
  if (names.length === 2 && others.length > 0) return others[others.length - 1];
  throw new MoietyError("input", `${path} has no column 'cluster' (there are ${names.length} columns)`);
}

function keyColumn(path: string, names: readonly string[], label: string, id: string | undefined): string | undefined {
  const others = names.filter((name) => name !== label);
  if (id !== undefined && others.includes(id)) return id;
  if (others.includes("row")) return "row";
  if (others.length <= 1) return others[0];
  throw new MoietyError("input", `${path} has no column 'row'; name its id column with \`id\``);
}

function clusters(path: string, column: Column): Uint16Array {
  checkAllThere(path, column);
  const numbers = column.kind === "text" && column.spells === "number" ? numbersOf(column) : column;
  const values = numbers?.kind === "numeric" ? numbers.values : undefined;
  if (values !== undefined) {
    let wrong = 0;
    for (const value of values) if (!isCluster(value)) wrong++;
    checkClusters(path, wrong);
    return Uint16Array.from(values);
  }
  const { codes, levels } = asLevels(column);
  if (levels.length > 65_536) throw tooManyClusters(path, levels.length);
  return Uint16Array.from(codes);
}

function isCluster(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535;
}

function rowNumbers(path: string, column: Column): Uint32Array {
  const values = column.kind === "numeric" ? column.values : undefined;
  if (values === undefined || values.some((value) => !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)) {
    throw notRowNumbers(path);
  }
  return Uint32Array.from(values);
}
