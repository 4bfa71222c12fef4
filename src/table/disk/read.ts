import { stat } from "node:fs/promises";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from "@duckdb/node-api";
import { defined } from "../../defined.js";
import { MoietyError } from "../../errors.js";
import type { CsvOptions } from "../csv-text.js";
import { withoutRows } from "../formats.js";
import { inOneSpellingEach } from "../json-text.js";
import { type JudgedColumn, judge, type Preference, withoutNamed } from "../judge.js";
import { asLevels, kindOf } from "../levels.js";
import { cellName } from "../names.js";
import type { Column, ColumnKind, Table } from "../types.js";
import { type Collector, IdCollector, NumericCollector, TextCollector } from "./collectors.js";
import { type CsvLayout, checkGzip, type Manner, readings, sampled, withCsv, withJson } from "./csv.js";
import { isConversionError, withConnection, withEngine } from "./engine.js";
import { sheetRows } from "./places.js";
import {
  chosenColumns,
  csvPlan,
  describedPlan,
  errorOf,
  labelOf,
  type PlannedColumn,
  plannedAsText,
  type ReadPlan,
} from "./plan.js";
import { type StreamProgress, scanRows } from "./scan.js";
import { openSource, type Source } from "./source.js";

const mostThreads = 2;

/** Where and by how many threads rows are read. */
interface Reader {
  readonly engine: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly threads: number;
}

export interface ReadOptions extends CsvOptions {
  /** Only these, in this order; default: all. */
  readonly columns?: readonly string[];
  /** The column that names people: text, but kept as numbers where all are whole numbers without leading zeros. */
  readonly id?: string;
  /** Threads that read: one, or two where more are allowed, since what takes rows in is no faster. */
  readonly threads?: number;
  /** Called some times in a second while rows come in. */
  readonly onProgress?: (progress: ReadProgress) => void;
}

/** How much of a source was read. */
export interface ReadProgress {
  readonly rows: number;
  /** Of the file, as far as the engine can tell; absent for a query. */
  readonly bytes?: number;
  readonly ofBytes?: number;
}

