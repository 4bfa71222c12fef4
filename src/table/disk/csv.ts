import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { MoietyError } from "../../errors.js";
import { headerOf, likelyDelimiter } from "../csv-text.js";
import { beginsWithMark, checkText, damaged, encodingGuess, encodingOf } from "../formats.js";
import { decimalMark, type Preference } from "../judge.js";
import type { DecimalMark } from "../spelling.js";
import { fileError, isEncodingError, isLineEndError, quotePath, quoteText } from "./engine.js";
import { type FileSource, firstBytes, firstUnzipped } from "./source.js";
import { isNumberSql, missingSql, plainNumberSql } from "./spelling-sql.js";
import { withUtf8 } from "./spool.js";

/** How a CSV file is laid out. Its columns are called c0, c1, … to the engine, so that any header will do. */
export interface CsvLayout extends FileSource {
  readonly delimiter: string;
  readonly names: readonly string[];
  /** About so many rows, and rather more; 0 where nothing tells. */
  readonly expected: number;
}

const headerBytes = 1 << 20;
const newline = 10;
/** Rows by which columns are judged: fewer in wide tables, where looking at them takes as long as reading them. */
const sampleRows = { most: 20_000, least: 1000, cells: 1_000_000 };

/**
 * Does `work` with a CSV file. One that is not in UTF-8 is copied first: where it has no mark that says what it is, it is
 * taken for Windows-1252, which spreadsheets write, and `work` gets the warning to pass on.
 */
export async function withCsv<T>(
  source: FileSource,
  work: (layout: CsvLayout, warnings: readonly string[]) => Promise<T>,
): Promise<T> {
  const start = await startOf(source);
  let encoding = encodingOf(start);
  if (encoding === undefined) {
    try {
      return await work(await csvLayout(source, start), []);
    } catch (error) {
      if (!(error instanceof MoietyError)) throw error;
      // Lines may end in two ways: the engine takes them for no lines at all.
      if (isEncodingError(error.cause)) encoding = "windows-1252";
      else if (isLineEndError(error.cause)) encoding = "utf-8";
      else throw error;
    }
  }
  // Text of two bytes a character holds zeros that are none.
  if (encoding === "windows-1252") checkText(source.name, start);
  return withUtf8(source, encoding, async (path) => {
    const copy = { ...source, path, gzip: false };
    return work(
      await csvLayout(copy, await startOf(copy)),
      encoding === "windows-1252" ? [encodingGuess(source.name)] : [],
    );
  });
}

/** Does `work` with a file of JSON, which the engine does not read behind a mark. */
export async function withJson<T>(source: FileSource, work: (source: FileSource) => Promise<T>): Promise<T> {
  if (!beginsWithMark(await startOf(source))) return work(source);
  return withUtf8(source, "utf-8", (path) => work({ ...source, path, gzip: false }));
}

function startOf(source: FileSource): Promise<Buffer> {
  return source.gzip ? firstUnzipped(source, headerBytes) : firstBytes(source.path, headerBytes);
}

/**
 * Reads the header ourselves rather than let the engine guess: its sniffer renames duplicates, skips a header that is
 * shorter than the rows, and turns a ragged file into one wide column.
 */
async function csvLayout(source: FileSource, start: Buffer): Promise<CsvLayout> {
  checkText(source.name, start);
  const text = start.toString("utf8").replace(/^\ufeff/, "");
  const delimiter = /\.tsv(\.gz)?$/i.test(source.name) ? "\t" : likelyDelimiter(text);
  const { names } = headerOf(text, delimiter);
  return { ...source, delimiter, names, expected: await expectedRows(source, start) };
}

/** Rows that are shorter than the first ones are more. */
const margin = 1.25;

/** By how long the first rows are: room for rows that do not come takes nothing. */
async function expectedRows({ path, gzip }: FileSource, start: Buffer): Promise<number> {
  if (gzip) return 0;
  const { size } = await stat(path);
  const lines = start.reduce((count, byte) => count + (byte === newline ? 1 : 0), 0);
  return Math.ceil((margin * size * lines) / start.length);
}

/** Of each of the engine's buffers: two of the longest lines that it takes. By itself it would hold eight times as much; with twice as much, a million people by 53 doubles (`bench reading`) took 35 MB more and no less time. */
const bufferBytes = 4 << 20;

/** The relation of a CSV file in which the named positions are numbers and all other columns text as it stands. */
export function csvRelation(layout: CsvLayout, isNumber: (position: number) => boolean): string {
  const columns = layout.names.map((_, i) => `'c${i}': '${isNumber(i) ? "DOUBLE" : "VARCHAR"}'`).join(", ");
  const delimiter = quoteText(layout.delimiter);
  const dialect = `auto_detect=false, header=true, delim=${delimiter}, quote='"', escape='"'`;
  // The engine itself would go by the name's ending, and takes .GZ for plain text.
  const compression = layout.gzip ? "gzip" : "none";
  return `read_csv(${quotePath(layout.path)}, ${dialect}, compression='${compression}', buffer_size=${bufferBytes}, columns={${columns}})`;
}

