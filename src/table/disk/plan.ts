import type { DuckDBConnection } from "@duckdb/node-api";
import { MoietyError } from "../../errors.js";
import { checkNames } from "../names.js";
import { unknownName } from "../suggest.js";
import type { ColumnKind } from "../types.js";
import { type CsvLayout, csvRelation, type Reading } from "./csv.js";
import { fileError, queryError, quoteName, quotePath, quoteText } from "./engine.js";
import type { FileSource, Source } from "./source.js";
import { numberSql } from "./spelling-sql.js";

/** A column of a plan: what the engine is asked for, and what it then answers with. */
export interface PlannedColumn {
  readonly name: string;
  /** As far as it is known before its cells are. */
  readonly kind: ColumnKind;
  /** Its place in the source, from 0. */
  readonly position: number;
  readonly expression: string;
  readonly answer: "double" | "float" | "text";
  /** The source itself says that this is text, and not a number that somebody has written down. */
  readonly typed: boolean;
  /** How to ask for it as text with every digit; without one, fractions get their shortest text from `asLevels`. */
  readonly textExpression?: string;
  /** As doubles all its numbers can be told apart, and have the same text. */
  readonly exact?: boolean;
  /** What the source calls its type. */
  readonly type?: string;
}

export interface ReadPlan {
  readonly columns: readonly PlannedColumn[];
  /** What to select from; `asText` are the columns that are wanted as they stand. */
  readonly relation: (asText: ReadonlySet<string>) => string;
  /** How many rows there are likely to be: so many are made room for. */
  readonly expected?: number;
  /** How many there are, where the source says so. */
  readonly rows?: number;
  /** Where columns lie apart in the source, so many are read in one scan, since the engine holds whole stretches of them. */
  readonly columnsAtOnce?: number;
}

/** The engine's own memory for so many columns of doubles is some 15 MB; scans of fewer take longer. */
const parquetColumnsAtOnce = 8;

const exactType = /^U?(TINYINT|SMALLINT|INTEGER)$/;
/** What holds other cells: whole, for in JSON it stays as it is written, whatever other rows hold there. */
const nestedType = /^.*\]$|^(STRUCT|MAP|UNION)\(.*\)$/s;
const numericType = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM|DECIMAL\(.*\)|DOUBLE)$/;

export function csvPlan(layout: CsvLayout, readings: readonly Reading[], na: readonly string[]): ReadPlan {
  checkNames(layout.names, layout.name);
  const columns = layout.names.map((name, position): PlannedColumn => {
    const cell = `c${position}`;
    const reading = readings[position];
    const common = { name, position, typed: false, textExpression: cell };
    if (reading === "text") return { ...common, kind: "text", expression: cell, answer: "text" };
    const expression = reading === "plain" ? cell : numberSql(cell, reading, na);
    return { ...common, kind: "numeric", expression, answer: "double" };
  });
  const relation = (asText: ReadonlySet<string>) =>
    csvRelation(layout, (i) => readings[i] === "plain" && !asText.has(layout.names[i]));
  return { columns, relation, expected: layout.expected };
}

/** Parquet, JSON and queries know their types; we only choose how each is to be answered. */
export async function describedPlan(connection: DuckDBConnection, source: Source): Promise<ReadPlan> {
  const found = relationOf(source);
  if (source.kind === "query") await checkOneStatement(connection, source.sql);
  const described = await connection
    .run(`DESCRIBE ${source.kind === "query" ? source.sql : `FROM ${found}`}`)
    .catch((error: unknown) => {
      throw errorOf(source, error);
    });
  const types = (await described.getRows()).map(([name, type]): [string, string] => [String(name), String(type)]);
  const isNested = source.kind === "json" && types.some(([, type]) => nestedType.test(type));
  const read = isNested
    ? types.map(([name, type]): [string, string] => [name, type.replace(nestedType, "JSON")])
    : types;
  const relation = isNested ? jsonRelation(source, read) : found;
  const columns = read.map(([name, type], position) => describedColumn(name, type, position));
  const names = columns.map(({ name }) => name);
  checkNames(names, labelOf(source));
  if (source.kind === "query") checkCase(names);
  const plan = { relation: () => relation, columns };
  if (source.kind !== "parquet") return plan;
  const [[count]] = await (await connection.run(`SELECT count(*) FROM ${relation}`)).getRows();
  return { ...plan, rows: Number(count), expected: Number(count), columnsAtOnce: parquetColumnsAtOnce };
}

