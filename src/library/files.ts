import { readSource } from "../engines/read-source.js";
import * as disk from "../table/disk/index.js";
import { guardedLater } from "./guard.js";
import { type AnyLabels, byPerson } from "./labels.js";
import { readOptions } from "./options.js";
import { anything, optional, options, text } from "./rules.js";
import { placed, table } from "./things.js";

/**
 * Reads a CSV, Parquet or JSON file, the result of a SELECT, WITH or FROM query, or people in an engine, such as
 * `warehouse.duckdb?table=people`, into whole columns. Rows of an engine come in the order of their columns.
 */
export const readTable = guardedLater(
  "readTable",
  (source: string, options?: disk.ReadOptions) => readSource(source, options),
  { source: text, options: optional(readOptions) },
);

/** The columns of a source without reading its rows. The kind of a CSV column is judged by its first rows. */
export const describeSource = guardedLater("describeSource", disk.describeSource, {
  source: text,
  options: optional(readOptions),
});

/** Reads `row,cluster`, `<id>,cluster` or one bare column of clusters. */
export const readLabels = guardedLater("readLabels", disk.readLabels, {
  path: text,
  options: optional(options({ id: text })),
});

/** Writes `row,cluster`, or `<id column>,cluster` where people have ids: as .csv, .tsv or .parquet. */
export const writeLabels = guardedLater(
  "writeLabels",
  (path: string, people: Parameters<typeof disk.writeLabels>[1], labels: AnyLabels) =>
    disk.writeLabels(path, people, byPerson(labels, people)),
  { path: text, people: placed, labels: anything },
);

/** Writes a table as .csv, .tsv or .parquet, the first two also with .gz. Missing values are empty cells. */
export const writeTable = guardedLater("writeTable", disk.writeTable, { path: text, table });

/** The pictures, PNG or JPEG, that a column names by paths from the table's folder. */
export const readImages = guardedLater("readImages", disk.readImages, { table, column: text, tablePath: text });
