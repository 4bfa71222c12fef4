import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { MoietyError } from "../../errors.js";
import { damaged, notATable } from "../formats.js";

const connections = new Set<DuckDBConnection>();

/**
 * Runs `work` with an in-memory engine of its own, and closes it: an engine keeps more than 100 MB of what it has used.
 * Extensions are never fetched: reading a table must not reach for the network. Insertion order is kept because a person's
 * row number is its identity.
 */
export async function withEngine<T>(
  work: (connection: DuckDBConnection, engine: DuckDBInstance) => Promise<T>,
): Promise<T> {
  const engine = await createEngine();
  try {
    return await withConnection(engine, (connection) => work(connection, engine));
  } finally {
    engine.closeSync();
  }
}

/** Runs `work` with a connection that `interruptEngine` knows of, and closes it. */
export async function withConnection<T>(
  engine: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await engine.connect();
  connections.add(connection);
  try {
    return await work(connection);
  } finally {
    connections.delete(connection);
    connection.closeSync();
  }
}

/** Has whatever runs in the engine end now: a process that exits would otherwise wait for its last query. */
export function interruptEngine(): void {
  for (const connection of connections) connection.interrupt();
}

/** The command that installs DuckDB where it was left out; a test compares the version with package.json. */
const installation = "npm install @duckdb/node-api@1.5.6-r.1";

/**
 * The engine is loaded by who needs it: it takes longer to load than all the rest together. Who has arrays only may have left it
 * out of the installation.
 */
export async function loadDuckDb(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    const why = "reading and writing files needs DuckDB, which was left out of this installation";
    throw new MoietyError("failed", `${why}: ${installation}`, { cause });
  }
}

async function createEngine(): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await loadDuckDb();
  return DuckDBInstance.create(":memory:", {
    threads: "2",
    preserve_insertion_order: "true",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // What does not fit in memory would otherwise spill into a folder beside the user's files.
    temp_directory: join(tmpdir(), `moiety-spill-${process.pid}`),
  });
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The engine takes a path for a pattern; a file may well be called `wave[1].csv`. */
export function quotePath(path: string): string {
  return quoteText(path.replace(/[*?[]/g, (special) => `[${special}]`));
}

/** The engine's error as ours. Its own text may quote cells and whole lines of the file, so only known-safe parts pass. */
export function fileError(name: string, cause: unknown): MoietyError {
  const text = messageOf(cause);
  const options = { cause: withoutData(text) };
  // The engine's lines are a spreadsheet's rows: breaks within cells do not count, empty lines do.
  const row = /CSV Error on Line: (\d+)/.exec(text)?.[1];
  const cells = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(text);
  if (row !== undefined && cells !== null) {
    return notATable(
      name,
      `row ${row} has ${cells[2]} ${cells[2] === "1" ? "cell" : "cells"} and the header has ${cells[1]}`,
      options,
    );
  }
  if (/not utf-8|Invalid unicode|not valid UTF-?8/i.test(text)) {
    return notATable(name, "it is not UTF-8 text; save it as UTF-8 and try again", { cause: notUtf8 });
  }
  if (/state machine reached an invalid state/i.test(text)) {
    return notATable(name, "its contents cannot be read", { cause: oddLineEnds });
  }
  if (/unterminated quote/.test(text)) return notATable(name, `row ${row} opens a quote that is never closed`, options);
  if (/maximum_line_size|Maximum line size/i.test(text)) return notATable(name, `row ${row} is too long`, options);
  if (isOutOfMemory(text)) return new MoietyError("failed", `not enough memory to read ${name}`, options);
  if (/not a GZIP|decompress/i.test(text)) return damaged(name, "gzip", options);
  if (/parquet/i.test(text)) return damaged(name, "parquet", options);
  if (/json/i.test(text)) return damaged(name, "json", options);
  return notATable(name, row === undefined ? "its contents cannot be read" : `row ${row} cannot be read`, options);
}

/** The engine says it in its own words, or in those of the language that it is written in. */
function isOutOfMemory(message: string): boolean {
  return /^Out of Memory|bad_alloc|failed to allocate|allocation failed/i.test(message);
}

/** What is wrong with a query: syntax and names come from the query itself and may be repeated, values may not. */
export function queryError(cause: unknown): MoietyError {
  const text = messageOf(cause);
  const first = text.split("\n", 1)[0].trim();
  const options = { cause: withoutData(text) };
  const missing = /No files found that match the pattern "([^"]*)"/.exec(first)?.[1];
  if (missing !== undefined) return new MoietyError("input", `no such file in the query: ${missing}`, options);
  if (/^(Parser|Catalog|Binder) Error:/.test(first) && !/convert|cast/i.test(first)) {
    return new MoietyError("input", `the query cannot be run: ${first}`, options);
  }
  if (isOutOfMemory(first)) return new MoietyError("failed", "not enough memory to run the query", options);
  const kind = /^([A-Z][A-Za-z ]*? Error):/.exec(first)?.[1];
  if (kind === "Conversion Error") {
    const advice = "a value does not fit its column's type; use TRY_CAST, or read_csv(..., all_varchar=true)";
    return new MoietyError("input", `the query failed: ${advice}`, options);
  }
  return new MoietyError("input", `the query failed${kind === undefined ? "" : ` (${kind})`}`, options);
}

/** Stands for the engine's words on bytes that are no UTF-8, which may quote them. */
const notUtf8 = new Error("not UTF-8");

export function isEncodingError(cause: unknown): boolean {
  return cause === notUtf8;
}

/** Stands for the engine's words where lines end in two ways. */
const oddLineEnds = new Error("line ends of two kinds");

export function isLineEndError(cause: unknown): boolean {
  return cause === oddLineEnds;
}

export function isConversionError(error: unknown): boolean {
  return /^Conversion Error/.test(messageOf(error));
}

/** The engine quotes whole lines of data in its messages: only their kind may travel with an error. */
function withoutData(text: string): Error {
  return new Error(/^([A-Z][A-Za-z ]*? Error)/.exec(text)?.[1] ?? "the engine failed");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
