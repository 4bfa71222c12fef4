import * as tables from "../table/index.js";
import { guarded } from "./guard.js";
import { csvOptions, encodeOptions, generateOptions, peopleOptions } from "./options.js";
import { anything, choice, object, optional, text } from "./rules.js";
import { encodings, placed, table } from "./things.js";

/** Looks at a table as a stranger: what its columns hold, and how it could be clustered. */
export const describeTable = guarded("describeTable", tables.describeTable, { table });

/** A table of objects that have a cell for each column; a column that some do not have is missing there. */
export const tableFromRecords = guarded("tableFromRecords", tables.tableFromRecords, { records: anything });

/**
 * A table of whole columns by name. Float64Array and Float32Array are taken as they are, without a copy, with NaN where a
 * value is missing; other arrays are copied.
 */
export const tableFromColumns = guarded("tableFromColumns", tables.tableFromColumns, { columns: anything });

/** The table that a CSV file with this text would be read as. */
export const tableFromCsv = guarded("tableFromCsv", tables.tableFromCsv, { text, options: optional(csvOptions) });

/** A table of Apache Arrow as ours; Moiety itself does not need Arrow. */
export const tableFromArrow = guarded("tableFromArrow", tables.tableFromArrow, { table: anything });

/** Turns a table into people: points in the scaled space, with the groups that they belong to. */
export const preparePeople = guarded("preparePeople", tables.preparePeople, {
  table,
  options: optional(peopleOptions),
});

/** New people in the space of a model: the same columns, the same scaling numbers. They have no attributes. */
export const encodePeople = guarded("encodePeople", tables.encodePeople, {
  table,
  encodings,
  options: optional(encodeOptions),
});

/** Invented data to try things on. */
export const generateTable = guarded("generateTable", tables.generateTable, {
  kind: choice(...tables.generatorKinds),
  options: optional(generateOptions),
});

const labelled = object("labels, from readLabels", ({ keys, labels }) => {
  const { rows, ids } = (keys ?? {}) as { rows?: unknown; ids?: unknown };
  return labels instanceof Uint16Array && (rows instanceof Uint32Array || Array.isArray(ids));
});

/** The label of each person, in people's order: for `evaluate`, and measures on `people.dimensions`. */
export const joinLabels = guarded("joinLabels", tables.joinLabels, { people: placed, labelled });

/** What a column was judged to hold. Text that spells numbers, in a source that calls it text, is text. */
export const kindOf = guarded("kindOf", tables.kindOf, {
  column: object("a column of a table", ({ kind }) => kind === "numeric" || kind === "text"),
});
