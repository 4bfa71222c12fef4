import { stat } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { CsvOptions } from "../../table/csv-text.js";
import { type CsvLayout, checkGzip, readings, withCsv } from "../../table/disk/csv.js";
import { isConversionError, quoteName, quoteText } from "../../table/disk/engine.js";
import { csvPlan, describedPlan, errorOf, labelOf, type PlannedColumn, plannedAsText } from "../../table/disk/plan.js";
import { openSource } from "../../table/disk/source.js";
import { isDiskFull, noRoom } from "../../table/disk/spool.js";
import type { WorkingFolder } from "./grid-file.js";
import { type View, viewOf } from "./view.js";

export interface FileReading extends Pick<CsvOptions, "na" | "decimal"> {
  /** The column of ids, which is text as it stands. */
  readonly id?: string;
}

export interface Relation {
  readonly relation: string;
  /** What is known of its columns beyond their types. */
  readonly judged: View["judged"];
  /** What messages call the source. */
  readonly name: string;
  readonly warnings: readonly string[];
}

/** Text of a packed file is so many times as long. */
const unpacked = 6;

/**
 * The source as something that can be scanned again and again with the same answer: a Parquet file as it is, all else as a
 * Parquet file that is written once. CSV would be parsed anew in each scan, a query may answer in another order.
 */
export async function relationOf(
  connection: DuckDBConnection,
  source: string,
  folder: WorkingFolder,
  options: FileReading,
  copyName = "rows",
): Promise<Relation> {
  const opened = await openSource(source);
  const name = labelOf(opened);
  const { na = [], decimal, id } = options;
  const manner = { na, ...(decimal === undefined ? {} : { decimal }), ...(id === undefined ? {} : { id }) };
  const copy = folder.file(`${copyName}.parquet`);
  const copied = `read_parquet(${quoteText(copy)})`;
  const write = (select: string) =>
    connection
      .run(`COPY (${select}) TO ${quoteText(copy)} (FORMAT parquet, ROW_GROUP_SIZE 65536)`)
      .catch((error: unknown) => {
        if (isConversionError(error)) throw error;
        throw isDiskFull(error) ? noRoom(`a copy of ${name}`) : errorOf(opened, error);
      });
  if (opened.kind === "csv") {
    return withCsv(opened, async (layout, warnings) => {
      const { size } = await stat(layout.path);
      await folder.checkRoom(size * (layout.gzip ? unpacked : 1), `a copy of ${name}`);
      let read = await csvSelect(connection, layout, options, "sample");
      await write(read.select).catch(async (error: unknown) => {
        if (!isConversionError(error)) throw error;
        read = await csvSelect(connection, layout, options, "whole");
        await write(read.select);
      });
      if (opened.gzip) await checkGzip(opened);
      const { columns, commasElsewhere } = read;
      return { ...(await viewOf(connection, copied, columns, { ...manner, commasElsewhere })), name, warnings };
    });
  }
  const plan = await describedPlan(connection, opened);
  const rows = plan.relation(new Set());
  const viewed = async (from: string) => {
    const columns = plan.columns.map(keepingType);
    return { ...(await viewOf(connection, from, columns, manner)), name, warnings: [] };
  };
  if (opened.kind === "parquet") return viewed(rows);
  const bytes = await bytesOf(connection, rows).catch((error: unknown) => {
    throw errorOf(opened, error);
  });
  await folder.checkRoom(bytes, `a copy of ${name}`);
  await write(`SELECT * FROM ${rows}`);
  return viewed(copied);
}

/** Numbers, booleans and days as the source has them; all else as text. */
function keepingType(column: PlannedColumn): PlannedColumn {
  const kept = column.kind === "numeric" || column.kind === "boolean" || column.type === "DATE";
  return kept ? { ...column, expression: quoteName(column.name), answer: "double" } : column;
}

/** A number takes at most so many bytes in a copy; of text that is no longer than most names it is the mean. */
const cellBytes = 8;

/** What a copy of these rows takes: they are counted once for it. */
export async function bytesOf(connection: DuckDBConnection, relation: string): Promise<number> {
  const [[rows]] = await (await connection.run(`SELECT count(*) FROM ${relation}`)).getRows();
  const { rowCount: columns } = await connection.run(`DESCRIBE SELECT * FROM ${relation}`);
  return Number(rows) * columns * cellBytes;
}

/** Every column of a CSV file under its name, numbers as numbers; and how each was read. */
async function csvSelect(
  connection: DuckDBConnection,
  layout: CsvLayout,
  { na = [], decimal, id }: FileReading,
  extent: "sample" | "whole",
) {
  const found = await readings(connection, layout, extent, { na, ...(decimal === undefined ? {} : { decimal }) });
  const plan = csvPlan(layout, found, na);
  const asText = new Set(id === undefined ? [] : [id]);
  const columns = plan.columns.map((planned) => (asText.has(planned.name) ? plannedAsText(planned) : planned));
  const cells = columns.map(({ name, expression }) => `${expression} AS ${quoteName(name)}`);
  const select = `SELECT ${cells.join(", ")} FROM ${plan.relation(asText)}`;
  const copied = columns.map((column) => ({ ...column, expression: quoteName(column.name) }));
  return { select, columns: copied, commasElsewhere: found.includes("comma") };
}
