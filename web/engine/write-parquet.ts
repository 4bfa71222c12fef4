import type { OutputColumn, OutputPart } from "../../src/table/disk/parquet.js";

/** The bytes of a Parquet file. The writer is loaded when the first one is asked for. */
export async function writeParquet({ rows, columns }: OutputPart): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  return new Uint8Array(parquetWriteBuffer({ columnData: columns.map((column) => columnData(column, rows)) }));
}

function columnData(column: OutputColumn, rows: number) {
  const { name } = column;
  if ("textAt" in column) {
    return { name, type: "STRING" as const, data: Array.from({ length: rows }, (_, row) => column.textAt(row)) };
  }
  const { values } = column;
  const isWhole = values instanceof Int32Array || values instanceof Uint32Array;
  const data = Array.from(values, (value) => (Number.isNaN(value) ? null : value));
  return { name, type: isWhole ? ("INT32" as const) : ("DOUBLE" as const), data };
}
