import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBMaterializedResult,
  DuckDBVector,
} from "@duckdb/node-api";
import { MoietyError } from "../errors.js";
import { loadDuckDb } from "../table/disk/engine.js";
import { isDiskFull, noRoom } from "../table/disk/spool.js";
import { turn } from "../turns.js";
import { duckdbDialect } from "./dialect.js";
import {
  type AnswerKind,
  type Batch,
  type BatchColumn,
  beyondWhole,
  type EngineColumn,
  type EngineProgress,
  outOfMemory,
  type SqlEngine,
  stopped,
} from "./engine.js";

/** An engine without a file of its own. */
const inMemory = ":memory:";

/** Milliseconds between two looks at how far a statement is. */
const tellEvery = 100;

/** Opens a DuckDB file, or an engine in memory over files that a query names. Only what has to be written is opened for writing. */
export async function openDuckdb(file: string, writes: boolean, onProgress?: EngineProgress): Promise<DuckdbEngine> {
  if (file !== inMemory && !(await stat(file).catch(() => undefined))?.isFile()) {
    throw new MoietyError("input", `no such file: ${file}`);
  }
  const { DuckDBInstance } = await loadDuckDb();
  const instance = await DuckDBInstance.create(file, {
    ...(file === inMemory ? {} : { access_mode: writes ? "READ_WRITE" : "READ_ONLY" }),
    // Reading people must not reach for the network.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    temp_directory: join(tmpdir(), `moiety-spill-${process.pid}`),
  }).catch((cause: unknown) => {
    throw openingError(file, cause);
  });
  const connection = await instance.connect();
  // The day of an instant is the same on every machine.
  await connection.run("SET TimeZone = 'UTC'");
  // How far it is can be asked for then; the engine itself prints nothing.
  if (onProgress) await connection.run("SET enable_progress_bar_print = false; SET enable_progress_bar = true");
  return new DuckdbEngine(file, instance, connection, onProgress);
}

export class DuckdbEngine implements SqlEngine {
  readonly dialect = duckdbDialect;
  readonly lost = false;
  private cancelled = false;

  constructor(
    readonly name: string,
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly onProgress?: EngineProgress,
  ) {}

  async run(sql: string): Promise<void> {
    await this.watched(sql);
  }

  async *read(sql: string, kinds: readonly AnswerKind[], expected?: number): AsyncIterable<Batch> {
    // A stream that fails looks finished: what is not expected to have a certain length is held by the engine as a whole.
    const whole = expected === undefined ? await this.watched(sql) : undefined;
    const result = whole ?? (await this.connection.stream(sql).catch(this.fail));
    const rows = whole?.rowCount ?? expected;
    let read = 0;
    for (;;) {
      const chunk = await result.fetchChunk().catch(this.fail);
      if (chunk === null || chunk.rowCount === 0) break;
      read += chunk.rowCount;
      yield { rows: chunk.rowCount, columns: kinds.map((kind, at) => columnOf(chunk, at, kind)) };
      await turn();
    }
    if (read !== rows)
      throw new MoietyError("failed", `the answer of ${this.name} ended after ${read} of ${rows} rows`);
  }

  async describe(query: string): Promise<EngineColumn[]> {
    const result = await this.connection.run(`DESCRIBE ${query}`).catch(this.fail);
    return (await result.getRows()).map(([name, type]) => ({
      name: String(name),
      type: String(type),
      kind: kindOf(String(type)),
    }));
  }

  async tables(): Promise<string[]> {
    const result = await this.connection.run(
      "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database()",
    );
    return (await result.getRows()).map(([schema, name]) => (schema === "main" ? `${name}` : `${schema}.${name}`));
  }

  /** Who could open the file may do all that a run does. */
  async missingRight(labelsTable: readonly string[] | undefined): Promise<string | undefined> {
    if (labelsTable === undefined || this.name !== inMemory) return undefined;
    return `a table of labels would be gone with ${inMemory}: write labels to a file, or name a database file, such as people.duckdb`;
  }

