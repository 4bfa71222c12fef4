import { MoietyError } from "../errors.js";
import { checkDoubts } from "./checks.js";
import { idLikeness } from "./ids.js";
import { kindOf } from "./levels.js";
import { type Cuts, parseProtected } from "./protect.js";
import { unknownName } from "./suggest.js";
import type { Column, LeftOut, PeopleOptions, Table } from "./types.js";

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
  /** Says how many people somebody counts for. */
  readonly weights: Column | undefined;
  /** Say who must share a cluster, and who must not. */
  readonly together: Column | undefined;
  readonly apart: Column | undefined;
  /** In the table's order. */
  readonly leftOut: readonly LeftOut[];
}

/** One protected attribute: a column, or the intersection of several. */
export interface ProtectedColumns {
  readonly name: string;
  readonly columns: readonly Column[];
  /** How the numbers of each column become groups. */
  readonly cuts: readonly (Cuts | undefined)[];
}

/** How messages speak of the parts. */
const parts = {
  features: "among the features",
  categorical: "among the categorical columns",
  protect: "among the protected attributes",
  exclude: "among the excluded columns",
  id: "as the id",
  splitBy: "as the column to split by",
  weights: "as the weights",
  together: "as the column of who belongs together",
  apart: "as the column of who is kept apart",
} as const;
type ColumnPart = keyof typeof parts;

/** Gives every column its part, or says which name is unknown, repeated or claimed for two parts. */
export function chooseColumns(
  table: Table,
  options: PeopleOptions,
  likeness: (column: Column) => string | undefined = idLikeness,
): Roles {
  const find = columnFinder(table);
  const protect = (options.protect ?? []).map((name) => protectedColumns(name, table, find));
  checkRepeated("protect", options.protect);
  checkIntersections(options.protect ?? [], protect);
  const categorical = namedColumns("categorical", options.categorical, find);
  const excluded = namedColumns("exclude", options.exclude, find);
  const id = options.id === undefined ? undefined : find(options.id);
  const splitBy = options.splitBy === undefined ? undefined : find(options.splitBy);
  const weights = options.weights === undefined ? undefined : find(options.weights);
  const together = options.together === undefined ? undefined : find(options.together);
  const apart = options.apart === undefined ? undefined : find(options.apart);

  const claimed = new Map<string, ColumnPart>();
  const claim = (column: Column, part: ColumnPart) => {
    const other = claimed.get(column.name);
    if (other !== undefined && other !== part) {
      const both = `both ${parts[other]} and ${parts[part]}`;
      throw new MoietyError("input", `column '${column.name}' is named ${both}; choose one`);
    }
    claimed.set(column.name, part);
  };
  for (const { columns } of protect) for (const column of columns) claim(column, "protect");
  for (const column of categorical) claim(column, "categorical");
  if (id !== undefined) claim(id, "id");
  // Where somebody is held may be protected as well.
  if (splitBy !== undefined && claimed.get(splitBy.name) !== "protect") claim(splitBy, "splitBy");
  if (weights !== undefined) claim(weights, "weights");
  if (together !== undefined) claim(together, "together");
  if (apart !== undefined) claim(apart, "apart");
  const named = options.features === undefined ? undefined : namedColumns("features", options.features, find);
  for (const column of named ?? []) claim(column, "features");
  for (const column of excluded) claim(column, "exclude");

  const free = table.columns.filter(({ name }) => !claimed.has(name));
  // Where bounds are public nobody's values may decide what is a feature.
  const reasons = new Map(free.map(({ name }) => [name, "not named among the features"]));
  if (named === undefined) {
    for (const column of free) reasons.set(column.name, whyNoFeature(column, !options.box, likeness));
    checkDoubts(free.filter((column) => column.kind === "text" && likeness(column) === undefined));
  }
  const features = named ?? free.filter(({ name }) => reasons.get(name) === "");
  if (features.length + categorical.length === 0) throw noFeatures(free, named !== undefined);
  for (const { name } of excluded) reasons.set(name, "excluded");
  const leftOut = [...table.columns.map(({ name }) => name), ...(table.unread ?? [])].flatMap((column) => {
    const why = reasons.get(column) ?? (claimed.has(column) ? "" : "not named among the features");
    return why === "" ? [] : [{ column, why }];
  });
  return {
    features,
    featuresNamed: named !== undefined,
    categorical,
    protect,
    id,
    splitBy,
    weights,
    together,
    apart,
    leftOut,
  };
}

/** Why a column is no feature unless it is named; empty where it is one. */
export function whyNoFeature(column: Column, judged = true, likeness = idLikeness): string {
  if (column.kind === "numeric" && !judged) return "";
  if (column.kind === "numeric") return likeness(column) ?? "";
  return likeness(column) ?? (column.spells === "number" ? "text that spells numbers" : kindOf(column));
}

function noFeatures(free: readonly Column[], named: boolean): MoietyError {
  const ids = named ? [] : free.filter((column) => column.kind === "numeric").map(({ name }) => `'${name}'`);
  const seen =
    ids.length > 0
      ? `the only numeric ${ids.length === 1 ? "column" : "columns"} (${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}) ${ids.length === 1 ? "looks like an id" : "look like ids"}`
      : "the table has no numeric column that is not used otherwise";
  return new MoietyError("input", `no features: ${seen}; name features or categorical columns`);
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

function namedColumns(part: ColumnPart, names: readonly string[] = [], find: (name: string) => Column): Column[] {
  checkRepeated(part, names);
  return names.map(find);
}

function checkRepeated(part: ColumnPart, names: readonly string[] = []): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new MoietyError("input", `'${twice}' is named twice ${parts[part]}`);
}

export function protectedColumns(name: string, table: Table, find: (name: string) => Column): ProtectedColumns {
  const known = new Set(table.columns.map((column) => column.name));
  const parts = parseProtected(name, (column) => known.has(column));
  const names = parts.map(({ column }) => column);
  const twice = names.find((column, i) => names.indexOf(column) !== i);
  if (twice !== undefined) {
    throw new MoietyError("input", `the protected attribute '${name}' names column '${twice}' twice`);
  }
  return { name: names.join("*"), columns: names.map(find), cuts: parts.map(({ cuts }) => cuts) };
}

/** Bounds and results tell attributes apart by their columns. */
function checkIntersections(names: readonly string[], protect: readonly ProtectedColumns[]): void {
  const seen = new Map<string, string>();
  protect.forEach(({ columns }, i) => {
    const key = JSON.stringify(columns.map((column) => column.name).sort());
    const same = seen.get(key);
    if (same !== undefined) {
      const both = `the protected attributes '${same}' and '${names[i]}'`;
      throw new MoietyError("input", `${both} are made from the same columns; choose one`);
    }
    seen.set(key, names[i]);
  });
}
