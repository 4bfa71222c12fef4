import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { Table } from "../../table/types.js";
import { parseEngineAddress } from "../address.js";
import type { SqlEngine } from "../engine.js";
import { openEngine } from "../open.js";
import { SqlScanner } from "../sql-scanner.js";
import { loadTable } from "./load.js";
import { PostgresServer, withoutPostgres } from "./postgres-server.js";

/** An engine that tests run in. */
export interface Place {
  readonly name: string;
  /** The address of a table there, as a user writes it. */
  address(table: string): string;
  /** Puts a table there; once for each name. */
  load(name: string, table: Table): Promise<void>;
  scanner(table: string, labelsTable?: string): Promise<SqlScanner>;
  /** A connection for whatever a test looks at. */
  engine(): Promise<SqlEngine>;
  /** Loses all connections; undefined where there are none to lose. */
  readonly restart?: () => Promise<void>;
}

/** The same tests in every engine that this machine has; names of those that it has not say why. */
export function inEveryEngine(tests: (place: Place) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "moiety-engines-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describe("in DuckDB", () => {
    const file = join(folder, "people.duckdb");
    beforeAll(async () => {
      const { DuckDBInstance } = await import("@duckdb/node-api");
      (await DuckDBInstance.create(file)).closeSync();
    });
    tests(placeAt("DuckDB", (table) => `${file}?table=${table}`));
  });

  const missing = withoutPostgres();
  describe.skipIf(missing !== undefined)(missing === undefined ? "in PostgreSQL" : `in PostgreSQL: ${missing}`, () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server?.stop());
    const place = placeAt("PostgreSQL", (table) => server.url(`?table=${table}`));
    tests({ ...place, restart: () => server.restart() });
  });

  const spark = process.env.MOIETY_SPARK;
  const title = spark === undefined ? "in Spark: no server is named (npm run test:spark starts one)" : "in Spark";
  describe.skipIf(spark === undefined)(title, () => tests(placeAt("Spark", (table) => `${spark}?table=${table}`)));
}

function placeAt(name: string, address: Place["address"]): Place {
  const loaded = new Map<string, Promise<void>>();
  const open = (table: string) => openEngine(parseEngineAddress(address(table)), { writes: true });
  return {
    name,
    address,
    engine: () => open("any"),
    load: (table, rows) => {
      const loading =
        loaded.get(table) ?? open(table).then((engine) => loadTable(engine, table, rows).finally(() => engine.close()));
      loaded.set(table, loading);
      return loading;
    },
    scanner: async (table, labelsTable) =>
      SqlScanner.open(await open(table), parseEngineAddress(address(table)), labelsTable),
  };
}
