import type { Client, QueryArrayConfig } from "pg";
import { MoietyError } from "../errors.js";
import { optionalPackage } from "../optional-package.js";
import { postgresDialect } from "./dialect.js";
import {
  type AnswerKind,
  type Batch,
  type BatchColumn,
  beyondWhole,
  type EngineColumn,
  type SqlEngine,
  stopped,
} from "./engine.js";

/** Rows that one FETCH asks for. */
const batchRows = 16_384;

/** Opens a PostgreSQL server by its URL; a password may come from PGPASSWORD, as with psql. */
export async function openPostgres(url: string, name: string): Promise<SqlEngine> {
  const engine = new PostgresEngine(url, name);
  await engine.reconnect();
  return engine;
}

class PostgresEngine implements SqlEngine {
  readonly dialect = postgresDialect;
  lost = false;
  private cancelled = false;
  private client: Client | undefined;
  private process = 0;

  constructor(
    private readonly url: string,
    readonly name: string,
  ) {}

  async reconnect(): Promise<void> {
    this.client?.end().catch(() => undefined);
    this.client = await connect(this.url, this.name);
    this.client.on("error", () => {
      this.lost = true;
    });
    this.lost = false;
    await this.run(
      // Doubles as text with every digit; a backslash in a text is a backslash; days as everywhere; no limits on how long a scan may take.
      "SET extra_float_digits = 3; SET standard_conforming_strings = on; SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; " +
        "SET statement_timeout = 0; SET client_min_messages = warning",
    );
    const { columns } = await this.query("SELECT pg_backend_pid()", ["number"]);
    this.process = (columns[0] as Float64Array)[0];
  }

  async run(sql: string): Promise<void> {
    await this.connected.query(sql).catch(this.fail);
  }

  async *read(sql: string, kinds: readonly AnswerKind[]): AsyncIterable<Batch> {
    // A cursor lives in a transaction. Errors in the middle of its rows are errors of FETCH: it has no quiet end.
    await this.run(`BEGIN; DECLARE answer NO SCROLL CURSOR FOR ${sql}`);
    let whole = false;
    try {
      for (;;) {
        const batch = await this.query(`FETCH ${batchRows} FROM answer`, kinds);
        if (batch.rows > 0) yield batch;
        if (batch.rows < batchRows) break;
      }
      whole = true;
    } finally {
      if (!this.lost) await this.connected.query(whole ? "COMMIT" : "ROLLBACK").catch(this.fail);
    }
  }

  async describe(query: string): Promise<EngineColumn[]> {
    const config: QueryArrayConfig = { text: `SELECT * FROM (${query}\n) AS described LIMIT 0`, rowMode: "array" };
    const { fields } = await this.connected.query(config).catch((cause: unknown) => this.fail(cause, query));
    const names = fields.map(({ dataTypeID, dataTypeModifier }) => `format_type(${dataTypeID}, ${dataTypeModifier})`);
    const { columns } = await this.query(
      `SELECT ${names.join(", ")}`,
      names.map(() => "text"),
    );
    return fields.map(({ name }, at) => {
      const type = (columns[at] as readonly string[])[0];
      return { name, type, kind: kindOf(type) };
    });
  }

  async tables(): Promise<string[]> {
    const { columns } = await this.query(
      // Not information_schema: it hides tables that this user may not read, of which another message tells.
      "SELECT CASE WHEN nspname = current_schema() THEN relname ELSE nspname || '.' || relname END FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace " +
        "WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND nspname !~ '^(pg_|information_schema$)'",
      ["text"],
    );
    return columns[0] as string[];
  }

  async missingRight(labelsTable: readonly string[] | undefined): Promise<string | undefined> {
    const named = labelsTable?.at(-2);
    const schema = named === undefined ? "current_schema()" : this.dialect.text(named);
    const asked = [
      "quote_ident(current_user)",
      "quote_ident(current_database())",
      `quote_ident(${schema})`,
      "CAST(has_database_privilege(current_database(), 'TEMPORARY') AS TEXT)",
      `CAST(has_schema_privilege(${schema}, 'CREATE') AS TEXT)`,
      "CAST(pg_is_in_recovery() AS TEXT)",
      "current_setting('transaction_read_only')",
    ];
    const { columns } = await this.query(
      `SELECT ${asked.join(", ")}`,
      asked.map(() => "text"),
    );
    const [user, database, place, temporary, create, isReplica, readOnly] = columns.map((column) => column[0]);
    if (isReplica === "true") {
      return `${this.name} is a read-only replica, where no temporary tables can be made: name the primary server`;
    }
    if (readOnly === "on") {
      return `${user} may only read in ${this.name}, and a run needs temporary tables: ALTER ROLE ${user} SET default_transaction_read_only = off`;
    }
    if (temporary !== "true") {
      return `${user} may not create temporary tables in ${this.name}: GRANT TEMPORARY ON DATABASE ${database} TO ${user}`;
    }
    if (labelsTable === undefined || create === "true") return undefined;
    return `${user} may not create tables in ${this.name}: GRANT CREATE ON SCHEMA ${place} TO ${user}`;
  }

  cancel(): void {
    this.cancelled = true;
    // A second connection asks: this one is busy.
    connect(this.url, this.name).then(
      async (other) => {
        await other.query(`SELECT pg_cancel_backend(${this.process})`).catch(() => undefined);
        await other.end();
      },
      () => undefined,
    );
  }

  async close(): Promise<void> {
    await this.client?.end().catch(() => undefined);
  }

