import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import type { CsvLayout } from "./csv.js";

const [lineFeed, carriageReturn, quote] = [10, 13, 34];

/**
 * The rows in a spreadsheet of some of a CSV file's records, which are counted from 0 and given in order. They differ by
 * the header and by the empty lines, which only spreadsheets show; in a file of one column these are records.
 */
export async function sheetRows(file: CsvLayout, records: readonly number[]): Promise<number[]> {
  if (file.names.length === 1) return records.map((record) => record + 2);
  const bytes: AsyncIterable<Buffer> = file.gzip
    ? createReadStream(file.path).pipe(createGunzip())
    : createReadStream(file.path, { highWaterMark: 1 << 20 });
  const rows: number[] = [];
  let row = 1;
  // The header is record -1.
  let record = -1;
  let empty = true;
  let quoted = false;
  let previous = 0;
  for await (const part of bytes) {
    for (const byte of part) {
      if (byte === quote) quoted = !quoted;
      const ends = !quoted && (byte === lineFeed || byte === carriageReturn);
      if (!ends) empty = false;
      else if (byte !== lineFeed || previous !== carriageReturn) {
        if (!empty && record++ === records[rows.length]) rows.push(row);
        if (rows.length === records.length) return rows;
        row++;
        empty = true;
      }
      previous = byte;
    }
  }
  // The last line may have no end.
  while (rows.length < records.length) rows.push(row + records[rows.length] - record);
  return rows;
}
