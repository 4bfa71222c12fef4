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
import { type Cell, tableFromColumns, tableFromRecords } from "../../src/table/make.js";
import type { Table } from "../../src/table/types.js";

/** The table in a file: CSV, JSON or Parquet, the first two also as .gz. What it is its name says, as it does for the command line. */
export async function readFile(name: string, given: Uint8Array): Promise<Table> {
  const { kind, gzip } = formatOf(name);
  if (given.length === 0) throw emptyFile(name);
  if (kind === "parquet") return readParquet(name, given);
  const bytes = gzip ? await unzipped(name, given) : given;
  return kind === "json" ? tableFromRecords(recordsOf(name, bytes)) : readCsv(name, bytes);
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

/** An array of objects, or one object a line. */
function recordsOf(name: string, bytes: Uint8Array): Readonly<Record<string, Cell>>[] {
  const text = new TextDecoder().decode(bytes);
  const records = parsed(name, text);
  const isRecord = (record: unknown) => typeof record === "object" && record !== null && !Array.isArray(record);
  if (records.length === 0 || !records.every(isRecord)) throw damaged(name, "json");
  return records as Readonly<Record<string, Cell>>[];
}

function parsed(name: string, text: string): unknown[] {
  try {
    if (text.trimStart().startsWith("[")) return JSON.parse(text);
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line));
  } catch (cause) {
    throw damaged(name, "json", { cause });
  }
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
    return tableFromColumns(columns);
  } catch (cause) {
    if (cause instanceof MoietyError) throw cause;
    throw damaged(name, "parquet", { cause });
  }
}
