import { MoietyError } from "../errors.js";
import type {
  ColumnExtent,
  ScannedColumn,
  ScannedPeople,
  ScannedValue,
  Scanner,
  ScanSpace,
  Survey,
  SurveyRequest,
  Tallied,
  TallyRequest,
} from "../scans/scanner.js";
import { unknownName } from "../table/suggest.js";
import { type EngineAddress, nameParts } from "./address.js";
import { whole } from "./dialect.js";
import { type AnswerKind, type Batch, type EngineColumn, readAll, type SqlEngine } from "./engine.js";
import { Expressions, scannedKind, sum } from "./expressions.js";
import { changed, SqlPeople } from "./sql-people.js";

/** Columns that one query looks at: engines limit how many a query may answer with. */
const columnsAtOnce = 100;

export interface SqlScannerOptions {
  /** A table that labels are written to. */
  readonly labelsTable?: string;
}

/** People who live in an engine: each question is one generated query, or a few. */
export class SqlScanner implements Scanner {
  readonly numbered = false;
  private readonly words: Expressions;
  /** What shows that the table is still the same: these columns, and sums of hashes of them over all rows and over people. */
  private marked: readonly string[] = [];
  private rowsMark: string | undefined;
  private readonly peopleMarks = new Map<string, number>();
  private opened = 0;

  private constructor(
    private readonly engine: SqlEngine,
    readonly name: string,
    private readonly relation: string,
    private readonly described: readonly EngineColumn[],
    private readonly options: SqlScannerOptions,
  ) {
    this.words = new Expressions(engine.dialect, described);
  }

  /** Looks the table up, and refuses what could not be written at the end. */
  static async open(engine: SqlEngine, address: EngineAddress, options: SqlScannerOptions = {}): Promise<SqlScanner> {
    const { people, shown } = address;
    const { dialect } = engine;
    const relation = "query" in people ? `(${people.query}\n)` : nameParts(people.table).map(dialect.quote).join(".");
    const described = await engine.describe(`SELECT * FROM ${relation} AS people`).catch(async (error: unknown) => {
      if ("table" in people && error instanceof MoietyError && error.code === "input") {
        const tables = await engine.tables();
        if (!tables.includes(people.table)) {
          throw new MoietyError("input", `${engine.name}: ${unknownName("table", people.table, tables)}`);
        }
      }
      throw error;
    });
    return new SqlScanner(engine, shown, relation, described, options);
  }

  async columns(): Promise<ScannedColumn[]> {
    return this.described.map((column) => ({
      name: column.name,
      kind: scannedKind(column),
      ...(/^(float|real)$/i.test(column.type) ? { single: true } : {}),
      ...(column.kind === "whole" ? { whole: true } : {}),
    }));
  }

  async survey(request: SurveyRequest): Promise<Survey> {
    const { complete } = request;
    await this.checkSame(request);
    const [[rows, people], ...extents] = await this.extents(request.columns, complete);
    const moments = await this.moments(request.moments, complete);
    const distinct: number[] = [];
    for (const name of request.distinct) distinct.push(await this.distinct(name, complete));
    const tallies: Tallied[] = [];
    for (const tally of request.tallies) tallies.push(await this.tally(tally, complete));
    return { rows, people, columns: extents.map(extentOf), distinct, tallies, moments };
  }

  async open(space: ScanSpace): Promise<ScannedPeople> {
    const { engine, words } = this;
    const { dialect } = engine;
    const name = dialect.quote(workingName(this.opened++));
    const inner = [
      `${space.id.kind === "row" ? "NULL" : dialect.quote(space.id.column)} AS id`,
      `${words.hash(space.id)} AS hash`,
      `${this.mark()} AS mark`,
      `${words.combination(space.keys, space.patterns)} AS combination`,
      ...space.dimensions.map((dimension, j) => `${words.coordinate(dimension)} AS y${j}`),
    ];
    const point = dialect.points.store(space.dimensions.map((_, j) => `y${j}`));
    const patterns = words.patterns(space.keys, space.patterns);
    const query =
      `SELECT id, hash, hash % 2147483647 AS jitter, mark, pattern, ${point} FROM ` +
      `${this.rowsOf(inner, words.person(space.complete))} LEFT JOIN ${patterns} ON combination = coded`;
    const mark = this.peopleMarks.get(JSON.stringify(space.complete));
    const { labelsTable } = this.options;
    return SqlPeople.open({
      ...{ engine, name, space },
      create: () => engine.run(dialect.createWorking(name, query)),
      drop: () => engine.run(`DROP TABLE IF EXISTS ${name}`),
      ...(mark === undefined ? {} : { mark }),
      ...(labelsTable === undefined ? {} : { labelsTable: nameParts(labelsTable).map(dialect.quote).join(".") }),
    });
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  /** Throws where the table is not the one that was looked at first. */
  private async checkSame({ complete, columns, tallies }: SurveyRequest): Promise<void> {
    const { words } = this;
    if (this.rowsMark === undefined) {
      const named = [...columns, ...complete, ...tallies.flatMap(({ keys }) => keys.map(({ column }) => column))];
      this.marked = [...new Set(named)].filter((name) => words.column(name).kind !== "other");
    }
    const marks = [`${words.person(complete)} AS person`, `${this.mark()} AS mark`];
    const [rows, all, people] = await this.row(
      ["count(*)", sum("mark"), `${sum("CASE WHEN person THEN mark END")}`],
      marks,
    );
    const rowsMark = `${rows} ${all}`;
    if (this.rowsMark !== undefined && this.rowsMark !== rowsMark) throw changed(this.engine);
    this.rowsMark = rowsMark;
    this.peopleMarks.set(JSON.stringify(complete), Number.isNaN(people) ? 0 : people);
  }

  private mark(): string {
    const { quote, rowHash } = this.engine.dialect;
    return this.marked.length === 0 ? whole(1) : rowHash(this.marked.map(quote));
  }

  /** Rows and people; then for each column: missing, not finite, least, most, not whole, known. */
  private async extents(columns: readonly string[], complete: readonly string[]): Promise<number[][]> {
    const { words } = this;
    const infinities = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => words.double(value));
    const answers: number[][] = [];
    for (let from = 0; from === 0 || from < columns.length; from += columnsAtOnce) {
      const part = columns.slice(from, from + columnsAtOnce);
      const isText = part.map((name) => scannedKind(words.column(name)) === "text");
      const values = part.map((name, i) => `${isText[i] ? words.value(name) : words.number(name)} AS v${i}`);
      const asked = part.flatMap((_, i) => {
        const known = `count(v${i}) FILTER (WHERE person)`;
        if (isText[i]) return [`count(*) - count(v${i})`, "0", "0", "0", "1", known];
        const finite = `person AND v${i} NOT IN (${infinities.join(", ")})`;
        return [
          `count(*) - count(v${i})`,
          `count(*) FILTER (WHERE v${i} IN (${infinities.join(", ")}))`,
          `min(v${i}) FILTER (WHERE ${finite})`,
          `max(v${i}) FILTER (WHERE ${finite})`,
          `count(*) FILTER (WHERE ${finite} AND v${i} <> floor(v${i}))`,
          known,
        ];
      });
      const row = await this.row(
        ["count(*)", "count(*) FILTER (WHERE person)", ...asked],
        [`${words.person(complete)} AS person`, ...values],
      );
      if (from === 0) answers.push(row.slice(0, 2));
      part.forEach((_, i) => {
        answers.push(row.slice(2 + 6 * i, 8 + 6 * i));
      });
    }
    return answers;
  }

