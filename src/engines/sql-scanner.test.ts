import { afterAll, beforeAll, describe } from "vitest";
import type { EngineAddress } from "./address.js";
import type { SqlEngine } from "./engine.js";
import { openEngine } from "./open.js";
import { SqlScanner } from "./sql-scanner.js";
import { loadTable } from "./testing/load.js";
import { PostgresServer, withoutPostgres } from "./testing/postgres-server.js";
import { answersLikeMemory } from "./testing/same-answers.js";

describe("people in DuckDB", () => {
  answersLikeMemory(async (table) => {
    const address: EngineAddress = {
      kind: "duckdb",
      location: ":memory:",
      people: { table: "people" },
      shown: "memory",
    };
    const engine = await openEngine(address);
    await loadTable(engine, "people", table);
    return SqlScanner.open(engine, address);
  });
});

const missing = withoutPostgres();
describe.skipIf(missing !== undefined)(
  `people in PostgreSQL${missing === undefined ? "" : `: skipped, ${missing}`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server?.stop());
    let loaded: Promise<void> | undefined;

    answersLikeMemory(async (table) => {
      const address: EngineAddress = {
        kind: "postgres",
        location: server.url(),
        people: { table: "people" },
        shown: "server",
      };
      const engine: SqlEngine = await openEngine(address);
      loaded ??= loadTable(engine, "people", table);
      await loaded;
      return SqlScanner.open(engine, address);
    });
  },
);

const spark = process.env.MOIETY_SPARK;
describe.skipIf(spark === undefined)(
  `people in Spark${spark === undefined ? ": skipped, there is no server (npm run test:spark starts one)" : ""}`,
  () => {
    let loaded: Promise<void> | undefined;

    answersLikeMemory(async (table) => {
      const address: EngineAddress = {
        kind: "spark",
        location: spark ?? "",
        people: { table: "people" },
        shown: "server",
      };
      const engine = await openEngine(address);
      loaded ??= loadTable(engine, "people", table);
      await loaded;
      return SqlScanner.open(engine, address);
    });
  },
);
