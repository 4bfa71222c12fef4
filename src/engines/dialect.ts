/** How an engine writes what engines write differently. Everything else is the same text for all of them. */
export interface Dialect {
  readonly name: "duckdb" | "postgres" | "spark";
  /** Names of types, for casts. */
  readonly types: { readonly double: string; readonly whole: string; readonly text: string };
  readonly quote: (name: string) => string;
  readonly text: (value: string) => string;
  /** The first 48 bits of the MD5 digest of a text expression, as a whole number. */
  readonly digest: (expression: string) => string;
  /** Whole-number division of numbers that are not negative. */
  readonly divide: (expression: string, divisor: number) => string;
  /** Creates a table that is gone with the connection, or that a later run finds and drops. */
  readonly createWorking: (name: string, query: string) => string;
  /** Whether working tables outlive the connection. */
  readonly workingStays: boolean;
  /** The statement that grants what a run needs to write a table; `user` and `place` as the engine names them. */
  readonly grant: string;
}

const doubled = (mark: string) => (name: string) => mark + name.replaceAll(mark, mark + mark) + mark;

export const duckdbDialect: Dialect = {
  name: "duckdb",
  types: { double: "DOUBLE", whole: "BIGINT", text: "VARCHAR" },
  quote: doubled('"'),
  text: doubled("'"),
  digest: (expression) => `CAST('0x' || substr(md5(${expression}), 1, 12) AS BIGINT)`,
  divide: (expression, divisor) => `(${expression} // ${divisor})`,
  createWorking: (name, query) => `CREATE OR REPLACE TEMP TABLE ${name} AS ${query}`,
  workingStays: false,
  grant: "open the file where it can be written",
};

export const postgresDialect: Dialect = {
  name: "postgres",
  types: { double: "DOUBLE PRECISION", whole: "BIGINT", text: "TEXT" },
  quote: doubled('"'),
  // A backslash is a backslash under standard_conforming_strings, which every connection of ours sets.
  text: doubled("'"),
  digest: (expression) => `CAST(CAST('x' || substr(md5(${expression}), 1, 12) AS BIT(48)) AS BIGINT)`,
  divide: (expression, divisor) => `(${expression} / ${divisor})`,
  createWorking: (name, query) => `CREATE TEMP TABLE ${name} AS ${query}`,
  workingStays: false,
  grant: "GRANT TEMPORARY ON DATABASE … TO …; GRANT CREATE ON SCHEMA … TO …",
};

export const sparkDialect: Dialect = {
  name: "spark",
  types: { double: "DOUBLE", whole: "BIGINT", text: "STRING" },
  quote: doubled("`"),
  text: (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
  digest: (expression) => `CAST(conv(substr(md5(${expression}), 1, 12), 16, 10) AS BIGINT)`,
  divide: (expression, divisor) => `(${expression} div ${divisor})`,
  createWorking: (name, query) => `CREATE TABLE ${name} USING parquet AS ${query}`,
  workingStays: true,
  grant: "GRANT CREATE TABLE ON SCHEMA … TO …",
};
