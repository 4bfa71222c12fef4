import { stat } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { MoietyError } from "../../errors.js";
import { checkNames, nameBeside } from "../names.js";
import { csvRelation, withCsv } from "./csv.js";
import { quoteName, quoteText, withEngine } from "./engine.js";
import { type OutputColumn, tableFunction } from "./parquet.js";
import { describedPlan, errorOf } from "./plan.js";
import { type FileSource, openSource } from "./source.js";
import { checkFormat } from "./write.js";

/** What was found of each person: whole numbers, or others. */
export interface ColumnBeside {
  readonly name: string;
  readonly values: Uint16Array | Float64Array;
}

/** A file whose rows are to be written once more, with what was found beside them. */
export interface BesideSource {
  /** Writes all of the source's columns as they are in it, and the findings; these are missing in rows of which nothing was found. */
  write(path: string, sourceRows: Uint32Array, findings: readonly ColumnBeside[]): Promise<void>;
}

/** Opens a file before it is read for the first time, so that it is known to be the same when its rows are read again. */
export async function openBeside(source: string): Promise<BesideSource> {
  const file = await openSource(source);
  if (file.kind === "query") {
    const why = "the rows of a query need not come in the same order again";
    throw new MoietyError("usage", `\`output\` is for files, since ${why}: name a file, or use \`labels\` with \`id\``);
  }
  const before = await stateOf(file);
  return {
    async write(path, sourceRows, findings) {
      const format = await checkFormat("output", path);
      if ((await stateOf(file)) !== before) {
        throw new MoietyError("failed", `${file.name} was changed while it was worked on: run again`);
      }
      await withEngine(async (connection) => {
        // Rows are put beside each other by their places.
        await connection.run("SET threads = 1");
        const copy = async ({ columns, relation }: SourceRows) => {
          const rows = sourceRows.reduce((most, row) => Math.max(most, row + 1), 0);
          const found = findings.map(({ name, values }): OutputColumn => {
            const own = new Float64Array(rows).fill(Number.NaN);
            sourceRows.forEach((row, person) => {
              own[row] = values[person];
            });
            return { name, values: own };
          });
          connection.registerTableFunction(await tableFunction("found", [{ rows, columns: found }], rows));
          const names = columns.map(({ name }) => name);
          const beside = findings.map(({ name, values }) => {
            const cell = `found.${quoteName(name)}`;
            const typed = values instanceof Float64Array ? cell : `CAST(${cell} AS INTEGER)`;
            return `${typed} AS ${quoteName(nameBeside(name, names))}`;
          });
          const own = columns.map(({ name, cell, isText }) => {
            // Cells of a CSV file stay as they were; other texts must not become formulas.
            const written = isText && format === "csv" && file.kind !== "csv" ? guardedSql(cell) : cell;
            return `${written} AS ${quoteName(name)}`;
          });
          const rowsSql = `SELECT ${[...own, ...beside].join(", ")} FROM ${relation} AS source POSITIONAL JOIN found() AS found`;
          await connection.run(`COPY (${rowsSql}) TO ${quoteText(path)} (${formatSql(path, format)})`);
        };
        if (file.kind === "csv") await withCsv(file, (layout) => copy(csvRows(layout)));
        else await copy(await typedRows(connection, file));
      }).catch((error: unknown) => {
        throw errorOf(file, error);
      });
    },
  };
}

/** What tells that a file is the one that it was. */
async function stateOf({ path, name }: FileSource): Promise<string> {
  const { size, mtimeMs } = await stat(path).catch(() => {
    throw new MoietyError("failed", `${name} was removed while it was worked on: run again`);
  });
  return `${size} ${mtimeMs}`;
}

/** The rows of a source, and how each column is asked for. */
interface SourceRows {
  readonly columns: readonly { readonly name: string; readonly cell: string; readonly isText: boolean }[];
  readonly relation: string;
}

function csvRows(layout: Parameters<typeof csvRelation>[0]): SourceRows {
  checkNames(layout.names, layout.name);
  const columns = layout.names.map((name, i) => ({ name, cell: `source.c${i}`, isText: true }));
  return { columns, relation: csvRelation(layout, () => false) };
}

async function typedRows(connection: DuckDBConnection, file: FileSource): Promise<SourceRows> {
  const { columns, relation } = await describedPlan(connection, file);
  return {
    columns: columns.map(({ name, kind }) => ({
      name,
      cell: `source.${quoteName(name)}`,
      isText: kind === "text",
    })),
    relation: relation(new Set()),
  };
}

/** `guarded` of `src/table/spreadsheet.ts`, in the engine. */
function guardedSql(cell: string): string {
  const text = `CAST(${cell} AS VARCHAR)`;
  const isFormula = `regexp_matches(${text}, '^''*[=+\\-@\\t\\r]') AND NOT regexp_matches(${text}, '^[+-][0-9]+([.,][0-9]+)*$')`;
  return `CASE WHEN ${isFormula} THEN '''' || ${text} ELSE ${text} END`;
}

function formatSql(path: string, format: "csv" | "parquet"): string {
  if (format === "parquet") return "FORMAT parquet";
  const delimiter = /\.tsv(\.gz)?$/i.test(path) ? "'\\t'" : "','";
  return `FORMAT csv, HEADER true, DELIMITER ${delimiter}, COMPRESSION ${/\.gz$/i.test(path) ? "gzip" : "none"}`;
}
