import { MoietyError } from "../../src/errors.js";
import { tableFromCsv } from "../../src/table/csv-text.js";
import { type Cell, tableFromColumns, tableFromRecords } from "../../src/table/make.js";
import type { Table } from "../../src/table/types.js";

/** The table in the bytes of a file: CSV, JSON or Parquet, the first two also as .gz. What it is, its first bytes say. */
export async function readFile(name: string, given: Uint8Array): Promise<Table> {
  const bytes = given[0] === 0x1f && given[1] === 0x8b ? await unzipped(given) : given;
  if (bytes.length === 0) throw new MoietyError("input", `${name} is empty: choose a file with a header and rows`);
  if (startsWith(bytes, "PAR1")) return readParquet(name, bytes);
  const text = textOf(bytes);
  if (/^\s*[[{]/.test(text)) return tableFromRecords(recordsOf(name, text));
  return tableFromCsv(text);
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((character, i) => bytes[i] === character.charCodeAt(0));
}

async function unzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Unicode, or what Western European spreadsheets write where the bytes are no UTF-8. */
function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** An array of objects, or one object a line. */
function recordsOf(name: string, text: string): Readonly<Record<string, Cell>>[] {
  try {
    if (text.trimStart().startsWith("[")) return JSON.parse(text);
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line));
  } catch (cause) {
    throw new MoietyError("input", `${name} is no JSON table: give an array of objects, or one object a line`, {
      cause,
    });
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
    throw new MoietyError("input", `${name} cannot be read as Parquet: ${(cause as Error).message}`, { cause });
  }
}
