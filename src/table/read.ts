import type { DuckDBConnection } from "@duckdb/node-api";
import { MoietyError } from "../errors.js";
import { turn } from "../turns.js";
import { type CsvLayout, checkGzip, csvLayout, csvRelation, numericPositions } from "./csv.js";
import { fileError, isConversionError, queryError, quoteName, quotePath, withEngine } from "./engine.js";
import { asLevels, numbersOf } from "./levels.js";
import { openSource, type Source } from "./source.js";
import { unknownName } from "./suggest.js";
import type { Column, Table } from "./types.js";
import { type Collector, NumericCollector, TextCollector } from "./vectors.js";

export interface ReadOptions {
  /** Only these, in this order; default: all. */
  readonly columns?: readonly string[];
  /** Columns to take as text whatever they look like: an id keeps its leading zeros and all of its digits. */
  readonly text?: readonly string[];
}

export interface ColumnDescription {
  readonly name: string;
  readonly kind: Column["kind"];
}

/** A column of a plan: what the engine is asked for, and what it then answers with. */
interface PlannedColumn extends ColumnDescription {
  readonly expression: string;
  readonly answer: "double" | "float" | "text";
  /** How to ask for it as text with every digit; without one, fractions get their shortest text from `asLevels`. */
  readonly textExpression?: string;
}

interface Plan {
  readonly relation: string;
  readonly columns: readonly PlannedColumn[];
}

const numericType = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM|DECIMAL\(.*\)|DOUBLE)$/;

/** Reads a CSV, Parquet or JSON file, or the result of a SELECT, WITH or FROM query, into whole columns. */
export async function readTable(source: string, options: ReadOptions = {}): Promise<Table> {
  const opened = await openSource(source);
  const label = labelOf(opened);
  const reading = withEngine(async (connection) => {
    const described = async (from: Source) => fetch(connection, from, await describedPlan(connection, from), options);
    if (opened.kind === "query") {
      return described(opened).catch((error: unknown) => {
        if (!(error instanceof MoietyError && isConversionError(error.cause))) throw error;
        return described({ kind: "query", sql: judgedByEveryRow(opened.sql) });
      });
    }
    if (opened.kind !== "csv") return described(opened);
    const layout = await csvLayout(opened.path, opened.gzip);
    checkNames(layout.names, label);
    const numeric = await sniff(connection, layout, "sample");
    try {
      return await fetch(connection, opened, csvPlan(layout, numeric), options);
    } catch (error) {
      if (!(error instanceof MoietyError && isConversionError(error.cause))) throw error;
      // Text turned up in a column that began with numbers: judge by every row and read again.
      return fetch(connection, opened, csvPlan(layout, await sniff(connection, layout, "whole")), options);
    }
  });
  const wholeFile = opened.kind !== "query" && opened.gzip ? checkGzip(opened.path) : undefined;
  // When a damaged archive fails both, its own message says more than the line at which it broke.
  const [read, whole] = await Promise.allSettled([reading, wholeFile]);
  if (whole.status === "rejected") throw whole.reason;
  if (read.status === "rejected") throw read.reason;
  if (read.value.rows === 0) throw new MoietyError("input", `${label} has no rows`);
  return read.value;
}

/** CSV files that a query names directly are typed by their first rows; this has them typed by all rows, which is slower. */
function judgedByEveryRow(sql: string): string {
  return sql.replace(/\b(from|join)(\s+)('(?:[^']|'')+\.(?:csv|tsv)(?:\.gz)?')/gi, "$1$2read_csv($3, sample_size=-1)");
}

/** The columns of a source without reading its rows. The kind of a CSV column is judged by its first rows. */
export async function describeSource(source: string): Promise<ColumnDescription[]> {
  const opened = await openSource(source);
  const plan = await withEngine(async (connection) => {
    if (opened.kind !== "csv") return describedPlan(connection, opened);
    const layout = await csvLayout(opened.path, opened.gzip);
    checkNames(layout.names, opened.path);
    return csvPlan(layout, await sniff(connection, layout, "sample"));
  });
  return plan.columns.map(({ name, kind }) => ({ name, kind }));
}

async function sniff(connection: DuckDBConnection, layout: CsvLayout, extent: "sample" | "whole"): Promise<boolean[]> {
  return numericPositions(connection, layout, extent).catch((error: unknown) => {
    throw fileError(layout.path, error);
  });
}

function csvPlan(layout: CsvLayout, numeric: readonly boolean[]): Plan & { layout: CsvLayout } {
  const columns = layout.names.map(
    (name, i): PlannedColumn =>
      numeric[i]
        ? { name, kind: "numeric", expression: `c${i}`, answer: "double", textExpression: `c${i}` }
        : { name, kind: "text", expression: `c${i}`, answer: "text" },
  );
  return { relation: "", columns, layout };
}

