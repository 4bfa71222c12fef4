import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { MoietyError } from "../../errors.js";
import { turn } from "../../turns.js";
import { expectGarbage } from "../garbage.js";

/** A statement that is read as it runs: expressions over a relation. */
export interface Scan {
  readonly expressions: readonly string[];
  readonly relation: string;
  /** How many rows there are, where that is known. */
  readonly rows?: number;
}

/** What was read so far. */
export interface StreamProgress {
  readonly rows: number;
  /** The part of the work that the engine says is done, from 0 to 1. */
  readonly done: number;
}

/** Chunks between two turns of others: some milliseconds' worth. */
const chunksInTurn = 16;

/**
 * Of a source that knows its rows the engine works ahead by so much: with a quarter of it, which it has for others, reading
 * 5,000,000 x 53 doubles from Parquet (`bench reading`) took a tenth longer. Parsing is slower than what takes rows in, and needs the memory.
 */
const bufferedBytes = 4_000_000;

/** The engine counts how far it is only where it may show a bar, which it must not print. */
const countsProgress =
  "SET enable_progress_bar_print = false; SET progress_bar_time = 0; SET enable_progress_bar = true";

/**
 * Streams the rows of a scan, in their order, and never holds them all. The engine ends a stream that fails as if it were
 * complete: only who sees as many rows as there are has seen all. Where nobody knows how many, one row more is asked for behind
 * the last, which takes the engine longer. Returns how many there were.
 */
export async function scanRows(
  connection: DuckDBConnection,
  scan: Scan,
  take: (chunk: DuckDBDataChunk, start: number, count: number) => void,
  onProgress?: (progress: StreamProgress) => void,
): Promise<number> {
  const { expressions, relation, rows: known } = scan;
  const nothing = expressions.map(() => "NULL");
  const sql =
    known === undefined
      ? `SELECT ${[...expressions, "false"].join(", ")} FROM ${relation} UNION ALL SELECT ${[...nothing, "true"].join(", ")}`
      : `SELECT ${expressions.join(", ")} FROM ${relation}`;
  if (onProgress) await connection.run(countsProgress);
  if (known !== undefined) await connection.run(`SET streaming_buffer_size = '${bufferedBytes}B'`);
  const result = await connection.stream(sql);
  let rows = 0;
  let garbage = 0;
  let coming = result.fetchChunk();
  try {
    for (let chunks = 1; ; chunks++) {
      if (chunks % chunksInTurn === 0) {
        await turn();
        onProgress?.({ rows, done: Math.max(0, connection.progress.percentage / 100) });
      }
      const chunk = await coming;
      const count = chunk?.rowCount ?? 0;
      if (chunk === null || count === 0) {
        if (rows === known) return rows;
        throw await failureOf(connection, scan);
      }
      // The engine works on the next chunk while this one is taken in.
      coming = result.fetchChunk();
      const isEnd = known === undefined && chunk.getColumnVector(expressions.length).getItem(count - 1) === true;
      const people = isEnd ? count - 1 : count;
      if (people > 0) take(chunk, rows, people);
      garbage += count * expressions.length * cellBytes;
      if (garbage > garbageBytes) {
        expectGarbage(garbage);
        garbage = 0;
      }
      rows += people;
      if (isEnd) return rows;
    }
  } finally {
    // Nobody may close the connection before its last answer.
    await Promise.allSettled([coming]);
  }
}

/** What most cells take in the engine's memory. */
const cellBytes = 8;

/** So many bytes of chunks are let go of before the garbage collector is asked for: for each chunk, it would take a tenth of all time of reading. */
const garbageBytes = 4e6;

/** Why a stream did not end as it should: the same scan fails again where it is not a stream, unless the rows are others now. */
async function failureOf(connection: DuckDBConnection, { expressions, relation }: Scan): Promise<unknown> {
  // Of hashes, since files say themselves what the largest values are.
  const largest = expressions.map((expression) => `max(hash(${expression}))`);
  return connection.run(`SELECT ${largest.join(", ")} FROM ${relation}`).then(
    () =>
      new MoietyError(
        "failed",
        "the source ended before its last row: it was changed while it was read, or memory ran out; run again when nobody writes to it",
      ),
    (error: unknown) => error,
  );
}
