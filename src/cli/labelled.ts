import {
  asLevels,
  checkKeys,
  checkOnePerRow,
  type Labels,
  type Table,
  tableOfRows,
  withoutLabel,
} from "../table/index.js";

/**
 * The rows of the table that have a label. A run with --missing drop leaves people out of its labels, and scaling must
 * then be that of the people who were clustered.
 */
export function keepLabelled(path: string, table: Table, labels: Labels, id: string | undefined) {
  const { keys, keyColumn, labels: clusters } = labels;
  if (keyColumn === undefined) checkOnePerRow(`${path} has ${clusters.length} labels`, clusters.length, table.rows);
  const named = table.columns.some(({ name }) => name === id);
  // Labels by an id that --id does not name: joining them says what to do.
  if (keys.kind === "id" && !named) return { table, labels, warnings: [] };
  const rowOf = rowFinder(table, keys.kind === "row" ? keys.rows : keys.ids, id);
  const found = new Int32Array(table.rows).fill(-1);
  let unknown = 0;
  let repeated = 0;
  for (let i = 0; i < clusters.length; i++) {
    const row = rowOf(i);
    if (row === undefined) unknown++;
    else if (found[row] >= 0) repeated++;
    else found[row] = i;
  }
  checkKeys(path, keyColumn, { unknown, repeated, rows: table.rows });
  const kept = Uint32Array.from(found.keys()).filter((row) => found[row] >= 0);
  if (kept.length === table.rows) return { table, labels, warnings: [] };
  return {
    table: tableOfRows(table, kept),
    labels: keys.kind === "row" ? renumbered(labels, kept, found) : labels,
    warnings: [withoutLabel(table.rows - kept.length, table.rows)],
  };
}

/**
 * From the position of a label or an answer to the row of the table that it is for; undefined where there is no such row.
 * Keys are row numbers, or values of the column `id`.
 */
export function rowFinder(
  table: Table,
  keys: ArrayLike<number> | readonly string[],
  id: string | undefined,
): (position: number) => number | undefined {
  const column = table.columns.find(({ name }) => name === id);
  const rowOf = new Map<string, number>();
  if (column !== undefined) {
    const { codes, levels } = asLevels(column);
    codes.forEach((code, row) => {
      if (code >= 0) rowOf.set(levels[code], row);
    });
  }
  return (position) => {
    const key = keys[position];
    if (typeof key !== "number") return rowOf.get(key);
    return Number.isInteger(key) && key >= 0 && key < table.rows ? key : undefined;
  };
}

function renumbered(labels: Labels, kept: Uint32Array, found: Int32Array): Labels {
  const rows = Uint32Array.from(kept, (_, i) => i);
  return { ...labels, keys: { kind: "row", rows }, labels: Uint16Array.from(kept, (row) => labels.labels[found[row]]) };
}
