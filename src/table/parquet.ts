import {
  DOUBLE,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBVector,
  FLOAT,
  INTEGER,
  UINTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import { quoteName, quoteText, withEngine } from "./engine.js";

/** A column to be written: an array of numbers, or texts by row. Null and NaN become missing. */
export type OutputColumn =
  | { readonly name: string; readonly values: Float64Array | Float32Array | Int32Array | Uint32Array }
  | { readonly name: string; readonly textAt: (row: number) => string | null };

const chunkRows = 2048;

/** Writes whole columns as one Parquet file, in the order of rows. */
export async function writeParquet(path: string, columns: readonly OutputColumn[], rows: number): Promise<void> {
  const types = columns.map(typeOf);
  await withEngine(async (connection) => {
    // A temporary table belongs to this connection and goes with it.
    const names = columns.map(({ name }, i) => `${quoteName(name)} ${types[i]}`).join(", ");
    await connection.run(`CREATE TEMP TABLE output (${names})`);
    const appender = await connection.createAppender("output", "main", "temp");
    for (let start = 0; start < rows; start += chunkRows) {
      const count = Math.min(chunkRows, rows - start);
      const chunk = DuckDBDataChunk.create(types, count);
      for (let i = 0; i < columns.length; i++) fill(chunk.getColumnVector(i), columns[i], start, count);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    await connection.run(`COPY output TO ${quoteText(path)} (FORMAT parquet, COMPRESSION zstd)`);
    await connection.run("DROP TABLE output");
  });
}

function typeOf(column: OutputColumn): DuckDBType {
  if (!("values" in column)) return VARCHAR;
  if (column.values instanceof Float64Array) return DOUBLE;
  if (column.values instanceof Float32Array) return FLOAT;
  return column.values instanceof Int32Array ? INTEGER : UINTEGER;
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
