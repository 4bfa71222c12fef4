import { stat } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { CsvOptions } from "../../table/csv-text.js";
import { type CsvLayout, checkGzip, readings, withCsv } from "../../table/disk/csv.js";
import { isConversionError, quoteName, quoteText } from "../../table/disk/engine.js";
import { csvPlan, describedPlan, errorOf, labelOf, plannedAsText } from "../../table/disk/plan.js";
import { openSource } from "../../table/disk/source.js";
import { isDiskFull, noRoom } from "../../table/disk/spool.js";
import type { WorkingFolder } from "./grid-file.js";

export interface FileReading extends Pick<CsvOptions, "na" | "decimal"> {
  /** The column of ids, which is text as it stands. */
  readonly id?: string;
}

export interface Relation {
  readonly relation: string;
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
      await write(await csvSelect(connection, layout, options, "sample")).catch(async (error: unknown) => {
        if (!isConversionError(error)) throw error;
        await write(await csvSelect(connection, layout, options, "whole"));
      });
      if (opened.gzip) await checkGzip(opened);
      return { relation: copied, name, warnings };
    });
  }
  const plan = await describedPlan(connection, opened);
  if (opened.kind === "parquet") return { relation: plan.relation(new Set()), name, warnings: [] };
  const rows = plan.relation(new Set());
  const bytes = await bytesOf(connection, rows).catch((error: unknown) => {
    throw errorOf(opened, error);
  });
  await folder.checkRoom(bytes, `a copy of ${name}`);
  await write(`SELECT * FROM ${rows}`);
  return { relation: copied, name, warnings: [] };
}

/** A number takes at most so many bytes in a copy; of text that is no longer than most names it is the mean. */
const cellBytes = 8;

/** What a copy of these rows takes: they are counted once for it. */
export async function bytesOf(connection: DuckDBConnection, relation: string): Promise<number> {
  const [[rows]] = await (await connection.run(`SELECT count(*) FROM ${relation}`)).getRows();
  const { rowCount: columns } = await connection.run(`DESCRIBE SELECT * FROM ${relation}`);
  return Number(rows) * columns * cellBytes;
}

/** Every column under its name, numbers as numbers. */
async function csvSelect(
  connection: DuckDBConnection,
  layout: CsvLayout,
  { na = [], decimal, id }: FileReading,
  extent: "sample" | "whole",
): Promise<string> {
  const found = await readings(connection, layout, extent, { na, ...(decimal === undefined ? {} : { decimal }) });
  const plan = csvPlan(layout, found, na);
  const asText = new Set(id === undefined ? [] : [id]);
  const missing = na.map(quoteText).join(", ");
  const cells = plan.columns.map((planned) => {
    const { name, expression, answer } = asText.has(planned.name) ? plannedAsText(planned) : planned;
    const cell =
      answer === "text" && na.length > 0
        ? `CASE WHEN ${expression} NOT IN (${missing}) THEN ${expression} END`
        : expression;
    return `${cell} AS ${quoteName(name)}`;
  });
  return `SELECT ${cells.join(", ")} FROM ${plan.relation(asText)}`;
}