/** How a column is to be read: by the engine itself, as numbers with one of the marks, or as text. */
export type Reading = "plain" | DecimalMark | "text";

/** What the user says of a file: what is missing there, and how open cases are decided. */
export interface Manner extends Preference {
  readonly na: readonly string[];
}

/**
 * How each column is to be read: judged by the first rows, or by all of them when the first misled. Counting in the
 * engine takes a fifth of the time that its sniffer needs for a whole file.
 */
export async function readings(
  connection: DuckDBConnection,
  layout: CsvLayout,
  extent: Extent,
  manner: Manner,
): Promise<Reading[]> {
  const look = (over: Extent, how: Manner, positions: readonly number[]) =>
    found(connection, layout, over, how, positions).catch((error: unknown) => {
      throw fileError(layout.name, error);
    });
  const all = layout.names.map((_, i) => i);
  const first = await look(extent, manner, all);
  const readingOf = ({ reading }: Finding) => reading;
  if (manner.decimal !== undefined || !first.map(readingOf).includes("comma")) return first.map(readingOf);
  // Points in the other columns are not plainly decimal ones then, and where the sample does not settle it all rows must.
  const elsewhere = { ...manner, commasElsewhere: true };
  const closer = await look(extent, elsewhere, all);
  const open = extent === "whole" ? [] : all.filter((i) => !closer[i].settled);
  const settled = await look("whole", elsewhere, open);
  open.forEach((i, at) => {
    closer[i] = settled[at];
  });
  return closer.map(readingOf);
}

type Extent = "sample" | "whole";

/** Of a column; settled when no further row could show that its decimals have the other mark. */
interface Finding {
  readonly reading: Reading;
  readonly settled: boolean;
}

async function found(
  connection: DuckDBConnection,
  layout: CsvLayout,
  extent: Extent,
  manner: Manner,
  positions: readonly number[],
): Promise<Finding[]> {
  if (positions.length === 0) return [];
  const texts = `SELECT * FROM ${csvRelation(layout, () => false)}`;
  const rows = extent === "sample" ? sampled(texts, layout) : texts;
  const plain = await counted(connection, rows, positions, (cell) => [
    `count(${cell})`,
    `count(${plainNumberSql(cell)})`,
  ]);
  const isPlain = plain.map(([present, numbers]) => present > 0 && present === numbers);
  // A plain number has at most a decimal point, which is in doubt only where somebody speaks of commas.
  const simple = manner.decimal !== "comma" && !manner.commasElsewhere;
  const open = positions.flatMap((_, at) => (plain[at][0] === 0 || (simple && isPlain[at]) ? [] : [at]));
  const findings = isPlain.map((is): Finding => ({ reading: is ? "plain" : "text", settled: true }));
  if (open.length === 0) return findings;
  const asked = open.map((at) => positions[at]);
  const tallies = await counted(connection, rows, asked, (cell) => {
    const present = `NOT ${missingSql(cell, manner.na)}`;
    const marks = [`${cell} LIKE '%,%'`, `${cell} LIKE '%.%'`];
    const conditions = ["true", isNumberSql(cell, "point"), isNumberSql(cell, "comma"), ...marks];
    return conditions.map((condition) => `count(${cell}) FILTER (${present} AND ${condition})`);
  });
  open.forEach((at, i) => {
    const [cells, point, comma, commas, points] = tallies[i];
    const mark = decimalMark({ cells, point, comma, commas, points }, manner);
    const settled = point < cells || comma < cells;
    if (mark === "either") findings[at] = { reading: "text", settled };
    else if (mark === "point" && isPlain[at]) findings[at] = { reading: "plain", settled };
    else if (mark !== undefined) findings[at] = { reading: mark, settled };
  });
  return findings;
}

/** The rows by which columns are judged first. */
export function sampled(relation: string, { names }: CsvLayout): string {
  const affordable = Math.floor(sampleRows.cells / names.length);
  return `${relation} LIMIT ${Math.max(sampleRows.least, Math.min(sampleRows.most, affordable))}`;
}

/** Counts over some rows, several for each column. */
async function counted(
  connection: DuckDBConnection,
  rows: string,
  positions: readonly number[],
  countsOf: (cell: string) => string[],
): Promise<number[][]> {
  const counts = positions.map((position) => countsOf(`c${position}`));
  const result = await connection.run(`SELECT ${counts.flat().join(", ")} FROM (${rows})`);
  const row = (await result.getRows())[0].map(Number);
  return counts.map((each) => row.splice(0, each.length));
}

/** Throws unless the file is one whole gzip stream: the engine would take a truncated one for a shorter table. */
export async function checkGzip({ path, name }: FileSource): Promise<void> {
  try {
    await pipeline(
      createReadStream(path, { highWaterMark: 1 << 20 }),
      createGunzip({ chunkSize: 1 << 20 }),
      async (parts) => {
        for await (const _ of parts);
      },
    );
  } catch (cause) {
    throw damaged(name, "gzip", { cause });
  }
}
