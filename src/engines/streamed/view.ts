import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../table/disk/engine.js";
import type { PlannedColumn } from "../../table/disk/plan.js";
import { isNumberSql, missingSql, numberSql } from "../../table/disk/spelling-sql.js";
import { decimalMark, isNumeric, type Preference } from "../../table/judge.js";
import { isNumber } from "../../table/spelling.js";
import type { EngineColumn } from "../engine.js";

/** What is known of a column beyond its type in the view. */
type ColumnJudgement = Pick<EngineColumn, "spelt" | "doubt">;

export interface View {
  readonly relation: string;
  readonly judged: ReadonlyMap<string, ColumnJudgement>;
}

/** What the user says of the source. */
export interface SourceManner extends Preference {
  readonly na: readonly string[];
  /** The column of ids: text as it stands, or whole numbers. */
  readonly id?: string;
}

/** Rows in which one cell that is no boolean and no date shows that a column is not one of them. */
const firstRows = 20_000;
/** Every text that spells a number is less than this, byte by byte: digits, signs, marks and spaces come before it. */
const afterNumbers = "':'";

/** A whole number as it is always written, and exact as a double: an id in a text file is then what it is in a file that knows its type. */
const wholeNumber = "'0|-?[1-9][0-9]{0,14}'";

const isDate = (cell: string) =>
  `(regexp_full_match(trim(${cell}), '\\d{4}-\\d\\d-\\d\\d([ T]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?\\s?(Z|[+-]\\d\\d(:?\\d\\d)?)?)?') AND ${instant(cell)} IS NOT NULL)`;
const instant = (cell: string) => `TRY_CAST(trim(${cell}) AS TIMESTAMP)`;
const words = {
  truth: (cell: string) => `lower(trim(${cell})) IN ('true', 'false')`,
  answer: (cell: string) => `lower(trim(${cell})) IN ('yes', 'no')`,
};
const booleanSql = (cell: string) =>
  `CASE WHEN lower(trim(${cell})) IN ('true', 'yes') THEN 1 WHEN lower(trim(${cell})) IN ('false', 'no') THEN 0 END`;
const dateSql = (cell: string) => `epoch_us(${instant(cell)}) / 86400000000.0`;

/**
 * A source as readers in memory take it: without what is empty or called missing, and with each column of texts judged by all
 * of its cells, as `judge` does.
 */
export async function viewOf(
  connection: DuckDBConnection,
  source: string,
  columns: readonly PlannedColumn[],
  manner: SourceManner,
): Promise<View> {
  const cells = new Map(columns.map((column) => [column, cellOf(column, manner)]));
  const texts = columns.filter(({ name, answer }) => answer === "text" && name !== manner.id);
  const judged = new Map<string, ColumnJudgement>();
  for (const column of await inQuestion(connection, source, texts, cells)) {
    const cell = cells.get(column) as string;
    const { numeric, ...found } = await judge(connection, source, cell, column.typed, manner);
    if (numeric !== undefined) cells.set(column, numberSql(cell, numeric, []));
    else if (found.spelt) cells.set(column, `CASE WHEN NOT ${missingSql(cell, [])} THEN ${cell} END`);
    const number = found.spelt && { kind: found.spelt, number: found.number(quoteName(column.name)) };
    judged.set(column.name, { ...(number ? { spelt: number } : {}), ...(found.doubt ? { doubt: found.doubt } : {}) });
  }
  const id = columns.find(({ name, answer, typed }) => name === manner.id && answer === "text" && !typed);
  if (id !== undefined) {
    const cell = cells.get(id) as string;
    const other = `count(*) FILTER (NOT regexp_full_match(${cell}, ${wholeNumber}))`;
    const [ids, others] = await numbersIn(connection, [`count(${cell})`, other], source);
    if (ids > 0 && others === 0) cells.set(id, `CAST(${cell} AS BIGINT)`);
  }
  const list = Array.from(cells, ([{ name }, cell]) => `${cell} AS ${quoteName(name)}`);
  return { relation: `(SELECT ${list.join(", ")} FROM ${source})`, judged };
}

