import type { ScanDimension, ScannedColumn, ScannedValue, ScanSpace, ScanWeights, TallyKey } from "../scans/scanner.js";
import { type Dialect, whole } from "./dialect.js";
import type { EngineColumn } from "./engine.js";

/** The numbers of `wholeHash`. */
const hashPrime = 67_108_859;
const hashRounds = [12_345_677, 40_503_011, 28_411_979];

/** What is asked of the rows of a table, in an engine's words. */
export class Expressions {
  private readonly byName: ReadonlyMap<string, EngineColumn>;

  constructor(
    private readonly dialect: Dialect,
    columns: readonly EngineColumn[],
  ) {
    this.byName = new Map(columns.map((column) => [column.name, column]));
  }

  /** The number of a column; NULL where it is missing. */
  number(name: string): string {
    const quoted = this.dialect.quote(name);
    const { kind, spelt } = this.column(name);
    if (spelt) return this.cast(spelt.number);
    if (kind === "boolean") return this.cast(`CASE WHEN ${quoted} THEN 1 WHEN NOT ${quoted} THEN 0 END`);
    if (kind === "date") return this.cast(this.dialect.days(quoted));
    const double = this.cast(quoted);
    // Zero has one sign among groups.
    return kind === "whole" ? double : `(NULLIF(${double}, ${this.double(Number.NaN)}) + ${this.double(0)})`;
  }

  /** What is different where values are: whole numbers beyond 2^53 are no doubles. */
  exactly(name: string): string {
    return this.column(name).kind === "whole" ? this.dialect.quote(name) : this.value(name);
  }

  /** The value of a column as it is told: a number, or text. */
  value(name: string): string {
    const quoted = this.dialect.quote(name);
    const { kind } = this.column(name);
    if (kind === "whole" || kind === "number") return this.number(name);
    if (kind === "boolean") return `CASE WHEN ${quoted} THEN 'true' WHEN NOT ${quoted} THEN 'false' END`;
    return this.dialect.asText(kind === "date" ? `CAST(${quoted} AS DATE)` : quoted);
  }

  /** Whether a row is somebody. */
  person(complete: readonly string[]): string {
    if (complete.length === 0) return "(1 = 1)";
    return `(${complete.map((name) => `${this.value(name)} IS NOT NULL`).join(" AND ")})`;
  }

  /** What a key makes of a row. */
  key({ column, cuts }: TallyKey): string {
    if (cuts === undefined) return this.value(column);
    const number = this.number(column);
    const steps = cuts.map((cut, at) => `WHEN ${number} < ${this.double(cut)} THEN ${at}`);
    return `CASE WHEN ${number} IS NULL THEN NULL ${steps.join(" ")} ELSE ${cuts.length} END`;
  }

  /** Whether a key's answers are texts. */
  isText({ column, cuts }: TallyKey): boolean {
    return cuts === undefined && scannedKind(this.column(column)) !== "numeric";
  }

  /** The coordinate of a row, whole. */
  coordinate(dimension: ScanDimension): string {
    if (dimension.kind === "level") {
      const { column, level, own } = dimension;
      return `CASE WHEN ${this.is(this.value(column), level)} THEN ${own} ELSE 0 END`;
    }
    const { column, shift, scale, unit, mean } = dimension;
    const number = `COALESCE(${this.number(column)}, ${this.double(mean)})`;
    const scaled = `(${number} - ${this.double(shift)}) / ${this.double(scale)} * ${this.double(unit)}`;
    return this.rounded(scaled);
  }

  /** What a row counts for, see `ScanWeights`. */
  weight({ column, unit }: ScanWeights): string {
    return `GREATEST(${whole(1)}, ${this.rounded(`${this.number(column)} / ${this.double(unit)}`)})`;
  }

  /** The nearest whole number, halves up: `round` differs between engines. */
  rounded(expression: string): string {
    return `CAST(floor(${expression} + ${this.double(0.5)}) AS BIGINT)`;
  }

