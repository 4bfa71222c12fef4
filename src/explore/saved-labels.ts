import type { OutputColumn, OutputPart } from "../table/disk/parquet.js";
import { nameBeside } from "../table/names.js";
import { guarded } from "../table/spreadsheet.js";
import type { Column, People, Table } from "../table/types.js";

type Named = Pick<People, "sourceRows" | "ids">;

/** The cluster of each person, by id or row, as `moiety cluster --labels` writes it. */
export function labelsOf({ sourceRows, ids }: Named, labels: Uint16Array): OutputPart {
  const { numbers } = ids ?? {};
  const key: OutputColumn =
    ids === undefined
      ? { name: "row", values: sourceRows }
      : { name: ids.column, textAt: (person) => (numbers ? String(numbers[person]) : ids.values[person]) };
  return { rows: labels.length, columns: [key, { name: "cluster", values: Int32Array.from(labels) }] };
}

/** The source's own columns, and the cluster of each row; missing where a row was left out. */
export function labelsBeside(table: Table, { sourceRows }: Named, labels: Uint16Array): OutputPart {
  const clusters = new Float64Array(table.rows).fill(Number.NaN);
  sourceRows.forEach((row, person) => {
    clusters[row] = labels[person];
  });
  const name = nameBeside(
    "cluster",
    table.columns.map((column) => column.name),
  );
  const whole = sourceRows.length === table.rows;
  const last: OutputColumn = { name, values: whole ? Int32Array.from(clusters) : clusters };
  return { rows: table.rows, columns: [...table.columns.map(outputColumn), last] };
}

function outputColumn(column: Column): OutputColumn {
  const { name } = column;
  if (column.kind === "numeric") return { name, values: new Float64Array(column.values) };
  const { codes, levels } = column;
  return { name, textAt: (row) => (codes[row] < 0 ? null : levels[codes[row]]) };
}

/** The same as CSV. Texts that a spreadsheet would run as formulas are guarded. */
export function csvOf({ rows, columns }: OutputPart): string {
  const cells = columns.map((column) => {
    if ("textAt" in column) return (row: number) => cellOf(guarded(column.textAt(row) ?? ""));
    const { values } = column;
    return (row: number) => (Number.isNaN(values[row]) ? "" : String(values[row]));
  });
  const lines = [columns.map(({ name }) => cellOf(name)).join(",")];
  for (let row = 0; row < rows; row++) lines.push(cells.map((cell) => cell(row)).join(","));
  return `${lines.join("\n")}\n`;
}

function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