  cancel(): void {
    this.cancelled = true;
    this.connection.interrupt();
  }

  async reconnect(): Promise<void> {
    throw new MoietyError("failed", `${this.name} is a file in this process: there is no connection to open again`);
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
  }

  /** Runs a statement to its end, and tells meanwhile how far the engine is. */
  private async watched(sql: string): Promise<DuckDBMaterializedResult> {
    const timer = this.onProgress && setInterval(() => this.tell(), tellEvery);
    try {
      return await this.connection.run(sql).catch(this.fail);
    } finally {
      clearInterval(timer);
    }
  }

  private tell(): void {
    const { percentage } = this.connection.progress;
    // Below 0 it does not know yet.
    if (percentage >= 0) this.onProgress?.(percentage, 100);
  }

  /** The engine's messages may quote cells: of those that can, only the kind passes. */
  private readonly fail = (cause: unknown): never => {
    const first = String(cause instanceof Error ? cause.message : cause).split("\n", 1)[0];
    if (/^INTERRUPT/.test(first)) throw stopped(this.name, this.cancelled);
    if (isDiskFull({ message: first })) throw noRoom("what DuckDB writes beside memory");
    if (/^Out of Memory/i.test(first)) throw outOfMemory("DuckDB");
    if (/^(Parser|Catalog|Binder) Error:/.test(first) || /read-only mode/.test(first)) {
      throw new MoietyError("input", `DuckDB refuses the query: ${first}`);
    }
    const kind = /^([A-Z][A-Za-z ]*? Error)/.exec(first)?.[1] ?? "unknown error";
    throw new MoietyError("failed", `DuckDB could not run the query (${kind})`);
  };
}

function kindOf(type: string): EngineColumn["kind"] {
  if (/^U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/.test(type)) return "whole";
  if (/^(DECIMAL\(.*\)|FLOAT|DOUBLE)$/.test(type)) return "number";
  if (type === "BOOLEAN") return "boolean";
  if (/^(DATE|TIMESTAMP.*)$/.test(type)) return "date";
  return /^(VARCHAR|UUID|ENUM.*)$/.test(type) ? "text" : "other";
}

/** The arrays under the engine's vectors: going through `getItem` costs ten times as much. */
interface RawNumbers {
  readonly validity: { itemValid(index: number): boolean };
  readonly items?: Float64Array | Float32Array | Int32Array | Int16Array | Int8Array | Uint8Array | BigInt64Array;
}

function columnOf(chunk: DuckDBDataChunk, at: number, kind: AnswerKind): BatchColumn {
  const vector: DuckDBVector = chunk.getColumnVector(at);
  const count = chunk.rowCount;
  if (kind === "text") return Array.from({ length: count }, (_, i) => vector.getItem(i) as string | null);
  const { items, validity } = vector as unknown as RawNumbers;
  if (items === undefined) throw new Error(`an answer of type ${vector.type} was expected to be a number: cast it`);
  const numbers = new Float64Array(count);
  if (items instanceof BigInt64Array) {
    // Halves of 32 bits: a BigInt for each number costs ten times as much.
    const halves = new Int32Array(items.buffer, items.byteOffset, 2 * count);
    for (let i = 0; i < count; i++) numbers[i] = halves[2 * i + 1] * 2 ** 32 + (halves[2 * i] >>> 0);
  } else numbers.set(items.subarray(0, count));
  for (let i = 0; i < count; i++) {
    if (!validity.itemValid(i)) numbers[i] = Number.NaN;
    else if (items instanceof BigInt64Array && !Number.isSafeInteger(numbers[i])) throw beyondWhole();
  }
  return numbers;
}

function openingError(file: string, cause: unknown): MoietyError {
  const text = String(cause);
  if (/lock/i.test(text)) {
    return new MoietyError("failed", `${file} is open for writing in another process: close it there`);
  }
  if (/permission denied/i.test(text)) return new MoietyError("input", `cannot open ${file}: no permission`);
  return new MoietyError("input", `${file} is not a DuckDB file that this version can open`);
}