  private async moments(requests: SurveyRequest["moments"], complete: readonly string[]): Promise<Survey["moments"]> {
    const { words } = this;
    const sums: Survey["moments"][number][] = [];
    for (let from = 0; from < requests.length; from += columnsAtOnce) {
      const part = requests.slice(from, from + columnsAtOnce);
      const row = await this.row(
        part.flatMap((_, i) => [`count(u${i})`, sum(`u${i}`), sum(`u${i} * u${i}`)]),
        part.map(({ column, shift, step }, i) => {
          const steps = `(${words.number(column)} - ${words.double(shift)}) / ${words.double(step)}`;
          return `${words.rounded(steps)} AS u${i}`;
        }),
        words.person(complete),
      );
      part.forEach((_, i) => {
        const [people, total, squares] = row.slice(3 * i, 3 * i + 3);
        sums.push({ people, sum: people === 0 ? 0 : total, squares: people === 0 ? 0 : squares });
      });
    }
    return sums;
  }

  private async distinct(name: string, complete: readonly string[]): Promise<number> {
    const { words } = this;
    const [count] = await this.row(["count(DISTINCT v)"], [`${words.value(name)} AS v`], words.person(complete));
    return count;
  }

  private async tally({ keys, most }: TallyRequest, complete: readonly string[]): Promise<Tallied> {
    const { words } = this;
    const names = keys.map((_, i) => `k${i}`);
    const kinds: AnswerKind[] = keys.map((key) => (words.isText(key) ? "text" : "number"));
    const inner = [`${words.person(complete)} AS person`, ...keys.map((key, i) => `${words.key(key)} AS k${i}`)];
    const counts = ["count(*) FILTER (WHERE person)", "count(*) FILTER (WHERE NOT person)"];
    const group = names.length === 0 ? "" : ` GROUP BY ${names.join(", ")} LIMIT ${most + 1}`;
    const { rows, columns } = await this.answer(
      `SELECT ${[...names, ...counts].join(", ")} FROM ${this.rowsOf(inner)}${group}`,
      [...kinds, "number", "number"],
    );
    if (rows > most) return { cells: [], tooMany: true };
    const [people, others] = columns.slice(keys.length) as Float64Array[];
    const cells = Array.from({ length: rows }, (_, i) => ({
      values: keys.map((_, at): ScannedValue => {
        const value = columns[at][i];
        return typeof value === "number" && Number.isNaN(value) ? null : value;
      }),
      people: people[i],
      others: others[i],
    }));
    return { cells, tooMany: false };
  }

  /** One row of numbers over all rows of the table. */
  private async row(asked: readonly string[], inner: readonly string[], where?: string): Promise<number[]> {
    const { columns } = await this.answer(
      `SELECT ${asked.join(", ")} FROM ${this.rowsOf(inner, where)}`,
      asked.map(() => "number"),
    );
    return columns.map((column) => (column as Float64Array)[0]);
  }

  private rowsOf(inner: readonly string[], where?: string): string {
    const condition = where === undefined ? "" : ` WHERE ${where}`;
    return `(SELECT ${inner.join(", ")} FROM ${this.relation} AS people${condition}${this.engine.dialect.fence}) AS looked`;
  }

  private answer(sql: string, kinds: readonly AnswerKind[]): Promise<Batch> {
    return readAll(this.engine, sql, kinds);
  }
}

function extentOf([missing, notFinite, least, most, fractions, known]: number[]): ColumnExtent {
  return { missing, notFinite, least, most, whole: fractions === 0, known };
}

/** Working tables of this process, told apart from others' where an engine keeps them. */
function workingName(count: number): string {
  return `moiety_${process.pid}_${count}`;
}
