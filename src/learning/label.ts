import { MoietyError } from "../errors.js";
import { columnFinder } from "../table/choose.js";
import { asLevels, type Column, type Table, unknownName } from "../table/index.js";

/** The answer that is to be learnt, as codes 0 and 1 by the table's rows. */
export interface Label {
  readonly column: string;
  /** No, and yes. */
  readonly classes: readonly [string, string];
  readonly codes: Uint8Array;
}

/**
 * The label's column: of two classes the last by order is yes (1, yes, >50K), unless `positive` names it. With
 * `positive`, all other classes are no. `like` are the classes of the people that were learnt from.
 */
export function readLabel(
  table: Table,
  column: string,
  { positive, like }: { readonly positive?: string; readonly like?: readonly [string, string] } = {},
): Label {
  const found = columnFinder(table)(column);
  if (found.missing > 0) {
    const advice = "a label cannot be filled in: use `missing: drop`";
    throw new MoietyError("input", `the label '${column}' has ${found.missing} missing values; ${advice}`);
  }
  const { codes, levels } = asLevels(found);
  const yes = like?.[1] ?? positive ?? levels[levels.length - 1];
  if (positive !== undefined && !levels.includes(positive)) {
    throw new MoietyError("input", unknownName(`class of '${column}'`, positive, levels.slice(0, 20)));
  }
  if (like === undefined && levels.length < 2) {
    throw new MoietyError("input", `the label '${column}' has one class, and two are needed: name another column`);
  }
  if (levels.length > 2 && positive === undefined && like === undefined) {
    const advice = "name the one to learn with `positive`, and the others are its no";
    throw new MoietyError(
      "input",
      `the label '${column}' has ${levels.length} classes, and two are allowed; ${advice}`,
    );
  }
  const others = levels.filter((level) => level !== yes);
  const no = like?.[0] ?? (others.length === 1 ? others[0] : `not ${yes}`);
  if (like !== undefined && others.some((level) => level !== no) && no !== `not ${yes}`) {
    const seen = `the label '${column}' has a class that does not occur in the training data`;
    throw new MoietyError("input", `${seen}: leave those rows out, or train with \`positive: '${yes}'\``);
  }
  const code = levels.indexOf(yes);
  return { column, classes: [no, yes], codes: Uint8Array.from(codes, (each) => (each === code ? 1 : 0)) };
}

/** Rows in which the label is known; for --missing drop. */
export function withLabel(table: Table, column: string): Table {
  const found = table.columns.find(({ name }) => name === column);
  if (found === undefined || found.missing === 0) return table;
  const known = (row: number) => (found.kind === "text" ? found.codes[row] >= 0 : !Number.isNaN(found.values[row]));
  const kept = Uint32Array.from({ length: table.rows }, (_, row) => row).filter(known);
  return { ...table, rows: kept.length, columns: table.columns.map((each) => keep(each, kept)) };
}

function keep(column: Column, rows: Uint32Array): Column {
  if (column.kind === "text") {
    const codes = Int32Array.from(rows, (row) => column.codes[row]);
    return { ...column, codes, missing: codes.reduce((count, code) => count + (code < 0 ? 1 : 0), 0) };
  }
  const { single: _, ...numbers } = column;
  const values = Float64Array.from(rows, (row) => column.values[row]);
  return { ...numbers, values, missing: values.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0) };
}
