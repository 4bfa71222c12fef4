import { MoietyError } from "../errors.js";
import { columnFinder } from "../table/choose.js";
import { asLevels, type Column, type Table, unknownName } from "../table/index.js";
import { mostClasses } from "./classes.js";

/** The answer that is to be learnt, as the places of its classes by the table's rows. */
export interface Label {
  readonly column: string;
  /** No, and yes; or all of them, in order, where they are more than two. */
  readonly classes: readonly string[];
  readonly codes: Uint8Array;
}

/**
 * The label's column. With `positive` there are two classes, that one (yes) and all others (no); else all values are classes, in
 * order: of two the last is yes (1, yes, >50K). `like` are the classes of the people that were learnt from.
 */
export function readLabel(
  table: Table,
  column: string,
  { positive, like }: { readonly positive?: string; readonly like?: readonly string[] } = {},
): Label {
  const found = columnFinder(table)(column);
  if (found.missing > 0) {
    const advice = "a label cannot be filled in: use `missing: drop`";
    throw new MoietyError("input", `the label '${column}' has ${found.missing} missing values; ${advice}`);
  }
  const { codes, levels } = asLevels(found);
  const classes = like ?? classesAmong(levels, column, positive);
  const places = levels.map((level) => placeOf(level, classes));
  if (places.includes(-1)) {
    const seen = `the label '${column}' has a class that does not occur in the training data`;
    const advice = classes.length === 2 ? `, or train with \`positive: '${classes[1]}'\`` : "";
    throw new MoietyError("input", `${seen}: leave those rows out${advice}`);
  }
  return { column, classes, codes: Uint8Array.from(codes, (code) => places[code]) };
}

function classesAmong(levels: readonly string[], column: string, positive: string | undefined): readonly string[] {
  if (positive !== undefined && !levels.includes(positive)) {
    throw new MoietyError("input", unknownName(`class of '${column}'`, positive, levels.slice(0, 20)));
  }
  if (levels.length < 2) {
    throw new MoietyError("input", `the label '${column}' has one class, and two are needed: name another column`);
  }
  if (positive !== undefined) {
    const others = levels.filter((level) => level !== positive);
    return [others.length === 1 ? others[0] : othersThan(positive), positive];
  }
  if (levels.length <= mostClasses) return levels;
  const advice = "merge some, or name the one to learn with `positive`, and the others are its no";
  throw new MoietyError(
    "input",
    `the label '${column}' has ${levels.length} classes, and at most ${mostClasses} are allowed: ${advice}`,
  );
}

/** The name of all classes but one. */
function othersThan(positive: string): string {
  return `not ${positive}`;
}

/** -1 where there is none. */
function placeOf(level: string, classes: readonly string[]): number {
  const [no, yes] = classes;
  const place = classes.indexOf(level);
  return place < 0 && classes.length === 2 && no === othersThan(yes) ? 0 : place;
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
