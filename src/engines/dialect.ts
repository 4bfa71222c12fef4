/** How an engine writes what engines write differently. Everything else is the same text for all of them. */
export interface Dialect {
  readonly name: "duckdb" | "postgres" | "spark";
  /** Names of types, for casts. */
  readonly types: { readonly double: string; readonly text: string };
  readonly quote: (name: string) => string;
  readonly text: (value: string) => string;
  /** A column's text as bytes order it, whatever the collation of the column. */
  readonly asText: (expression: string) => string;
  /** Whole days since 1970-01-01 of a date or an instant; infinity where it is infinite. */
  readonly days: (date: string) => string;
  /** The first 13 hexadecimal digits of the MD5 of a text in UTF-8, as a whole number. */
  readonly digest: (text: string) => string;
  /** Whole-number division of numbers that are not negative. */
  readonly divide: (expression: string, divisor: number) => string;
  /** Behind a subquery: keeps the engine from computing its columns again wherever they are used. */
  readonly fence: string;
  /** A hash of the named columns of a row, as a whole number that is not negative and below 2^20. */
  readonly rowHash: (columns: readonly string[]) => string;
  /** How points of whole numbers are stored and multiplied. */
  readonly points: PointStore;
  /** Creates a table that is gone with the connection, or where it stays is found and dropped by a later run. */
  readonly createWorking: (name: string, query: string) => string;
  readonly workingStays: boolean;
}

interface PointStore {
  /** The select list that stores a point of these coordinates. */
  readonly store: (coordinates: readonly string[]) => string;
  readonly coordinate: (dimension: number) => string;
  /** The names of the columns that hold a point. */
  readonly columns: (dimensions: number) => readonly string[];
  /** The sum of all coordinates times these whole numbers, as a whole number. */
  readonly dot: (factors: ArrayLike<number>) => string;
  /** The sum of all squares of the coordinates, as a whole number. */
  readonly square: (dimensions: number) => string;
}

const enclosed = (mark: string) => (name: string) => mark + name.replaceAll(mark, mark + mark) + mark;

/** Sums in pairs, and pairs of pairs: an expression that is not deep, however many its terms are. */
function sumOf(terms: readonly string[]): string {
  if (terms.length <= 2) return terms.length === 0 ? whole(0) : terms.join(" + ");
  const half = terms.length >> 1;
  return `(${sumOf(terms.slice(0, half))}) + (${sumOf(terms.slice(half))})`;
}

/** A whole number of 64 bits: those that fit in 32 would be multiplied in 32. */
export function whole(value: number): string {
  return `CAST(${value} AS BIGINT)`;
}

/** A column for each coordinate. */
const columnPoints: PointStore = {
  store: (coordinates) => coordinates.map((each, j) => `CAST(${each} AS INTEGER) AS x${j}`).join(", "),
  coordinate: (j) => `x${j}`,
  columns: (dimensions) => Array.from({ length: dimensions }, (_, j) => `x${j}`),
  dot: (factors) =>
    sumOf(Array.from(factors, (factor, j) => (factor === 0 ? "" : `x${j} * ${whole(factor)}`)).filter(Boolean)),
  square: (dimensions) =>
    sumOf(Array.from({ length: dimensions }, (_, j) => `CAST(x${j} AS BIGINT) * CAST(x${j} AS BIGINT)`)),
};

/** One array of doubles: whole numbers below 2^53 are exact in them, and the engine multiplies arrays at once. */
const arrayPoints: PointStore = {
  store: (coordinates) => `CAST(list_value(${coordinates.join(", ")}) AS DOUBLE[${coordinates.length}]) AS x`,
  coordinate: (j) => `x[${j + 1}]`,
  columns: () => ["x"],
  dot: (factors) =>
    `CAST(array_inner_product(x, CAST([${Array.from(factors).join(", ")}] AS DOUBLE[${factors.length}])) AS BIGINT)`,
  square: () => "CAST(array_inner_product(x, x) AS BIGINT)",
};

const hashedValues = 1 << 20;

/** Where dates may be infinite, which has no difference to others. */
function finiteDays(date: string): string {
  return `CASE WHEN isfinite(${date}) THEN CAST(CAST(${date} AS DATE) - DATE '1970-01-01' AS DOUBLE PRECISION) WHEN NOT isfinite(${date}) THEN CAST('Infinity' AS DOUBLE PRECISION) END`;
}

export const duckdbDialect: Dialect = {
  name: "duckdb",
  types: { double: "DOUBLE", text: "VARCHAR" },
  quote: enclosed('"'),
  text: enclosed("'"),
  asText: (expression) => `CAST(${expression} AS VARCHAR)`,
  days: finiteDays,
  digest: (text) => `CAST('0x' || substr(md5(${text}), 1, 13) AS BIGINT)`,
  divide: (expression, divisor) => `(${expression} // ${divisor})`,
  fence: "",
  rowHash: (columns) => `CAST(hash(${columns.join(", ")}) % ${hashedValues} AS BIGINT)`,
  points: arrayPoints,
  createWorking: (name, query) => `CREATE TEMP TABLE ${name} AS ${query}`,
  workingStays: false,
};

export const postgresDialect: Dialect = {
  name: "postgres",
  types: { double: "DOUBLE PRECISION", text: "TEXT" },
  quote: enclosed('"'),
  // A backslash is a backslash under standard_conforming_strings, which every connection of ours sets.
  text: enclosed("'"),
  asText: (expression) => `(CAST(${expression} AS TEXT) COLLATE "C")`,
  days: finiteDays,
  digest: (text) => `CAST(CAST('x' || substr(md5(convert_to(${text}, 'UTF8')), 1, 13) AS BIT(52)) AS BIGINT)`,
  divide: (expression, divisor) => `(${expression} / ${divisor})`,
  fence: " OFFSET 0",
  rowHash: (columns) => `(hash_record_extended(ROW(${columns.join(", ")}), 0) & ${hashedValues - 1})`,
  points: columnPoints,
  createWorking: (name, query) => `CREATE TEMP TABLE ${name} AS ${query}`,
  workingStays: false,
};

export const sparkDialect: Dialect = {
  name: "spark",
  types: { double: "DOUBLE", text: "STRING" },
  quote: enclosed("`"),
  text: (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
  asText: (expression) => `CAST(${expression} AS STRING)`,
  days: (date) => `unix_date(CAST(${date} AS DATE))`,
  digest: (text) => `CAST(conv(substr(md5(${text}), 1, 13), 16, 10) AS BIGINT)`,
  divide: (expression, divisor) => `(${expression} div ${divisor})`,
  fence: "",
  rowHash: (columns) => `(xxhash64(${columns.join(", ")}) & ${hashedValues - 1})`,
  points: columnPoints,
  createWorking: (name, query) => `CREATE TABLE ${name} USING parquet AS ${query}`,
  workingStays: true,
};