/** Parquet, JSON and queries know their types; we only choose how each is to be answered. */
async function describedPlan(connection: DuckDBConnection, source: Source): Promise<Plan> {
  const relation = relationOf(source);
  if (source.kind === "query") await checkOneStatement(connection, source.sql);
  const described = await connection
    .run(`DESCRIBE ${source.kind === "query" ? source.sql : `FROM ${relation}`}`)
    .catch((error: unknown) => {
      throw errorOf(source, error);
    });
  const rows = await described.getRows();
  const columns = rows.map(([name, type]): PlannedColumn => {
    const quoted = quoteName(String(name));
    if (type === "FLOAT") return { name: String(name), kind: "numeric", expression: quoted, answer: "float" };
    if (numericType.test(String(type))) {
      const plan = {
        name: String(name),
        kind: "numeric",
        expression: `CAST(${quoted} AS DOUBLE)`,
        answer: "double",
      } as const;
      return type === "DOUBLE" ? plan : { ...plan, textExpression: `CAST(${quoted} AS VARCHAR)` };
    }
    // A JSON text cast plainly would keep its quotes.
    const expression = type === "JSON" ? `(${quoted} ->> '$')` : `CAST(${quoted} AS VARCHAR)`;
    return { name: String(name), kind: "text", expression, answer: "text" };
  });
  const names = columns.map(({ name }) => name);
  checkNames(names, labelOf(source));
  if (source.kind === "query") checkCase(names);
  return { relation, columns };
}

async function checkOneStatement(connection: DuckDBConnection, sql: string): Promise<void> {
  // What cannot be parsed is left to the description that follows: it says more about it.
  const count = await connection.extractStatements(sql).then(
    (statements) => statements.count,
    () => 1,
  );
  if (count !== 1) throw new MoietyError("input", `the source holds ${count} SQL statements; give one query`);
}

async function fetch(
  connection: DuckDBConnection,
  source: Source,
  plan: Plan & { layout?: CsvLayout },
  options: ReadOptions,
): Promise<Table> {
  const wanted = chosenColumns(plan.columns, options);
  const asText = new Set(options.text ?? []);
  const relation =
    plan.layout === undefined
      ? plan.relation
      : csvRelation(plan.layout, (i) => plan.columns[i].kind === "numeric" && !asText.has(plan.columns[i].name));
  const planned = wanted.map((column) => (asText.has(column.name) ? plannedAsText(column) : column));
  const collect = async (): Promise<Table> => {
    // Not streamed: an error in the middle of a stream looks like its end, and people would be lost in silence.
    const expressions = planned.map(({ expression }) => expression).join(", ");
    const result = await connection.run(`SELECT ${expressions} FROM ${relation}`);
    const rows = result.rowCount;
    const collectors = planned.map(({ name, answer }): Collector => {
      return answer === "text" ? new TextCollector(name, rows) : new NumericCollector(name, rows, answer === "float");
    });
    for (let start = 0, chunks = 0; start < rows; chunks++) {
      // A million rows take seconds: others have their turn meanwhile.
      if (chunks % 16 === 15) await turn();
      const chunk = await result.fetchChunk();
      const count = chunk?.rowCount ?? 0;
      if (chunk === null || count === 0) throw new Error(`the result ended after ${start} of ${rows} rows`);
      for (let i = 0; i < collectors.length; i++) collectors[i].append(chunk.getColumnVector(i), start, count);
      start += count;
    }
    const columns: Column[] = [];
    for (const collector of collectors) columns.push(await collector.finish());
    return { rows, columns };
  };
  const table = await collect().catch((error: unknown) => {
    throw errorOf(source, error);
  });
  const columns = table.columns.map((column) => {
    if (asText.has(column.name)) return asLevels(column);
    return plan.layout === undefined ? column : lateNumbers(column);
  });
  if (options.columns === undefined) return { rows: table.rows, columns };
  const read = new Set(wanted.map(({ name }) => name));
  const unread = plan.columns.map(({ name }) => name).filter((name) => !read.has(name));
  return { rows: table.rows, columns, unread };
}

/** A CSV column that was empty as far as the sample went may hold numbers further down. */
function lateNumbers(column: Column): Column {
  if (column.kind === "numeric") return column;
  const values = numbersOf(column);
  return values === undefined
    ? column
    : { kind: "numeric", name: column.name, values, missing: column.missing, notFinite: 0 };
}

function plannedAsText(column: PlannedColumn): PlannedColumn {
  const { textExpression } = column;
  return textExpression === undefined ? column : { ...column, expression: textExpression, answer: "text" };
}

function chosenColumns(columns: readonly PlannedColumn[], options: ReadOptions): readonly PlannedColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const find = (name: string): PlannedColumn => {
    const column = byName.get(name);
    if (column === undefined) throw new MoietyError("input", unknownName("column", name, [...byName.keys()]));
    return column;
  };
  for (const name of options.text ?? []) find(name);
  if (options.columns === undefined) return columns;
  if (options.columns.length === 0) throw new MoietyError("input", "no columns were asked for");
  return [...new Set(options.columns)].map(find);
}

function checkNames(names: readonly string[], label: string): void {
  if (names.length === 0) throw new MoietyError("input", `${label} has no columns`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const count = names.filter((name) => name === twice).length;
    throw new MoietyError("input", `${label} has ${count} columns named '${twice}'; names must differ`);
  }
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
  const compression = source.gzip ? "gzip" : "uncompressed";
  return `read_json_auto(${quotePath(source.path)}, sample_size=-1, compression='${compression}')`;
}

function labelOf(source: Source): string {
  return source.kind === "query" ? "the query" : source.path;
}

function errorOf(source: Source, error: unknown): MoietyError {
  if (error instanceof MoietyError) return error;
  return source.kind === "query" ? queryError(error) : fileError(source.path, error);
}