  is(expression: string, value: ScannedValue): string {
    return value === null ? `${expression} IS NULL` : `${expression} = ${this.literal(value)}`;
  }

  literal(value: string | number): string {
    return typeof value === "number" ? this.double(value) : this.dialect.text(value);
  }

  /** Decimal literals are decimals in some engines: a text that is cast is a double in all. */
  double(value: number): string {
    return this.cast(`'${value}'`);
  }

  /** The hash of an id: see `ScanId`. */
  hash(id: ScanSpace["id"]): string {
    const { asText, digest, divide, quote } = this.dialect;
    if (id.kind === "row") throw new Error("rows of a table in an engine have no numbers");
    if (id.kind === "text") return digest(asText(quote(id.column)));
    const column = `CAST(${quote(id.column)} AS BIGINT)`;
    const u = `(CASE WHEN ${column} >= 0 THEN 2 * ${column} ELSE -2 * ${column} - 1 END)`;
    let [a, b] = [divide(u, hashPrime), `(${u} % ${hashPrime})`];
    for (const round of hashRounds) {
      [a, b] = [b, `((${a} + ${b} * ((${b} + ${round}) % ${hashPrime})) % ${hashPrime})`];
    }
    return `${a} * ${hashPrime} + ${b}`;
  }

  /** A number for a row's combination of values of keys; NULL where a value is none of the patterns'. */
  combination(keys: readonly TallyKey[], patterns: readonly (readonly ScannedValue[])[]): string {
    const codes = keys.map((key, at) => {
      const expression = this.key(key);
      const levels = levelsOf(patterns, at);
      const known = levels.map((level, code) => `WHEN ${this.isKeyed(key, expression, level)} THEN ${code}`);
      return [`(CASE ${known.join(" ")} END)`, levels.length] as const;
    });
    return codes.reduce((all, [code, count]) => `(${all} * ${count} + ${code})`, whole(0));
  }

  /** The patterns by their combinations, as a table (coded, pattern): their places in the list, or these numbers. */
  patterns(
    keys: readonly TallyKey[],
    patterns: readonly (readonly ScannedValue[])[],
    numbers?: ArrayLike<number>,
  ): string {
    const levels = keys.map((_, at) => levelsOf(patterns, at));
    const rows = patterns.map((values, pattern) => {
      const code = values.reduce<number>((all, value, at) => all * levels[at].length + levels[at].indexOf(value), 0);
      return `(${whole(code)}, ${numbers?.[pattern] ?? pattern})`;
    });
    return `(VALUES ${rows.join(", ")}) AS patterns(coded, pattern)`;
  }

  private isKeyed({ cuts }: TallyKey, expression: string, level: ScannedValue): string {
    return cuts !== undefined && level !== null ? `${expression} = ${level}` : this.is(expression, level);
  }

  column(name: string): EngineColumn {
    const column = this.byName.get(name);
    if (column === undefined) throw new Error(`the table has no column ${name}`);
    return column;
  }

  private cast(expression: string): string {
    return `CAST(${expression} AS ${this.dialect.types.double})`;
  }
}

export function scannedKind({ kind, spelt }: EngineColumn): ScannedColumn["kind"] {
  if (spelt && spelt.kind !== "number") return spelt.kind;
  if (kind === "whole" || kind === "number") return "numeric";
  return kind === "boolean" || kind === "date" ? kind : "text";
}

/** The values of one key among the patterns. */
function levelsOf(patterns: readonly (readonly ScannedValue[])[], key: number): ScannedValue[] {
  return [...new Set(patterns.map((values) => values[key]))];
}

/** A sum that is whole in every engine, and an error where it does not fit in 64 bits. */
export function sum(expression: string): string {
  return `CAST(sum(${expression}) AS BIGINT)`;
}

/** The double that is nearest to a whole sum, where it need not be exact. */
export function nearestSum({ types }: Dialect, expression: string): string {
  return `CAST(sum(${expression}) AS ${types.double})`;
}
