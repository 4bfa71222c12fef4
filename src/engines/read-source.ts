import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { describeSource, type ReadOptions, readTable } from "../table/disk/index.js";
import type { Table } from "../table/index.js";
import { isEngineAddress } from "./address.js";

export interface SourceReading extends ReadOptions {
  /** Ends what an engine does. */
  readonly signal?: AbortSignal;
}

/** The whole columns of a file or a query, or of people in an engine, who are then in memory as others are. */
export async function readSource(source: string, { signal, ...options }: SourceReading = {}): Promise<Table> {
  if (!isEngineAddress(source)) return readTable(source, options);
  const { columns, onProgress } = options;
  const own = (["na", "decimal"] as const).find((name) => options[name] !== undefined);
  if (own !== undefined) {
    throw new MoietyError("usage", `\`${own}\` has no meaning for people in an engine: leave it out`);
  }
  const { readEngine } = await import("./read-engine.js");
  return readEngine(source, { ...defined({ columns, signal }), onRows: (rows) => onProgress?.({ rows }) });
}

/** The names of the columns of a source. */
export async function namesIn(source: string): Promise<string[]> {
  if (!isEngineAddress(source)) return (await describeSource(source)).map(({ name }) => name);
  const { namesInEngine } = await import("./read-engine.js");
  return namesInEngine(source);
}
