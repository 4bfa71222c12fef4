import { cancelled, MoietyError } from "../errors.js";
import type { ScannedColumn } from "../scans/scanner.js";
import type { Dialect } from "./dialect.js";

/** What a column of a table in an engine holds, as far as we use it. */
type EngineColumnKind = "whole" | "number" | "boolean" | "date" | "text" | "other";

export interface EngineColumn {
  readonly name: string;
  readonly kind: EngineColumnKind;
  /** The engine's own name of the type. */
  readonly type: string;
  readonly doubt?: ScannedColumn["doubt"];
  /** What every text of the column spells, and its number as an expression: it is a feature where it is named. */
  readonly spelt?: { readonly kind: "number" | "boolean" | "date"; readonly number: string };
}

/** Numbers come as doubles, NaN where there is NULL; texts as strings. */
export type AnswerKind = "number" | "text";

/** Some rows of an answer, column by column in the order of the query. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly BatchColumn[];
}

export type BatchColumn = Float64Array | readonly (string | null)[];

/** How far the engine is with a statement, where it tells: parts done of parts. */
export type EngineProgress = (done: number, of: number) => void;

/** One connection to an engine that holds people: a database or a cluster. Statements run one after another. */
export interface SqlEngine {
  readonly dialect: Dialect;
  /** What messages call it, without secrets. */
  readonly name: string;
  /** Whether the connection broke: temporary tables are gone, and `reconnect` opens another. */
  readonly lost: boolean;
  run(sql: string): Promise<void>;
  /**
   * The answer to a query in batches. The engine has said that the answer is whole before the last batch is given, or this
   * throws: an answer that breaks off never looks finished. `expected` rows are needed for answers that do not fit in the
   * engine's memory. Whole numbers beyond 2^53 throw.
   */
  read(sql: string, kinds: readonly AnswerKind[], expected?: number): AsyncIterable<Batch>;
  /** The columns of a query's answer. */
  describe(query: string): Promise<EngineColumn[]>;
  /** The tables that can be named, for messages. */
  tables(): Promise<string[]>;
  /** What a right that a run needs is missing for, and the statement that grants it; undefined where none is. */
  missingRight(labelsTable: readonly string[] | undefined): Promise<string | undefined>;
  /** Ends whatever runs now; it then throws "cancelled". */
  cancel(): void;
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** A small answer in one piece. */
export async function readAll(engine: SqlEngine, sql: string, kinds: readonly AnswerKind[]): Promise<Batch> {
  const batches: Batch[] = [];
  for await (const batch of engine.read(sql, kinds)) batches.push(batch);
  return wholeOf(batches, kinds);
}

/** The batches of an answer as one. */
export function wholeOf(batches: readonly Batch[], kinds: readonly AnswerKind[]): Batch {
  if (batches.length === 1) return batches[0];
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  const columns = kinds.map((kind, at): BatchColumn => {
    if (kind === "text") return batches.flatMap(({ columns }) => columns[at] as readonly (string | null)[]);
    const whole = new Float64Array(rows);
    let filled = 0;
    for (const batch of batches) {
      whole.set(batch.columns[at] as Float64Array, filled);
      filled += batch.rows;
    }
    return whole;
  });
  return { rows, columns };
}

/** What a statement fails with that was ended: by us, or by somebody at the engine. */
export function stopped(name: string, byUs: boolean): MoietyError {
  return byUs ? cancelled() : new MoietyError("failed", `${name} has cancelled the query`);
}

export function outOfMemory(name: string): MoietyError {
  return new MoietyError("failed", `${name} has not enough memory for the query`);
}

export function isOutOfMemory(error: unknown): boolean {
  return error instanceof MoietyError && /not enough memory/.test(error.message);
}

export function beyondWhole(): MoietyError {
  return new MoietyError("failed", "the engine answered with a whole number beyond 2^53, which would not be exact");
}
