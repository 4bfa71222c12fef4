import { MoietyError } from "../../src/errors.js";
import { tableFromCsv } from "../../src/table/csv-text.js";
import {
  beginsAsGzip,
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

/** What a gzip file holds: the browser unpacks one member at a time, and archives that were appended to have several. */
async function unzipped(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const whole = await member(bytes);
  if (whole instanceof Uint8Array) return whole;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let to = nextMember(bytes, from + 1); from < bytes.length; to = nextMember(bytes, to + 1)) {
    const part = await member(bytes.subarray(from, to));
    if (part instanceof Uint8Array) {
      parts.push(part);
      from = to;
      // What looks like the beginning of a member may be a part of this one.
    } else if (to === bytes.length) throw damaged(name, "gzip", { cause: part });
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** What one member of a gzip file holds, or why these bytes are none. */
async function member(bytes: Uint8Array): Promise<unknown> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer().then(
    (unpacked) => new Uint8Array(unpacked),
    (cause: unknown) => cause,
  );
}

/** The next place, from this one on, at which a member may begin, or the end. */
function nextMember(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x1f, from); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
    if (beginsAsGzip(bytes.subarray(at)) && bytes[at + 2] === 8) return at;
  }
  return bytes.length;
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
