import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { turn } from "../../turns.js";

/** A statement that is read as it runs: expressions over a relation. */
export interface Scan {
  readonly expressions: readonly string[];
  readonly relation: string;
}

/** What was read so far. */
export interface StreamProgress {
  readonly rows: number;
  /** The part of the work that the engine says is done, from 0 to 1. */
  readonly done: number;
}

/** Chunks between two turns of others: some milliseconds' worth. */
const chunksInTurn = 16;

/** The engine counts how far it is only where it may show a bar, which it must not print. */
const countsProgress =
  "SET enable_progress_bar_print = false; SET progress_bar_time = 0; SET enable_progress_bar = true";

/**
 * Streams the rows of a scan, in their order, and never holds them all. The engine ends a stream that fails as if it were
 * complete, so one row more is asked for behind the last: only who sees it has seen all rows. Returns how many there were.
 */
export async function scanRows(
  connection: DuckDBConnection,
  scan: Scan,
  take: (chunk: DuckDBDataChunk, start: number, count: number) => void,
  onProgress?: (progress: StreamProgress) => void,
): Promise<number> {
  const { expressions, relation } = scan;
  const nothing = expressions.map(() => "NULL");
  const sql = `SELECT ${[...expressions, "false"].join(", ")} FROM ${relation} UNION ALL SELECT ${[...nothing, "true"].join(", ")}`;
  if (onProgress) await connection.run(countsProgress);
  const result = await connection.stream(sql);
  let rows = 0;
  for (let chunks = 1; ; chunks++) {
    if (chunks % chunksInTurn === 0) {
      await turn();
      onProgress?.({ rows, done: Math.max(0, connection.progress.percentage / 100) });
    }
    const chunk = await result.fetchChunk();
    const count = chunk?.rowCount ?? 0;
    if (chunk === null || count === 0) throw await failureOf(connection, scan, rows);
    const isEnd = chunk.getColumnVector(expressions.length).getItem(count - 1) === true;
    const people = isEnd ? count - 1 : count;
    if (people > 0) take(chunk, rows, people);
    showMemory(count * expressions.length * cellBytes);
    rows += people;
    if (isEnd) return rows;
  }
}

/** What most cells take in the engine's memory. */
const cellBytes = 8;

/**
 * A chunk is freed by the garbage collector, which does not know how much memory the engine holds for it, and would come too
 * late. An array of the same size, which is never used and so takes no memory, has it come in time.
 */
function showMemory(bytes: number): void {
  new ArrayBuffer(bytes);
}

/** Why a stream ended early: the same scan fails again where it is not a stream. */
async function failureOf(
  connection: DuckDBConnection,
  { expressions, relation }: Scan,
  rows: number,
): Promise<unknown> {
  const largest = expressions.map((expression) => `max(${expression})`);
  return connection.run(`SELECT ${largest.join(", ")} FROM ${relation}`).then(
    () => new Error(`the result ended after ${rows} rows`),
    (error: unknown) => error,
  );
}