  private get connected(): Client {
    if (this.client === undefined || this.lost) throw this.gone();
    return this.client;
  }

  private async query(sql: string, kinds: readonly AnswerKind[]): Promise<Batch> {
    const config: QueryArrayConfig = { text: sql, rowMode: "array", types: { getTypeParser: () => asItIs } };
    const { rows } = await this.connected.query<(string | null)[]>(config).catch(this.fail);
    return { rows: rows.length, columns: kinds.map((kind, at) => columnOf(rows, at, kind)) };
  }

  /** The statement that grants what was denied, where it is a right to read. */
  private grantFor(message: string, query: string): string {
    const denied = /^permission denied for (table|view|materialized view|foreign table|schema) (.+)$/;
    const [, what, bare] = denied.exec(message) ?? [];
    if (bare === undefined) return "";
    const { quote } = this.dialect;
    if (what === "schema") return `: GRANT USAGE ON SCHEMA ${quote(bare)} TO ${quote(this.client?.user ?? "")}`;
    // The message has its last name alone.
    const before = query.slice(0, query.indexOf(quote(bare)));
    const schema = /(?:"(?:[^"]|"")+"\.)*$/.exec(before)?.[0] ?? "";
    return `: GRANT SELECT ON ${schema}${quote(bare)} TO ${quote(this.client?.user ?? "")}`;
  }

  private gone(): MoietyError {
    return new MoietyError("failed", `the connection to ${this.name} was lost`);
  }

  /** The server's messages may quote cells: those about names and rights pass, of others only the kind. */
  private readonly fail = (cause: unknown, query = ""): never => {
    if (cause instanceof MoietyError) throw cause;
    const { code = "", message } = cause as { code?: string; message: string };
    const state = /^[0-9A-Z]{5}$/.test(code) ? code : "";
    if (state === "57014") throw stopped(this.name, this.cancelled);
    if (state === "" || state.startsWith("08") || state.startsWith("57")) {
      this.lost = true;
      throw this.gone();
    }
    if (state.startsWith("42") || state.startsWith("3")) {
      const first = message.split("\n", 1)[0];
      throw new MoietyError("input", `PostgreSQL refuses the query: ${first}${this.grantFor(first, query)}`);
    }
    if (state.startsWith("53")) {
      throw new MoietyError(
        "failed",
        `PostgreSQL has not enough ${state === "53100" ? "disk" : "memory"} for the query`,
      );
    }
    throw new MoietyError("failed", `PostgreSQL could not run the query (error ${state})`);
  };
}

const asItIs = (text: string) => text;

async function connect(url: string, name: string): Promise<Client> {
  const { Client } = await optionalPackage<typeof import("pg")>("pg", "PostgreSQL");
  const client = newClient(Client, url, name);
  // Errors of a connection that nobody waits for end a process otherwise.
  client.on("error", () => undefined);
  await client.connect().catch((cause: unknown) => {
    client.end().catch(() => undefined);
    throw connectingError(name, cause as { code?: string; message?: string });
  });
  return client;
}

/** Encryption always checks the certificate here: these modes of libpq, which do not or not wholly, are taken for the one that does. */
const halfSecure = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/i;

function newClient(Client: typeof import("pg").Client, url: string, name: string): Client {
  try {
    const connectionString = /uselibpqcompat=/.test(url) ? url : url.replace(halfSecure, "$1verify-full");
    return new Client({ connectionString, application_name: "moiety" });
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code === "ENOENT" || code === "EACCES") {
      throw new MoietyError("input", `${name}: a file of sslcert, sslkey or sslrootcert cannot be read`);
    }
    const advice =
      "postgres://user@host:5432/db?table=name, and in a password %40 for @, %2F for /, %3F for ?, %23 for #";
    throw new MoietyError("usage", `${name} is no address of PostgreSQL: write ${advice}`);
  }
}

function connectingError(name: string, { code = "", message = "" }: { code?: string; message?: string }): MoietyError {
  if (code.startsWith("28") || /password/i.test(message)) {
    const advice = "give the password in PGPASSWORD, or another user in the address";
    return new MoietyError("input", `${name} refuses this user or password: ${advice}`);
  }
  if (code === "3D000") return new MoietyError("input", `${name}: there is no such database`);
  if (/SSL|certificate/i.test(message)) return new MoietyError("failed", `${name}: no secure connection (see sslmode)`);
  const why = /^E[A-Z]+$/.test(code) ? code : "the connection failed";
  return new MoietyError("failed", `${name} cannot be reached (${why}): is the server running?`);
}

function columnOf(rows: readonly (readonly (string | null)[])[], at: number, kind: AnswerKind): BatchColumn {
  if (kind === "text") return rows.map((row) => row[at]);
  const numbers = new Float64Array(rows.length);
  rows.forEach((row, i) => {
    const cell = row[at];
    numbers[i] = cell === null ? Number.NaN : Number(cell);
    if (cell !== null && !Number.isSafeInteger(numbers[i]) && /^-?\d+$/.test(cell)) throw beyondWhole();
  });
  return numbers;
}

function kindOf(type: string): EngineColumn["kind"] {
  if (/^(smallint|integer|bigint)$/.test(type)) return "whole";
  if (/^(numeric(\(.*\))?|real|double precision)$/.test(type)) return "number";
  if (type === "boolean") return "boolean";
  if (/^(date|timestamp.*)$/.test(type)) return "date";
  return /^(text|character.*|uuid|name|citext)$/.test(type) ? "text" : "other";
}
