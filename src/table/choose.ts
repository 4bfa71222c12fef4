import { MoietyError } from "../errors.js";
import { unknownName } from "./suggest.js";
import type { Column, PeopleOptions, Table } from "./types.js";

/** The columns of a table by the part that they play. */
export interface Roles {
  readonly features: readonly Column[];
  /** Whether the user named the features: what is named may not be left out silently. */
  readonly featuresNamed: boolean;
  readonly categorical: readonly Column[];
  readonly protect: readonly ProtectedColumns[];
  readonly id: Column | undefined;
  /** Says which party holds a row. */
  readonly splitBy: Column | undefined;
}

/** One protected attribute: a column, or the intersection of several. */
export interface ProtectedColumns {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** Gives every column its part, or says which name is unknown, repeated or claimed for two parts. */
export function chooseColumns(table: Table, options: PeopleOptions): Roles {
  const find = columnFinder(table);
  const protect = (options.protect ?? []).map((name) => protectedColumns(name, table, find));
  checkRepeated("--protect", options.protect);
  checkIntersections(protect);
  const categorical = namedColumns("--categorical", options.categorical, find);
  const excluded = namedColumns("--exclude", options.exclude, find);
  const id = options.id === undefined ? undefined : find(options.id);
  const splitBy = options.splitBy === undefined ? undefined : find(options.splitBy);

  const parts = new Map<string, string>();
  const claim = (column: Column, part: string) => {
    const other = parts.get(column.name);
    if (other !== undefined && other !== part) {
      throw new MoietyError("input", `column '${column.name}' is named both in ${other} and in ${part}; choose one`);
    }
    parts.set(column.name, part);
  };
  for (const { columns } of protect) for (const column of columns) claim(column, "--protect");
  for (const column of categorical) claim(column, "--categorical");
  if (id !== undefined) claim(id, "--id");
  // Where somebody is held may be protected as well.
  if (splitBy !== undefined && parts.get(splitBy.name) !== "--protect") claim(splitBy, "--split-by");
  const named = options.features === undefined ? undefined : namedColumns("--features", options.features, find);
  for (const column of named ?? []) claim(column, "--features");
  for (const column of excluded) claim(column, "--exclude");

  const features = named ?? table.columns.filter((column) => column.kind === "numeric" && !parts.has(column.name));
  if (features.length + categorical.length === 0) {
    const advice = "name columns with --features or --categorical";
    throw new MoietyError(
      "input",
      `no features: the table has no numeric column that is not used otherwise; ${advice}`,
    );
  }
  return { features, featuresNamed: named !== undefined, categorical, protect, id, splitBy };
}

/** Looks columns up by name; an unknown name is an error that suggests the nearest. */
export function columnFinder(table: Table): (name: string) => Column {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  return (name) => {
    const column = byName.get(name);
    if (column === undefined) throw new MoietyError("input", unknownName("column", name, [...byName.keys()]));
    return column;
  };
}

function namedColumns(option: string, names: readonly string[] = [], find: (name: string) => Column): Column[] {
  checkRepeated(option, names);
  return names.map(find);
}

function checkRepeated(option: string, names: readonly string[] = []): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new MoietyError("input", `'${twice}' is named twice in ${option}`);
}

export function protectedColumns(name: string, table: Table, find: (name: string) => Column): ProtectedColumns {
  // A column may itself have a star in its name.
  const exact = table.columns.find((column) => column.name === name);
  if (exact !== undefined) return { name, columns: [exact] };
  const parts = name.split("*").map((part) => part.trim());
  const twice = parts.find((part, i) => parts.indexOf(part) !== i);
  if (twice !== undefined) throw new MoietyError("input", `'${name}' in --protect names column '${twice}' twice`);
  return { name: parts.join("*"), columns: parts.map(find) };
}

function checkIntersections(protect: readonly ProtectedColumns[]): void {
  const seen = new Map<string, string>();
  for (const { name, columns } of protect) {
    const key = JSON.stringify(columns.map((column) => column.name).sort());
    const same = seen.get(key);
    if (same !== undefined) throw new MoietyError("input", `'${same}' and '${name}' in --protect are the same groups`);
    seen.set(key, name);
  }
}