export interface ColumnDescription {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** Reads a CSV, Parquet or JSON file, or the result of a SELECT, WITH or FROM query, into whole columns. */
export async function readTable(source: string, options: ReadOptions = {}): Promise<Table> {
  const opened = await openSource(source);
  const reading = withEngine(async (connection, engine) => {
    const reader = { engine, connection, threads: options.threads === 1 ? 1 : mostThreads };
    // Parquet's columns are read over as many connections, each in a thread of its own; another thread of the engine's was no
    // faster (`bench reading`, 1,000,000 and 5,000,000 x 53) and held 25 MB of doubles more.
    await connection.run(`SET threads = ${opened.kind === "parquet" ? 1 : reader.threads}`);
    const described = async (from: Source) => {
      const plan = await describedPlan(connection, from);
      return tableOf(await fetch(reader, from, plan, options, preferenceOf(options)), undefined);
    };
    if (opened.kind === "query") {
      return described(opened).catch((error: unknown) => {
        if (!isMisled(error)) throw error;
        return described({ kind: "query", sql: judgedByEveryRow(opened.sql) });
      });
    }
    if (opened.kind === "json") return withJson(opened, described);
    if (opened.kind === "parquet") return described(opened);
    return withCsv(opened, async (layout, warnings) => {
      const table = await readCsv(reader, layout, options).catch((error: unknown) => {
        throw errorOf(opened, error);
      });
      return warnings.length === 0 ? table : { ...table, warnings };
    });
  });
  const wholeFile = opened.kind !== "query" && opened.gzip ? checkGzip(opened) : undefined;
  // When a damaged archive fails both, its own message says more than the line at which it broke.
  const [read, whole] = await Promise.allSettled([reading, wholeFile]);
  if (whole.status === "rejected") throw whole.reason;
  if (read.status === "rejected") throw read.reason;
  if (read.value.rows === 0) throw withoutRows(labelOf(opened));
  return read.value;
}

async function readCsv(reader: Reader, layout: CsvLayout, options: ReadOptions): Promise<Table> {
  const { na = [] } = options;
  const manner: Manner = { na, ...preferenceOf(options) };
  const attempt = async (extent: "sample" | "whole") => {
    const found = await readings(reader.connection, layout, extent, manner);
    const plan = csvPlan(layout, found, na);
    const commasElsewhere = found.includes("comma");
    return tableOf(await fetch(reader, layout, plan, options, { ...manner, commasElsewhere }), layout);
  };
  return attempt("sample").catch((error: unknown) => {
    if (!isMisled(error)) throw error;
    // Something else turned up in a column that began with numbers: judge by every row and read again.
    return attempt("whole");
  });
}

function preferenceOf({ decimal }: ReadOptions): Preference {
  return decimal === undefined ? {} : { decimal };
}

function isMisled(error: unknown): boolean {
  return error instanceof MoietyError && isConversionError(error.cause);
}

/** CSV files that a query names directly are typed by their first rows; this has them typed by all rows, which is slower. */
function judgedByEveryRow(sql: string): string {
  return sql.replace(/\b(from|join)(\s+)('(?:[^']|'')+\.(?:csv|tsv)(?:\.gz)?')/gi, "$1$2read_csv($3, sample_size=-1)");
}

/** The columns of a source without reading its rows. What is in a CSV or a text column is judged by the first rows. */
export async function describeSource(source: string): Promise<ColumnDescription[]> {
  const opened = await openSource(source);
  return withEngine(async (connection, engine) => {
    const byType = async (from: Source) => (await describedPlan(connection, from)).columns.map(described);
    if (opened.kind === "json") return withJson(opened, byType);
    if (opened.kind !== "csv") return byType(opened);
    return withCsv(opened, async (layout) => {
      const found = await readings(connection, layout, "sample", { na: [] });
      const { columns, relation } = csvPlan(layout, found, []);
      const sample = {
        columns,
        relation: (asText: ReadonlySet<string>) => `(FROM ${sampled(relation(asText), layout)})`,
      };
      const { judgements } = await fetch({ engine, connection, threads: 1 }, layout, sample, {});
      return judgements.map(({ column }) => ({ name: column.name, kind: kindOf(column) }));
    });
  });
}

function described({ name, kind }: PlannedColumn): ColumnDescription {
  return { name, kind };
}

/** Columns as they were read and judged, before places in a spreadsheet are looked up. */
interface Fetched {
  readonly rows: number;
  readonly judgements: readonly (JudgedColumn & { readonly position: number })[];
  readonly unread?: readonly string[];
}

async function fetch(
  reader: Reader,
  source: Source,
  plan: ReadPlan,
  options: ReadOptions,
  preference: Preference = {},
): Promise<Fetched> {
  const { id } = options;
  const asText = new Set([...(options.text ?? []), ...(id === undefined ? [] : [id])]);
  const planned = chosenColumns(plan.columns, options.columns, asText).map((column) =>
    asText.has(column.name) && !(column.name === id && column.exact) ? plannedAsText(column) : column,
  );
  const { rows, columns } = await collect(reader, planned, plan, asText, {
    ...options,
    ...(await watching(source, options)),
  }).catch((error: unknown) => {
    throw errorOf(source, error);
  });
  const judgements = columns.map((read, i) => {
    const { position, typed, type } = planned[i];
    const spelt = type === "JSON" && read.kind === "text" ? inOneSpellingEach(read) : read;
    const column = withoutNamed(spelt, options.na ?? []);
    if (column.name === id && column.kind === "numeric") return { column, rows: [], position };
    if (asText.has(column.name)) return { column: asLevels(column), rows: [], position };
    return { ...(column.kind === "text" ? judge(column, typed, preference) : { column, rows: [] }), position };
  });
  if (options.columns === undefined) return { rows, judgements };
  const read = new Set(planned.map(({ name }) => name));
  return { rows, judgements, unread: plan.columns.map(({ name }) => name).filter((name) => !read.has(name)) };
}

interface Watch {
  readonly watch?: (progress: StreamProgress) => void;
}

/** Rows, and where the source is a file its bytes. */
async function watching(source: Source, { onProgress }: ReadOptions): Promise<Watch> {
  if (!onProgress) return {};
  if (source.kind === "query") return { watch: ({ rows }) => onProgress({ rows }) };
  const { size } = await stat(source.path);
  return { watch: ({ rows, done }) => onProgress({ rows, bytes: Math.round(done * size), ofBytes: size }) };
}

/** Where columns lie apart in the source, some are read by one thread, while another reads others. */
async function collect(
  { engine, connection, threads }: Reader,
  planned: readonly PlannedColumn[],
  { relation, expected = 0, rows: known, columnsAtOnce = planned.length }: ReadPlan,
  asText: ReadonlySet<string>,
  { id, na = [], watch }: ReadOptions & Watch,
): Promise<{ rows: number; columns: Column[] }> {
  const scans = Array.from({ length: Math.ceil(planned.length / columnsAtOnce) }, (_, scan) =>
    planned.slice(scan * columnsAtOnce, (scan + 1) * columnsAtOnce),
  );
  const seen = scans.map((): StreamProgress => ({ rows: 0, done: 0 }));
  // Each scan reads a part of every row.
  const mean = (of: keyof StreamProgress) => seen.reduce((sum, each) => sum + each[of], 0) / scans.length;
  const read = async (own: DuckDBConnection, scan: number) => {
    const collectors = scans[scan].map(({ name, answer }): Collector => {
      if (answer !== "text") return new NumericCollector(name, answer === "float", expected);
      return name === id && na.length === 0 ? new IdCollector(name, expected) : new TextCollector(name, expected);
    });
    const take = (chunk: DuckDBDataChunk, _start: number, count: number) => {
      for (let i = 0; i < collectors.length; i++) collectors[i].append(chunk.getColumnVector(i), count);
    };
    const tell = (progress: StreamProgress) => {
      seen[scan] = progress;
      watch?.({ rows: Math.floor(mean("rows")), done: mean("done") });
    };
    const asked = { expressions: scans[scan].map(({ expression }) => expression), relation: relation(asText) };
    const rows = await scanRows(own, { ...asked, ...defined({ rows: known }) }, take, watch && tell);
    seen[scan] = { rows, done: 1 };
    const columns: Column[] = [];
    for (const collector of collectors) columns.push(await collector.finish());
    return { rows, columns };
  };
  const found: Awaited<ReturnType<typeof read>>[] = [];
  let next = 0;
  const readOn = async (own: DuckDBConnection) => {
    for (let scan = next++; scan < scans.length; scan = next++) found[scan] = await read(own, scan);
  };
  const others = Array.from({ length: Math.min(threads, scans.length) - 1 }, () => withConnection(engine, readOn));
  // The engine is not closed before all have ended.
  const ends = await Promise.allSettled([readOn(connection), ...others]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return { rows: found[0]?.rows ?? 0, columns: found.flatMap(({ columns }) => columns) };
}

/** The table, with the names of the cells that keep columns from being numbers. */
async function tableOf({ judgements, ...table }: Fetched, layout: CsvLayout | undefined): Promise<Table> {
  const columns: Column[] = [];
  for (const { column, rows: odd, position } of judgements) {
    if (column.kind === "numeric" || odd.length === 0) {
      columns.push(column);
      continue;
    }
    let places = odd.map((row) => `row ${row}`);
    if (layout !== undefined) {
      // Only what may become an error is worth another look at the whole file.
      const exact = column.doubt ? await sheetRows(layout, odd) : odd.map((row) => row + 2);
      places = exact.map((row) => cellName(position, row));
    }
    columns.push({ ...column, notNumbers: places });
  }
  return { ...table, columns, ...(layout === undefined ? {} : { firstRow: 2 }) };
}
