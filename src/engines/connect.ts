import { cancelled } from "../errors.js";
import { parseEngineAddress } from "./address.js";
import type { EngineProgress } from "./engine.js";
import { openEngine } from "./open.js";
import { SqlScanner } from "./sql-scanner.js";

export interface ConnectOptions {
  /** A new table in the engine for labels. */
  readonly labelsTable?: string;
  /** Ends the query that runs. */
  readonly signal?: AbortSignal;
  readonly onProgress?: EngineProgress;
}

/** The people that an address such as `postgres://host/db?table=people` names. The scanner closes the connection. */
export async function connectPeople(source: string, options: ConnectOptions = {}): Promise<SqlScanner> {
  const address = parseEngineAddress(source);
  const { labelsTable, signal, onProgress } = options;
  const engine = await openEngine(address, {
    writes: labelsTable !== undefined,
    ...(onProgress ? { onProgress } : {}),
  });
  const cancel = () => engine.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted) throw cancelled();
    return await SqlScanner.open(engine, address, labelsTable);
  } catch (error) {
    await engine.close();
    throw error;
  }
}
