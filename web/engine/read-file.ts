import { MoietyError } from "../../src/errors.js";
import { tableFromCsv } from "../../src/table/csv-text.js";
import {
  checkText,
  damaged,
  decoderOf,
  emptyFile,
  encodingGuess,
  encodingOf,
  formatOf,
} from "../../src/table/formats.js";
import { jsonColumn, tableFromJson } from "../../src/table/json-text.js";
import { type Cell, columnOf, tableOfColumns } from "../../src/table/make.js";
import type { Table } from "../../src/table/types.js";

/** The table in a file: CSV, JSON or Parquet, the first two also as .gz. What it is its name says, as it does for the command line. */
export async function readFile(name: string, given: Uint8Array): Promise<Table> {
  const { kind, gzip } = formatOf(name);
  if (given.length === 0) throw emptyFile(name);
  if (kind === "parquet") return readParquet(name, given);
  const bytes = gzip ? await unzipped(name, given) : given;
  return kind === "json" ? tableFromJson(new TextDecoder().decode(bytes), name) : readCsv(name, bytes);
}

async function unzipped(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (cause) {
    throw damaged(name, "gzip", { cause });
  }
}

function readCsv(name: string, bytes: Uint8Array): Table {
  const encoding = encodingOf(bytes);
  // Text of two bytes a character holds zeros that are none.
  if (encoding === undefined || encoding === "windows-1252") checkText(name, bytes);
  const text = encoding === undefined ? new TextDecoder().decode(bytes) : decoderOf(name, encoding)(bytes);
  const table = tableFromCsv(text, {}, name);
  return encoding === "windows-1252" ? { ...table, warnings: [encodingGuess(name)] } : table;
}

function isNested(cell: unknown): boolean {
  return typeof cell === "object" && cell !== null && !(cell instanceof Date);
}

/** Readers of Parquet are loaded when the first such file comes. */
async function readParquet(name: string, bytes: Uint8Array): Promise<Table> {
  const [{ parquetMetadata, parquetSchema, parquetRead }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  try {
    const metadata = parquetMetadata(file);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const rows = Number(metadata.num_rows);
    const columns = new Map<string, Cell[]>(names.map((column) => [column, new Array<Cell>(rows).fill(null)]));
    await parquetRead({
      file,
      metadata,
      compressors,
      onChunk: ({ columnName, columnData, rowStart, rowEnd }) => {
        const cells = columns.get(columnName);
        for (let row = rowStart; cells && row < rowEnd; row++) cells[row] = columnData[row - rowStart] as Cell;
      },
    });
    return tableOfColumns(
      Array.from(columns, ([name, cells]) => (cells.some(isNested) ? jsonColumn : columnOf)(name, cells)),
    );
  } catch (cause) {
    if (cause instanceof MoietyError) throw cause;
    throw damaged(name, "parquet", { cause });
  }
}
