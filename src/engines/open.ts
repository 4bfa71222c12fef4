import type { EngineAddress } from "./address.js";
import type { EngineProgress, SqlEngine } from "./engine.js";

export interface OpenOptions {
  /** A table of labels is written there. */
  readonly writes?: boolean;
  readonly onProgress?: EngineProgress;
}

/** Connects to the engine of an address. */
export async function openEngine(address: EngineAddress, options: OpenOptions = {}): Promise<SqlEngine> {
  const { kind, location, shown } = address;
  const name = shown.replace(/\?.*$/s, "");
  if (kind === "duckdb") {
    return (await import("./duckdb.js")).openDuckdb(location, options.writes ?? false, options.onProgress);
  }
  if (kind === "postgres") return (await import("./postgres.js")).openPostgres(location, name);
  return (await import("./spark/spark.js")).openSpark(location, name, options.onProgress);
}
