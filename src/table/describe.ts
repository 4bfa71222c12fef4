import { MoietyError } from "../errors.js";
import { type CountedColumn, counted, distinctCount, uncertaintyRemoved } from "./association.js";
import { columnFinder, protectedColumns, whyNoFeature } from "./choose.js";
import { protectedAttribute } from "./groups.js";
import { idLikeness, namesSomebody } from "./ids.js";
import { kindOf } from "./levels.js";
import { protectedRank } from "./plausible.js";
import { parseProtected } from "./protect.js";
import { selectRows } from "./rows.js";
import { tableOfRows } from "./subset.js";
import { type Suggestion, suggestionOf } from "./suggestion.js";
import type { Attribute, Column, ColumnKind, Table } from "./types.js";

/** What a column is, the part that it would play, and why. */
export interface DescribedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly missing: number;
  /** Different values. */
  readonly distinct: number;
  readonly role: "feature" | "protect" | "id" | "left out";
  readonly why: string;
  /** People of each group, where the column is protected or could be. */
  readonly groups?: Readonly<Record<string, number>>;
}

/** A column that tells something of a protected one: clusters made from it follow those groups. */
export interface Predictor {
  readonly column: string;
  readonly of: string;
  /** The part of the uncertainty about the groups that goes away when the column is known: 0 to 1. */
  readonly share: number;
}

/** What columns hold, each by itself. */
export interface ColumnsDescription {
  readonly rows: number;
  readonly columns: readonly DescribedColumn[];
  /** Null where there is nothing to cluster by. */
  readonly suggestion: Suggestion | null;
  readonly warnings: readonly string[];
}

export interface TableDescription extends ColumnsDescription {
  /** The strongest first. */
  readonly predictors: readonly Predictor[];
  /** How many rows predictors were judged by. */
  readonly judgedBy: number;
}

/** More protected attributes at once make a first result hard to read. */
const mostProtected = 3;
/** As for protected numbers: what has more values is no list of groups. */
const fewGroups = 20;
/** A column with more holes than this part of the people would cost too many of them. */
const mostMissing = 0.2;
/** Rows by which predictors are judged: the third digit does not depend on more. */
const mostJudged = 100_000;
/** What says less than this about a group is not worth a word. */
const leastShare = 0.02;

/** Looks at a table as a stranger: what its columns hold, and how it could be clustered. */
export function describeTable(table: Table): TableDescription {
  const { protect, ...described } = lookAt(table);
  const judged = judgedRows(table);
  const isPredictor = (_: Column, at: number) => {
    const { role, groups, distinct } = described.columns[at];
    return (role === "feature" || role === "protect" || groups !== undefined) && distinct > 1;
  };
  const predictors = predictorsOf(table.columns.filter(isPredictor), protect, table.rows, judged);
  return { ...described, predictors, judgedBy: judged.length };
}

/** The same without predictors, which take longest. */
export function describeColumns(table: Table): ColumnsDescription {
  const { protect: _, ...described } = lookAt(table);
  return described;
}

function lookAt(table: Table): ColumnsDescription & { readonly protect: readonly Plausible[] } {
  const facts = table.columns.map((column) => ({ column, distinct: distinctCount(column) }));
  const attributes = plausibleAttributes(table);
  const protect = attributes.slice(0, mostProtected);
  const protectedNames = new Set(protect.map(({ column }) => column.name));
  const id = facts.find(({ column, distinct }) => isId(column, distinct, table.rows))?.column;
  const columns = facts.map(({ column, distinct }): DescribedColumn => {
    const { name, missing } = column;
    const { role, why } = partOf(column, distinct, table.rows, protectedNames, id?.name);
    const attribute = attributes.find((each) => each.column === column)?.attribute ?? groupsOf(table, column, distinct);
    return {
      ...{ name, kind: kindOf(column), missing, distinct, role, why },
      ...(attribute ? { groups: sizesOf(attribute) } : {}),
    };
  });
  return {
    rows: table.rows,
    columns,
    protect,
    suggestion: suggestionOf(table, columns, protect, id),
    warnings: table.warnings ?? [],
  };
}

/** A column that is likely to be protected, and how it could be. */
export interface Plausible extends Grouped {
  readonly column: Column;
  readonly spec: string;
}

/** Groups, and the rows in which they are known. */
interface Grouped {
  readonly attribute: Attribute;
  readonly sourceRows: Uint32Array;
}

/** Columns that are named like a protected attribute and can be, as they are or in quartiles. */
function plausibleAttributes(table: Table): Plausible[] {
  return table.columns
    .flatMap((column) => {
      const rank = protectedRank(column.name);
      if (rank === undefined || column.missing > mostMissing * table.rows) return [];
      for (const spec of [column.name, `${column.name}:quartiles`, `${column.name}:tertiles`]) {
        const grouped = attributeIn(table, spec, column);
        if (grouped) return [{ rank, column, spec, ...grouped }];
      }
      return [];
    })
    .sort((one, other) => one.rank - other.rank);
}

