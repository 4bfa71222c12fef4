import type { DuckDBDataChunk, DuckDBTableFunction, DuckDBType, DuckDBVector } from "@duckdb/node-api";
import { loadDuckDb, quoteText, withEngine } from "./engine.js";

/** A column to be written: an array of numbers, or texts by row. Null and NaN become missing. */
export type OutputColumn =
  | { readonly name: string; readonly values: Float64Array | Float32Array | Int32Array | Uint32Array }
  | { readonly name: string; readonly textAt: (row: number) => string | null };

type Engine = typeof import("@duckdb/node-api");

const chunkRows = 2048;

/** Some of the rows of a table; all parts of one have the same columns. */
export interface OutputPart {
  readonly rows: number;
  readonly columns: readonly OutputColumn[];
}

/**
 * Writes the rows of all parts, one after the other, as one Parquet file. The engine pulls our arrays through a table
 * function: appending them to a table of its own first takes four times as long and twice the memory.
 */
export async function writeParquet(path: string, parts: Iterable<OutputPart>, rows: number): Promise<void> {
  const source = await tableFunction("output", parts, rows);
  await withEngine(async (connection) => {
    connection.registerTableFunction(source);
    await connection.run(`COPY (FROM output()) TO ${quoteText(path)} (FORMAT parquet)`);
  });
}

/** The rows of all parts as a table function, from which the engine reads once. */
export async function tableFunction(
  name: string,
  parts: Iterable<OutputPart>,
  rows: number,
): Promise<DuckDBTableFunction> {
  const engine = await loadDuckDb();
  const coming = parts[Symbol.iterator]();
  const next = (): OutputPart => {
    const { done, value } = coming.next();
    return done ? { rows: 0, columns: [] } : value;
  };
  let part = next();
  let start = 0;
  return engine.DuckDBTableFunction.create({
    name,
    bindFunction: (bind) => {
      for (const column of part.columns) bind.addResultColumn(column.name, typeOf(column, engine));
      bind.setCardinality(rows, true);
    },
    // One reader, so that rows keep their order.
    initFunction: (init) => init.setMaxThreads(1),
    mainFunction: (_, chunk: DuckDBDataChunk) => {
      if (start === part.rows) {
        part = next();
        start = 0;
      }
      const count = Math.min(chunkRows, part.rows - start);
      chunk.rowCount = count;
      part.columns.forEach((column, i) => {
        fill(chunk.getColumnVector(i), column, start, count);
      });
      start += count;
    },
  });
}

function typeOf(column: OutputColumn, types: Engine): DuckDBType {
  if (!("values" in column)) return types.VARCHAR;
  if (column.values instanceof Float64Array) return types.DOUBLE;
  if (column.values instanceof Float32Array) return types.FLOAT;
  return column.values instanceof Int32Array ? types.INTEGER : types.UINTEGER;
}

/** `setItem` is the slow way in, so whole chunks go through the vector's own array and only gaps through `setItem`. */
function fill(vector: DuckDBVector, column: OutputColumn, start: number, count: number): void {
  const target = vector as unknown as {
    items: Float64Array | Float32Array | Int32Array | Uint32Array;
    setItem(index: number, value: number | string | null): void;
    flush(): void;
  };
  if ("values" in column) {
    const part = column.values.subarray(start, start + count);
    target.items.set(part);
    for (let i = 0; i < count; i++) if (Number.isNaN(part[i])) target.setItem(i, null);
  } else {
    for (let i = 0; i < count; i++) target.setItem(i, column.textAt(start + i));
  }
  target.flush();
}
