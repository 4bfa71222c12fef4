import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { MoietyError } from "../../errors.js";
import { shortestSingle } from "../levels.js";
import { isSinglePrecision } from "../scale.js";
import { guarded } from "../spreadsheet.js";
import type { Column, People, Table, TableParts } from "../types.js";
import { writeAtomically } from "./atomic.js";
import { CellWriter, longestNumber, longestText, type Sink } from "./cells.js";
import { quoteName, quotePath, quoteText, withEngine } from "./engine.js";
import { type OutputColumn, type OutputPart, writeParquet } from "./parquet.js";

const comma = 44;
const tab = 9;

/**
 * Writes the cluster of each person as `row,cluster`, or `<id column>,cluster` where people have ids, or a team as `row,team`: as .csv, .tsv or
 * .parquet, the first two also with .gz. Ids that a spreadsheet would run as formulas are guarded in the first two.
 */
export async function writeLabels(
  path: string,
  people: Pick<People, "sourceRows" | "ids">,
  labels: Uint16Array,
  column = "cluster",
): Promise<void> {
  const { sourceRows, ids } = people;
  const n = sourceRows.length;
  if (labels.length !== n) throw new MoietyError("failed", `${labels.length} labels for ${n} people`);
  if ((await checkFormat("labels", path)) === "parquet") {
    const { numbers } = ids ?? {};
    const key: OutputColumn =
      ids === undefined
        ? { name: "row", values: sourceRows }
        : { name: ids.column, textAt: (person) => (numbers ? String(numbers[person]) : ids.values[person]) };
    const columns = [key, { name: column, values: Int32Array.from(labels) }];
    return writeAtomically(path, (temporary) => writeParquet(temporary, [{ rows: n, columns }], n));
  }
  const numbers = ids === undefined ? sourceRows : ids.numbers;
  const longestKey = numbers || ids === undefined ? longestNumber : longestText(ids.values) + 1;
  const keyBytes = Math.max(longestKey, longestText([ids?.column ?? "row"]));
  return writeCsv(path, keyBytes + longestNumber, async (cells) => {
    cells.text(ids?.column ?? "row");
    cells.endCell();
    cells.text(column);
    cells.endRow();
    for (let i = 0; i < n; i++) {
      if (cells.full) await cells.flush();
      if (numbers) cells.number(numbers[i], String);
      else cells.text(guarded(ids!.values[i]));
      cells.endCell();
      cells.number(labels[i], String);
      cells.endRow();
    }
  });
}

/** Labels that come part by part, of more people than could be held: by id, or by the row's number. */
interface LabelParts {
  write(part: { readonly ids: readonly string[] | Float64Array; readonly clusters: Uint16Array }): Promise<void>;
}

/** Writes `row,cluster` or `<id column>,cluster` as it comes, in the formats of `writeLabels`. */
export async function streamLabels(
  path: string,
  idColumn: string | undefined,
  tell: (parts: LabelParts) => Promise<void>,
): Promise<void> {
  if ((await checkFormat("labels", path)) === "parquet") return streamParquet(path, idColumn, tell);
  return writeCsv(path, longestNumber + longestText([idColumn ?? "row"]), async (cells) => {
    cells.text(idColumn ?? "row");
    cells.endCell();
    cells.text("cluster");
    cells.endRow();
    await tell(partsInto(cells, guarded));
  });
}

function partsInto(cells: CellWriter, spell: (id: string) => string): LabelParts {
  return {
    write: async ({ ids, clusters }) => {
      if (!(ids instanceof Float64Array)) await cells.widen(longestText(ids) + 1 + longestNumber);
      for (let i = 0; i < clusters.length; i++) {
        if (cells.full) await cells.flush();
        const id = ids[i];
        if (typeof id === "number") cells.number(id, String);
        else cells.text(spell(id));
        cells.endCell();
        cells.number(clusters[i], String);
        cells.endRow();
      }
    },
  };
}

/** By way of a CSV file: a Parquet file is written column by column. */
function streamParquet(path: string, idColumn: string | undefined, tell: (parts: LabelParts) => Promise<void>) {
  return writeAtomically(path, async (temporary) => {
    const text = `${temporary}.csv`;
    try {
      const { sink, close } = await plainSink(text);
      try {
        const cells = new CellWriter(sink, 2 * longestNumber, comma);
        await tell(partsInto(cells, (id) => id));
        await cells.flush();
      } finally {
        await close();
      }
      await withEngine((connection) => {
        const [key, type] = [quoteName(idColumn ?? "row"), idColumn === undefined ? "UINTEGER" : "VARCHAR"];
        const columns = `auto_detect=false, header=false, delim=',', quote='"', escape='"', columns={'k': '${type}', 'c': 'INTEGER'}`;
        const from = `SELECT k AS ${key}, c AS cluster FROM read_csv(${quotePath(text)}, ${columns})`;
        return connection.run(`COPY (${from}) TO ${quoteText(temporary)} (FORMAT parquet)`);
      });
    } finally {
      await rm(text, { force: true });
    }
  });
}

export function isParquet(path: string): boolean {
  return /\.(parquet|pq)$/i.test(path);
}

/**
 * The format that a file's name asks for: fails, as wrong usage, when its ending is none that we write. Terminals and
 * pipes have no ending and get CSV.
 */
