import { MoietyError } from "../errors.js";
import { asLevels, type Column, type Labels, type Table } from "../table/index.js";

export interface Labelled {
  readonly table: Table;
  readonly labels: Labels;
  readonly warnings: readonly string[];
}

/**
 * The rows of the table that have a label. A run with --missing drop leaves people out of its labels, and scaling must
 * then be that of the people who were clustered.
 */
export function keepLabelled(path: string, table: Table, labels: Labels, id: string | undefined): Labelled {
  if (labels.keyColumn === undefined && labels.labels.length !== table.rows) {
    const seen = `${path} has ${labels.labels.length} labels without row numbers for a table of ${table.rows} rows`;
    throw new MoietyError("input", `${seen}: give one for each row, or a column 'row'`);
  }
  const rowOf = rowFinder(table, labels, id);
  // Labels by an id that nobody has named: joining them says what to do.
  if (rowOf === undefined) return { table, labels, warnings: [] };
  const found = new Int32Array(table.rows).fill(-1);
  let strangers = 0;
  let repeated = 0;
  for (let i = 0; i < labels.labels.length; i++) {
    const row = rowOf(i);
    if (row === undefined) strangers++;
    else if (found[row] >= 0) repeated++;
    else found[row] = i;
  }
  if (strangers > 0) {
    const what = labels.keys.kind === "row" ? "rows" : `values of '${labels.keyColumn}'`;
    const seen = `${path} has labels for ${strangers} ${what} that the table of ${table.rows} rows does not have`;
    throw new MoietyError("input", `${seen}: use the labels of this very table`);
  }
  if (repeated > 0) {
    const what = labels.keyColumn ?? "row";
    throw new MoietyError("input", `${path} repeats a ${what} in ${repeated} rows: give each one label`);
  }
  const kept = Uint32Array.from(found.keys()).filter((row) => found[row] >= 0);
  const left = table.rows - kept.length;
  if (left === 0) return { table, labels, warnings: [] };
  return {
    table: { ...table, rows: kept.length, columns: table.columns.map((column) => pick(column, kept)) },
    labels: labels.keys.kind === "row" ? renumbered(labels, kept, found) : labels,
    warnings: [`${left} of ${table.rows} rows have no label: left out`],
  };
}

/** From a label's position to the row of the table that it is for. */
function rowFinder(
  table: Table,
  { keys }: Labels,
  id: string | undefined,
): ((label: number) => number | undefined) | undefined {
  if (keys.kind === "row") {
    const { rows } = keys;
    return (label) => (rows[label] < table.rows ? rows[label] : undefined);
  }
  const column = table.columns.find(({ name }) => name === id);
  if (column === undefined) return undefined;
  const { codes, levels } = asLevels(column);
  const rowOf = new Map<string, number>();
  for (let row = 0; row < table.rows; row++) if (codes[row] >= 0) rowOf.set(levels[codes[row]], row);
  return (label) => rowOf.get(keys.ids[label]);
}

function renumbered(labels: Labels, kept: Uint32Array, found: Int32Array): Labels {
  const rows = Uint32Array.from(kept, (_, i) => i);
  return { ...labels, keys: { kind: "row", rows }, labels: Uint16Array.from(kept, (row) => labels.labels[found[row]]) };
}

function pick(column: Column, rows: Uint32Array): Column {
  if (column.kind === "text") {
    const codes = Int32Array.from(rows, (row) => column.codes[row]);
    return { ...column, codes, missing: codes.reduce((count, code) => count + (code < 0 ? 1 : 0), 0) };
  }
  const { values } = column;
  const picked = values instanceof Float32Array ? new Float32Array(rows.length) : new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i]];
  // A broken value cannot be told from a missing one by now, and the column is refused wherever it is.
  if (column.notFinite > 0) return { ...column, values: picked };
  let missing = 0;
  for (const value of picked) if (Number.isNaN(value)) missing++;
  return { ...column, values: picked, missing };
}
