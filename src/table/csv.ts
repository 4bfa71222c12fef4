import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { notATable, quotePath, quoteText } from "./engine.js";
import { checkText, firstBytes } from "./source.js";

/** How a CSV file is laid out. Its columns are called c0, c1, … to the engine, so that any header will do. */
export interface CsvLayout {
  readonly path: string;
  readonly gzip: boolean;
  readonly delimiter: string;
  readonly names: readonly string[];
}

const headerBytes = 1 << 20;
/** Rows by which columns are judged: fewer in wide tables, where looking at them takes as long as reading them. */
const sampleRows = { most: 20_000, least: 1000, cells: 1_000_000 };

/**
 * Reads the header ourselves rather than let the engine guess: its sniffer renames duplicates, skips a header that is
 * shorter than the rows, and turns a ragged file into one wide column.
 */
export async function csvLayout(path: string, gzip: boolean): Promise<CsvLayout> {
  const start = gzip ? await firstUnzipped(path, headerBytes) : await firstBytes(path, headerBytes);
  checkText(path, start);
  const text = start.toString("utf8").replace(/^\ufeff/, "");
  const delimiter = /\.tsv(\.gz)?$/i.test(path) ? "\t" : likelyDelimiter(text);
  const names = parseHeader(text, delimiter).map((name, i) => (name === "" ? `column${i}` : name));
  return { path, gzip, delimiter, names };
}

/** The relation of a CSV file in which the named positions are numbers and all other columns text as it stands. */
export function csvRelation(layout: CsvLayout, isNumber: (position: number) => boolean): string {
  const columns = layout.names.map((_, i) => `'c${i}': '${isNumber(i) ? "DOUBLE" : "VARCHAR"}'`).join(", ");
  const delimiter = quoteText(layout.delimiter);
  const dialect = `auto_detect=false, header=true, delim=${delimiter}, quote='"', escape='"'`;
  // The engine itself would go by the name's ending, and takes .GZ for plain text.
  const compression = layout.gzip ? "gzip" : "none";
  return `read_csv(${quotePath(layout.path)}, ${dialect}, compression='${compression}', columns={${columns}})`;
}

/**
 * Which columns hold numbers only: judged by the first rows, or by all of them when the first misled. Counting in the
 * engine takes a fifth of the time that its sniffer needs for a whole file.
 */
export async function numericPositions(
  connection: DuckDBConnection,
  layout: CsvLayout,
  extent: "sample" | "whole",
): Promise<boolean[]> {
  const counts = layout.names.map((_, i) => `count(c${i}), count(TRY_CAST(c${i} AS DOUBLE))`).join(", ");
  const rows = `SELECT * FROM ${csvRelation(layout, () => false)}`;
  const affordable = Math.floor(sampleRows.cells / layout.names.length);
  const limit = Math.max(sampleRows.least, Math.min(sampleRows.most, affordable));
  const limited = extent === "sample" ? `${rows} LIMIT ${limit}` : rows;
  const result = await connection.run(`SELECT ${counts} FROM (${limited})`);
  const row = (await result.getRows())[0];
  return layout.names.map((_, i) => {
    const present = Number(row[2 * i]);
    return present > 0 && present === Number(row[2 * i + 1]);
  });
}

/** Throws unless the file is one whole gzip stream: the engine would take a truncated one for a shorter table. */
export async function checkGzip(path: string): Promise<void> {
  try {
    await pipeline(
      createReadStream(path, { highWaterMark: 1 << 20 }),
      createGunzip({ chunkSize: 1 << 20 }),
      async (parts) => {
        for await (const _ of parts);
      },
    );
  } catch (cause) {
    throw notATable(path, "it is not a whole gzip file", { cause });
  }
}

async function firstUnzipped(path: string, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let filled = 0;
  const file = createReadStream(path);
  try {
    for await (const part of file.pipe(createGunzip())) {
      parts.push(part as Buffer);
      filled += (part as Buffer).length;
      if (filled >= count) break;
    }
  } catch (cause) {
    throw notATable(path, "it is not a whole gzip file", { cause });
  } finally {
    file.destroy();
  }
  return Buffer.concat(parts).subarray(0, count);
}

/** The candidate that occurs most often in the header, outside quotes; a comma when there is none: one column. */
function likelyDelimiter(text: string): string {
  const candidates = [",", ";", "\t", "|"];
  const counts = candidates.map(() => 0);
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "\n" || character === "\r")) break;
    else if (!quoted) {
      const i = candidates.indexOf(character);
      if (i >= 0) counts[i]++;
    }
  }
  return candidates[counts.indexOf(Math.max(...counts))];
}

/** The cells of the first record; quoted ones may hold delimiters, line ends and doubled quotes. */
function parseHeader(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === "\n" || character === "\r") break;
    else if (character === delimiter) {
      cells.push(cell.trim());
      cell = "";
    } else cell += character;
  }
  cells.push(cell.trim());
  return cells;
}