/** Undefined where these are no groups to protect. */
function attributeIn(table: Table, spec: string, { name }: Column): Grouped | undefined {
  const known = new Set(table.columns.map((column) => column.name));
  try {
    const parts = parseProtected(spec, (column) => known.has(column));
    if (parts.length !== 1 || parts[0].column !== name) return undefined;
    const columns = protectedColumns(spec, table, columnFinder(table));
    const { sourceRows } = selectRows(table.rows, columns.columns, undefined);
    return { attribute: protectedAttribute(columns, sourceRows, { maxGroups: fewGroups }), sourceRows };
  } catch (error) {
    if (error instanceof MoietyError) return undefined;
    throw error;
  }
}

/** Texts of few values could be protected too, whatever they are called. */
function groupsOf(table: Table, column: Column, distinct: number): Attribute | undefined {
  if (column.kind !== "text" || distinct < 2 || distinct > fewGroups) return undefined;
  return attributeIn(table, column.name, column)?.attribute;
}

function sizesOf({ groups, codes }: Attribute): Record<string, number> {
  const sizes = new Uint32Array(groups.length);
  for (const code of codes) sizes[code]++;
  return Object.fromEntries(groups.map((group, g) => [group, sizes[g]]));
}

/** Everybody has one, and nobody the same as another. */
function isId(column: Column, distinct: number, rows: number): boolean {
  if (column.missing > 0 || distinct !== rows || rows < 2) return false;
  return idLikeness(column) === "looks like an id" || (column.kind === "text" && namesSomebody(column.name));
}

function partOf(
  column: Column,
  distinct: number,
  rows: number,
  protect: ReadonlySet<string>,
  id: string | undefined,
): Pick<DescribedColumn, "role" | "why"> {
  const named = protectedRank(column.name) !== undefined;
  if (protect.has(column.name)) {
    const cut = column.kind === "numeric" && distinct > fewGroups ? "; numbers in groups of equal size" : "";
    return { role: "protect", why: `named like a protected attribute${cut}` };
  }
  if (column.name === id) return { role: "id", why: "every value is different" };
  const why = whyLeftOut(column, distinct, rows);
  const hint = named ? "; named like a protected attribute" : "";
  return why === "" ? { role: "feature", why: `a number${hint}` } : { role: "left out", why: `${why}${hint}` };
}

function whyLeftOut(column: Column, distinct: number, rows: number): string {
  if (distinct === 0) return "no values";
  if (column.kind === "numeric" && distinct === 1) return "the same value for all people";
  if (column.kind === "numeric" && column.notFinite > 0) return "infinite numbers";
  if (column.kind === "text" && column.doubt !== undefined) return "looks numeric, but cannot be read as numbers";
  const why = whyNoFeature(column);
  if (why === "" && column.missing > mostMissing * rows) return "many values are missing";
  return why;
}

/** Which of these columns tell something about protected attributes, such as sex or age:quartiles: the strongest first. Of many people some are looked at. */
export function proxiesOf(all: Table, columns: readonly string[], protect: readonly string[]): Predictor[] {
  const isColumn = (name: string) => all.columns.some((each) => each.name === name);
  const columnOf = (spec: string) => parseProtected(spec, isColumn)[0].column;
  const used = new Set([...columns, ...protect.map(columnOf)]);
  const table = tableOfRows({ ...all, columns: all.columns.filter(({ name }) => used.has(name)) }, judgedRows(all));
  const find = columnFinder(table);
  const attributes = protect.flatMap((spec) => {
    const column = columnOf(spec);
    const grouped = attributeIn(table, spec, find(column));
    return grouped ? [{ column: find(column), ...grouped }] : [];
  });
  return predictorsOf(columns.map(find), attributes, table.rows, judgedRows(table));
}

/** Rows that stand for all of them. */
function judgedRows({ rows }: Table): Uint32Array {
  const step = Math.max(1, Math.ceil(rows / mostJudged));
  return Uint32Array.from({ length: Math.ceil(rows / step) }, (_, i) => i * step);
}

function predictorsOf(
  columns: readonly Column[],
  protect: readonly (Grouped & { readonly column: Column })[],
  all: number,
  rows: Uint32Array,
): Predictor[] {
  const inRows = protect.map((each) => ({ ...each, groups: groupCodes(all, each, rows) }));
  const found = columns.flatMap((column) => {
    const codes = counted(column, rows);
    return inRows
      .filter((each) => each.column !== column)
      .map(({ attribute, groups: wanted }) => ({
        column: column.name,
        of: attribute.name,
        share: uncertaintyRemoved(codes, wanted),
      }));
  });
  return found.filter(({ share }) => share >= leastShare).sort((one, other) => other.share - one.share);
}

/** Groups by row; 0 where they are missing. */
function groupCodes(all: number, { attribute, sourceRows }: Grouped, rows: Uint32Array): CountedColumn {
  const byRow = new Int32Array(all);
  sourceRows.forEach((row, i) => {
    byRow[row] = attribute.codes[i] + 1;
  });
  return { codes: Int32Array.from(rows, (row) => byRow[row]), levels: attribute.groups.length + 1 };
}