export async function checkFormat(what: string, path: string): Promise<"csv" | "parquet"> {
  if (isStandardOutput(path)) return "csv";
  if (isParquet(path)) return "parquet";
  if (/\.[ct]sv(\.gz)?$/i.test(path)) return "csv";
  const entry = await stat(path).catch(() => undefined);
  if (entry !== undefined && !entry.isFile()) return "csv";
  throw new MoietyError("usage", `${what} file ${path}: give a name that ends in .csv, .csv.gz or .parquet`);
}

/** Writes a table as .csv, .tsv or .parquet, the first two also with .gz. Missing values are empty cells. */
export function writeTable(path: string, table: Table): Promise<void> {
  return writeParts(path, { rows: table.rows, parts: [table] });
}

/** The same part by part: no more than one is held. `onRows` is told how many rows have been written. */
export async function writeParts(
  path: string,
  { rows, parts }: TableParts,
  onRows: (rows: number) => void = () => undefined,
): Promise<void> {
  if ((await checkFormat("output", path)) === "parquet") {
    return writeAtomically(path, (temporary) => writeParquet(temporary, outputParts(parts, onRows), rows));
  }
  return writeCsv(path, 0, async (cells) => {
    let written = 0;
    for (const part of parts) {
      const { columns } = part;
      await cells.widen(columns.reduce((bytes, column) => bytes + cellBytes(column) + longestText([column.name]), 0));
      if (written === 0) writeHeader(cells, columns);
      await writeRows(cells, part);
      written += part.rows;
      onRows(written);
    }
  });
}

function writeHeader(cells: CellWriter, columns: readonly Column[]): void {
  columns.forEach(({ name }, j) => {
    if (j > 0) cells.endCell();
    cells.text(name);
  });
  cells.endRow();
}

async function writeRows(cells: CellWriter, { rows, columns }: Table): Promise<void> {
  const last = columns.length - 1;
  const writers = columns.map(cellWriter);
  for (let i = 0; i < rows; i++) {
    if (cells.full) await cells.flush();
    for (let j = 0; j <= last; j++) {
      writers[j](cells, i);
      if (j < last) cells.endCell();
    }
    cells.endRow();
  }
}

function* outputParts(parts: Iterable<Table>, onRows: (rows: number) => void): Generator<OutputPart> {
  let written = 0;
  for (const { rows, columns } of parts) {
    yield { rows, columns: columns.map(outputColumn) };
    written += rows;
    onRows(written);
  }
}

export function isStandardOutput(path: string | undefined): boolean {
  return path === "-" || path === "/dev/stdout";
}

async function writeCsv(path: string, rowBytes: number, write: (cells: CellWriter) => Promise<void>): Promise<void> {
  if (isStandardOutput(path)) {
    const cells = new CellWriter(standardOutput, rowBytes, comma);
    await write(cells);
    return cells.flush();
  }
  await writeAtomically(path, async (temporary) => {
    const { sink, close } = /\.gz$/i.test(path) ? gzipSink(temporary) : await plainSink(temporary);
    try {
      const cells = new CellWriter(sink, rowBytes, /\.tsv(\.gz)?$/i.test(path) ? tab : comma);
      await write(cells);
      await cells.flush();
    } finally {
      await close();
    }
  });
}

const standardOutput: Sink = (block) =>
  new Promise((resolve, reject) => {
    process.stdout.write(block, (error) => (error ? reject(error) : resolve()));
  });

async function plainSink(path: string): Promise<{ sink: Sink; close: () => Promise<void> }> {
  const file = await open(path, "w");
  const sink: Sink = async (block) => {
    for (let written = 0; written < block.length; ) {
      written += (await file.write(block, written, block.length - written)).bytesWritten;
    }
  };
  return { sink, close: () => file.close() };
}

function gzipSink(path: string): { sink: Sink; close: () => Promise<void> } {
  const gzip = createGzip();
  const file = gzip.pipe(createWriteStream(path));
  const done = finished(file);
  // Both ends are awaited below; an error must not surface a second time as an unhandled one.
  done.catch(() => undefined);
  const sink: Sink = async (block) => {
    // The caller fills its block again at once, so the compressor gets a copy.
    if (!gzip.write(Buffer.from(block))) await Promise.race([once(gzip, "drain"), done]);
  };
  const close = async () => {
    gzip.end();
    await done;
  };
  return { sink, close };
}

/** One closure for each column: the kind of column is decided once and not for every cell. */
function cellWriter(column: Column): (cells: CellWriter, row: number) => void {
  if (column.kind === "text") {
    const { codes, levels } = column;
    return (cells, row) => {
      if (codes[row] >= 0) cells.text(levels[codes[row]]);
    };
  }
  const { values } = column;
  const write = isSinglePrecision(column) ? shortestSingle : String;
  return (cells, row) => {
    if (!Number.isNaN(values[row])) cells.number(values[row], write);
  };
}

function cellBytes(column: Column): number {
  return 1 + (column.kind === "text" ? longestText(column.levels) : longestNumber);
}

function outputColumn(column: Column): OutputColumn {
  if (column.kind === "numeric") {
    // How narrow an array was enough is nobody's concern: numbers are written as doubles unless they are singles.
    const { name, values } = column;
    return { name, values: isSinglePrecision(column) ? new Float32Array(values) : new Float64Array(values) };
  }
  const { name, codes, levels } = column;
  return { name, textAt: (row) => (codes[row] < 0 ? null : levels[codes[row]]) };
}
