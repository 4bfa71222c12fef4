import { MoietyError } from "../../errors.js";
import { optionalPackage } from "../../optional-package.js";
import { sparkDialect } from "../dialect.js";
import {
  type AnswerKind,
  type Batch,
  type BatchColumn,
  beyondWhole,
  type EngineColumn,
  type EngineProgress,
  type SqlEngine,
  stopped,
} from "../engine.js";
import { workingTable } from "../leftovers.js";
import { isLostSession, parseSparkAddress, type SparkAddress, SparkSession } from "./client.js";

/**
 * Sums that overflow are errors. Code that is too long for the virtual machine's compiler runs slowly: beyond this many bytes
 * Spark splits it instead. What is shuffled are sums and the few people at a border: few partitions are enough.
 */
const settings = {
  "spark.sql.ansi.enabled": "true",
  "spark.sql.codegen.hugeMethodLimit": "8000",
  "spark.sql.shuffle.partitions": "16",
  "spark.sql.session.timeZone": "UTC",
};

type ArrowReader = typeof import("apache-arrow")["tableFromIPC"];

/** Opens a session of a Spark Connect server. */
export async function openSpark(url: string, name: string, onProgress?: EngineProgress): Promise<SqlEngine> {
  const address = parseSparkAddress(url, name);
  const { tableFromIPC } = await optionalPackage<typeof import("apache-arrow")>("apache-arrow", "Spark");
  const engine = new SparkEngine(address, name, tableFromIPC, onProgress);
  await engine.reconnect();
  return engine;
}

class SparkEngine implements SqlEngine {
  readonly dialect = sparkDialect;
  lost = false;
  private cancelled = false;
  private session: SparkSession | undefined;

  constructor(
    private readonly address: SparkAddress,
    readonly name: string,
    private readonly tableFromIPC: ArrowReader,
    private readonly onProgress: EngineProgress | undefined,
  ) {}

  async reconnect(): Promise<void> {
    await this.session?.close();
    const session = new SparkSession(this.address, this.name);
    await session.connect();
    await session.configure(settings);
    this.session = session;
    this.lost = false;
  }

  async run(sql: string): Promise<void> {
    await this.watched(async (session) => {
      for await (const part of session.command(sql)) {
        if (part.kind === "progress") this.onProgress?.(part.done, part.of);
      }
    });
  }

  async *read(sql: string, kinds: readonly AnswerKind[]): AsyncIterable<Batch> {
    try {
      for await (const part of this.connected.query(sql)) {
        if (part.kind === "progress") this.onProgress?.(part.done, part.of);
        else if (part.rows > 0) yield this.batchOf(part.arrow, part.rows, kinds);
      }
    } catch (error) {
      throw this.failed(error);
    }
  }

  async describe(query: string): Promise<EngineColumn[]> {
    const described: EngineColumn[] = [];
    for await (const { columns } of this.read(`DESCRIBE QUERY ${query}`, ["text", "text"])) {
      const [names, types] = columns as readonly (readonly string[])[];
      names.forEach((name, i) => {
        described.push({ name, type: types[i], kind: kindOf(types[i]) });
      });
    }
    return described;
  }

  async tables(): Promise<string[]> {
    const names: string[] = [];
    for await (const { columns } of this.read("SHOW TABLES", ["text", "text"])) names.push(...(columns[1] as string[]));
    return names;
  }

  async missingRight(): Promise<string | undefined> {
    const name = this.dialect.quote(`${workingTable("rights")}`);
    try {
      await this.run(`CREATE TABLE ${name} (x INT) USING parquet`);
      await this.run(`DROP TABLE ${name}`);
      return undefined;
    } catch (error) {
      if (this.lost || !(error instanceof MoietyError)) throw error;
      return `this user may not create tables in ${this.name}: GRANT CREATE TABLE ON SCHEMA … TO …`;
    }
  }

  cancel(): void {
    this.cancelled = true;
    this.session?.interrupt().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.session?.close();
  }

  private get connected(): SparkSession {
    if (this.session === undefined) throw new MoietyError("failed", `there is no connection to ${this.name}`);
    return this.session;
  }

  private async watched<T>(work: (session: SparkSession) => Promise<T>): Promise<T> {
    try {
      return await work(this.connected);
    } catch (error) {
      throw this.failed(error);
    }
  }

  private failed(error: unknown): unknown {
    this.lost = isLostSession(error);
    return error instanceof MoietyError && error.code === "cancelled" ? stopped(this.name, this.cancelled) : error;
  }

  private batchOf(arrow: Uint8Array, rows: number, kinds: readonly AnswerKind[]): Batch {
    const table = this.tableFromIPC(arrow);
    if (table.numRows !== rows) throw new MoietyError("failed", `${this.name} sent ${table.numRows} rows for ${rows}`);
    const columns = kinds.map((kind, at): BatchColumn => {
      const vector = table.getChildAt(at);
      if (vector === null) throw new Error(`the answer has no column ${at}`);
      if (kind === "text") return Array.from({ length: rows }, (_, i) => vector.get(i) as string | null);
      const numbers = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        const value: unknown = vector.get(i);
        numbers[i] = value === null ? Number.NaN : Number(value);
        if (typeof value === "bigint" && !Number.isSafeInteger(numbers[i])) throw beyondWhole();
      }
      return numbers;
    });
    return { rows, columns };
  }
}

function kindOf(type: string): EngineColumn["kind"] {
  if (/^(tinyint|smallint|int|bigint)$/.test(type)) return "whole";
  if (/^(decimal\(.*\)|float|double)$/.test(type)) return "number";
  if (type === "boolean") return "boolean";
  if (/^(date|timestamp.*)$/.test(type)) return "date";
  return /^(string|varchar.*|char.*)$/.test(type) ? "text" : "other";
}