/** A cell of a column without what is empty or called missing: see `withoutNamed`. */
function cellOf({ expression, answer, name, kind }: PlannedColumn, { na, id }: SourceManner): string {
  const empty = answer === "text" ? `NULLIF(${expression}, '')` : expression;
  if (na.length === 0) return empty;
  if (kind === "numeric" && name !== id) {
    const numbers = na.filter((text) => isNumber(text, "point")).map((text) => `'${Number(text)}'::DOUBLE`);
    return numbers.length === 0 ? empty : `CASE WHEN ${empty} NOT IN (${numbers.join(", ")}) THEN ${empty} END`;
  }
  const text = `trim(CAST(${expression} AS VARCHAR))`;
  return `CASE WHEN ${text} NOT IN (${na.map(quoteText).join(", ")}) THEN ${empty} END`;
}

/** Those columns of texts that may be more than text. */
async function inQuestion(
  connection: DuckDBConnection,
  source: string,
  texts: readonly PlannedColumn[],
  cells: ReadonlyMap<PlannedColumn, string>,
): Promise<PlannedColumn[]> {
  if (texts.length === 0) return [];
  const cellsOf = texts.map((column) => cells.get(column) as string);
  const counts = (each: (cell: string) => string[], from: string) => numbersIn(connection, cellsOf.flatMap(each), from);
  const first = await counts((cell) => {
    const present = `${cell} IS NOT NULL AND NOT ${missingSql(cell, [])}`;
    return [words.truth(cell), words.answer(cell), isDate(cell)].map(
      (is) => `count(*) FILTER (${present} AND NOT ${is})`,
    );
  }, `(SELECT * FROM ${source} LIMIT ${firstRows})`);
  const numberlike = await counts((cell) => [`count(*) FILTER (${cell} < ${afterNumbers})`], source);
  return texts.filter((_, i) => numberlike[i] > 0 || first.slice(3 * i, 3 * i + 3).includes(0));
}

/** What all cells of a column say that it is. */
async function judge(
  connection: DuckDBConnection,
  source: string,
  cell: string,
  typed: boolean,
  preference: Preference,
) {
  const present = `${cell} IS NOT NULL`;
  const value = `${present} AND NOT ${missingSql(cell, [])}`;
  const [point, comma] = [isNumberSql(cell, "point"), isNumberSql(cell, "comma")];
  const conditions = [
    ...[point, comma, `(${point} OR ${comma})`, `${cell} LIKE '%,%'`, `${cell} LIKE '%.%'`],
    ...[words.truth(cell), words.answer(cell), isDate(cell), "true"],
  ];
  const asked = [`count(${cell})`, ...conditions.map((is) => `count(*) FILTER (${value} AND ${is})`)];
  const [all, byPoint, byComma, either, commas, points, truths, answers, dates, values] = await numbersIn(
    connection,
    asked,
    source,
  );
  const numeric = isNumeric({ present: all, values, numbers: either });
  const mark = numeric
    ? decimalMark({ cells: values, point: byPoint, comma: byComma, commas, points }, preference)
    : undefined;
  if (mark === "point" || mark === "comma") {
    if (!typed) return { numeric: mark };
    return { spelt: "number" as const, number: (text: string) => numberSql(text, mark, []) };
  }
  if (values > 0 && (truths === values || answers === values)) return { spelt: "boolean" as const, number: booleanSql };
  if (values > 0 && dates === values) return { spelt: "date" as const, number: dateSql };
  if (!numeric || typed) return {};
  if (mark === "either") return { doubt: "marks" as const };
  return { doubt: { cells: values - Math.max(byPoint, byComma), of: values } };
}

async function numbersIn(connection: DuckDBConnection, asked: readonly string[], from: string): Promise<number[]> {
  const [row] = await (await connection.run(`SELECT ${asked.join(", ")} FROM ${from}`)).getRows();
  return row.map(Number);
}