function describedColumn(name: string, type: string, position: number): PlannedColumn {
  const quoted = quoteName(name);
  const common = { name, position, typed: true, kind: kindOfType(type), type };
  if (type === "FLOAT") return { ...common, expression: quoted, answer: "float" };
  if (numericType.test(type)) {
    const plan = { ...common, expression: `CAST(${quoted} AS DOUBLE)`, answer: "double" } as const;
    if (type === "DOUBLE") return plan;
    return { ...plan, textExpression: `CAST(${quoted} AS VARCHAR)`, exact: exactType.test(type) };
  }
  // In JSON a column of numbers and marks has no type. Its texts cast plainly would keep their quotes.
  if (type === "JSON") return { ...common, typed: false, expression: `(${quoted} ->> '$')`, answer: "text" };
  if (nestedType.test(type)) {
    return { ...common, type: "JSON", expression: `CAST(to_json(${quoted}) AS VARCHAR)`, answer: "text" };
  }
  return { ...common, expression: `CAST(${quoted} AS VARCHAR)`, answer: "text" };
}

function kindOfType(type: string): ColumnKind {
  if (type === "FLOAT" || numericType.test(type)) return "numeric";
  if (type === "BOOLEAN") return "boolean";
  return /^(DATE|TIMESTAMP.*)$/.test(type) ? "date" : "text";
}

async function checkOneStatement(connection: DuckDBConnection, sql: string): Promise<void> {
  // What cannot be parsed is left to the description that follows: it says more about it.
  const count = await connection.extractStatements(sql).then(
    (statements) => statements.count,
    () => 1,
  );
  if (count !== 1) throw new MoietyError("input", `the source holds ${count} SQL statements; give one query`);
}

/** The columns that are wanted, in that order; all of them where nobody says. */
export function chosenColumns(
  columns: readonly PlannedColumn[],
  wanted: readonly string[] | undefined,
  text: Iterable<string>,
): readonly PlannedColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const find = (name: string): PlannedColumn => {
    const column = byName.get(name);
    if (column === undefined) throw new MoietyError("input", unknownName("column", name, [...byName.keys()]));
    return column;
  };
  for (const name of text) find(name);
  if (wanted === undefined) return columns;
  if (wanted.length === 0) throw new MoietyError("input", "no columns were asked for");
  return [...new Set(wanted)].map(find);
}

export function plannedAsText(column: PlannedColumn): PlannedColumn {
  const { textExpression } = column;
  return textExpression === undefined ? column : { ...column, expression: textExpression, answer: "text" };
}

/** Names in SQL are alike whatever their case: asked for `A`, the engine might answer with `a`. */
function checkCase(names: readonly string[]): void {
  const lower = names.map((name) => name.toLowerCase());
  const second = lower.findIndex((name, i) => lower.indexOf(name) !== i);
  if (second < 0) return;
  const first = names[lower.indexOf(lower[second])];
  throw new MoietyError(
    "input",
    `the query has columns '${first}' and '${names[second]}' that differ in case only; rename one`,
  );
}

function relationOf(source: Source): string {
  // The line break keeps a comment at the query's end from swallowing the bracket.
  if (source.kind === "query") return `(${source.sql}\n)`;
  if (source.kind === "parquet") return `read_parquet(${quotePath(source.path)})`;
  return jsonRelation(source);
}

/** JSON with the types that its cells show, or with those that are given. */
function jsonRelation(source: FileSource, types?: readonly (readonly [name: string, type: string])[]): string {
  const compression = source.gzip ? "gzip" : "uncompressed";
  const columns = types?.map((each) => each.map(quoteText).join(": ")).join(", ");
  const typed = columns === undefined ? "sample_size=-1" : `columns={${columns}}`;
  return `read_json_auto(${quotePath(source.path)}, records=true, ${typed}, compression='${compression}')`;
}

export function labelOf(source: Source): string {
  return source.kind === "query" ? "the query" : source.name;
}

export function errorOf(source: Source, error: unknown): MoietyError {
  if (error instanceof MoietyError) return error;
  return source.kind === "query" ? queryError(error) : fileError(source.name, error);
}
