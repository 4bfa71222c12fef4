import { MoietyError } from "../errors.js";
import type {
  ColumnExtent,
  ScannedColumn,
  ScannedPeople,
  ScannedValue,
  Scanner,
  ScanSpace,
  ScanWeights,
  Survey,
  SurveyRequest,
  Tallied,
  TallyRequest,
} from "../scans/scanner.js";
import { unknownName } from "../table/suggest.js";
import { type EngineAddress, nameParts } from "./address.js";
import { again } from "./again.js";
import { whole } from "./dialect.js";
import { type AnswerKind, type Batch, type EngineColumn, isOutOfMemory, readAll, type SqlEngine } from "./engine.js";
import { Expressions, nearestSum, scannedKind, sum } from "./expressions.js";
import { dropLeftovers, workingTable } from "./leftovers.js";
import { changed, SqlPeople } from "./sql-people.js";

/** Columns that one query looks at: engines limit how many a query may answer with. */
const columnsAtOnce = 100;

/** A table that was surveyed. */
export interface SurveyedTable {
  readonly engine: SqlEngine;
  readonly words: Expressions;
  /** A hash of a row. */
  readonly mark: string;
  /** The number of rows, and the sum of their hashes. */
  readonly fingerprint: string;
  /** These expressions of every row. */
  readonly from: (expressions: readonly string[]) => string;
}

/** Into so many parts different values are divided at most: with so little memory nothing else would work. */
const mostParts = 512;

interface SqlScannerOptions {
  /** The columns, where more is known of them than the engine tells. */
  readonly described?: readonly EngineColumn[];
  /** What is to be said about the people beside their results. */
  readonly warnings?: readonly string[];
}

/** People who live in an engine: each question is one generated query, or a few. */
export class SqlScanner implements Scanner {
  readonly method = "in-engine";
  readonly numbered = false;
  private readonly words: Expressions;
  /** What shows that the table is still the same: these columns, and sums of hashes of them over all rows and over people. */
  private marked: readonly string[] = [];
  private rowsMark: string | undefined;
  private readonly peopleMarks = new Map<string, number>();
  private readonly drops: (() => Promise<void>)[] = [];

  private constructor(
    private readonly engine: SqlEngine,
    readonly name: string,
    private readonly relation: string,
    private readonly described: readonly EngineColumn[],
    readonly warnings: readonly string[],
  ) {
    this.words = new Expressions(engine.dialect, described);
  }

  /** Looks the table up, and refuses before the run what could not be written: working tables, and `labelsTable` at the end. */
  static async open(
    engine: SqlEngine,
    address: EngineAddress,
    labelsTable?: string,
    { described: known, warnings = [] }: SqlScannerOptions = {},
  ): Promise<SqlScanner> {
    const { people, shown } = address;
    const { dialect } = engine;
    const relation = "query" in people ? `(${people.query}\n)` : nameParts(people.table).map(dialect.quote).join(".");
    const describe = () => engine.describe(`SELECT * FROM ${relation} AS people`);
    const described = await (known ? Promise.resolve(known) : describe()).catch(async (error: unknown) => {
      if ("table" in people && error instanceof MoietyError && error.code === "input") {
        const tables = await engine.tables();
        if (!tables.includes(nameParts(people.table).join("."))) {
          throw new MoietyError("input", `${engine.name}: ${unknownName("table", people.table, tables)}`);
        }
      }
      throw error;
    });
    if (labelsTable !== undefined) await checkNew(engine, labelsTable);
    const right = await engine.missingRight(labelsTable === undefined ? undefined : nameParts(labelsTable));
    if (right !== undefined) throw new MoietyError("input", right);
    if (labelsTable !== undefined) await tryTable(engine, labelsTable);
    await dropLeftovers(engine);
    return new SqlScanner(engine, shown, relation, described, warnings);
  }

  async columns(): Promise<ScannedColumn[]> {
    return this.described.map((column) => ({
      name: column.name,
      kind: scannedKind(column),
      ...(/^(float|real)$/i.test(column.type) ? { single: true } : {}),
      ...(column.kind === "whole" ? { whole: true } : {}),
      ...(column.spelt ? { spells: column.spelt.kind } : {}),
      ...(column.doubt ? { doubt: column.doubt } : {}),
    }));
  }

  async survey(request: SurveyRequest): Promise<Survey> {
    const { complete } = request;
    this.chooseMarks(request);
    const extents = await this.extents(request);
    const moments = await this.moments(request, complete);
    const distinct: number[] = [];
    for (const name of request.distinct) distinct.push(await this.distinct(name, complete));
    const tallies: Tallied[] = [];
    for (const tally of request.tallies) tallies.push(await this.tally(tally, complete, request.weights));
    return { ...extents, distinct, tallies, moments };
  }

  async open(space: ScanSpace): Promise<ScannedPeople> {
    const { engine, words } = this;
    const { dialect } = engine;
    const name = dialect.quote(workingTable(`points${this.drops.length}`));
    const inner = [
      `${space.id.kind === "row" ? "NULL" : dialect.quote(space.id.column)} AS id`,
      `${words.hash(space.id)} AS hash`,
      `${this.mark()} AS mark`,
      `${words.combination(space.keys, space.patterns)} AS combination`,
      ...(space.weights ? [`${words.weight(space.weights)} AS weight`] : []),
      ...space.dimensions.map((dimension, j) => `${words.coordinate(dimension)} AS y${j}`),
    ];
    const point = dialect.points.store(space.dimensions.map((_, j) => `y${j}`));
    const patterns = words.patterns(space.keys, space.patterns);
    const query =
      `SELECT id, hash, hash % 2147483647 AS jitter, mark, pattern, ${space.weights ? "weight, " : ""}${point} FROM ` +
      `${this.rowsOf(inner, words.person(space.complete))} LEFT JOIN ${patterns} ON combination = coded`;
    const mark = this.peopleMarks.get(JSON.stringify(space.complete));
    const drop = () => engine.run(`DROP TABLE IF EXISTS ${name}`);
    this.drops.push(drop);
    const create = () => engine.run(dialect.createWorking(name, query));
    return SqlPeople.open({ ...{ engine, name, space, create, drop }, ...(mark === undefined ? {} : { mark }) });
  }

  /** What tables are made from, and what the people looked like when they were surveyed. */
  get surveyed(): SurveyedTable {
    const { engine, words } = this;
    return { engine, words, mark: this.mark(), fingerprint: this.rowsMark ?? "", from: (inner) => this.rowsOf(inner) };
  }

  /** Takes back a table of labels. */
  async drop(table: string): Promise<void> {
    await this.engine.run(`DROP TABLE IF EXISTS ${nameParts(table).map(this.engine.dialect.quote).join(".")}`);
  }

  async close(): Promise<void> {
    // What is gone with the connection need not be dropped.
    if (this.engine.dialect.workingStays) for (const drop of this.drops) await drop().catch(() => undefined);
    // A run that was killed may have left a statement behind that has made its table only now.
    await dropLeftovers(this.engine).catch(() => undefined);
    await this.engine.close();
  }

  /** Throws where the table is not the one that was looked at first. */
  private checkSame(complete: readonly string[], rows: number, all: number, people: number): void {
    const rowsMark = `${rows} ${all}`;
    if (this.rowsMark !== undefined && this.rowsMark !== rowsMark) throw changed(this.engine);
    this.rowsMark = rowsMark;
    this.peopleMarks.set(JSON.stringify(complete), Number.isNaN(people) ? 0 : people);
  }

  /** The columns that show whether the table is still the same: all that are looked at first. */
  private chooseMarks({ complete, columns, tallies }: SurveyRequest): void {
    if (this.rowsMark !== undefined) return;
    const named = [...columns, ...complete, ...tallies.flatMap(({ keys }) => keys.map(({ column }) => column))];
    this.marked = [...new Set(named)];
  }

  private mark(): string {
    const { quote, rowHash, asText } = this.engine.dialect;
    // Types that we do not know may have no hash of their own.
    const values = this.marked.map((name) =>
      this.words.column(name).kind === "other" ? asText(quote(name)) : quote(name),
    );
    return values.length === 0 ? whole(1) : rowHash(values);
  }

  /** Rows, people, and what each column holds. */
  private async extents({ columns, complete }: SurveyRequest): Promise<Pick<Survey, "rows" | "people" | "columns">> {
    const { words } = this;
    const person = words.person(complete);
    const [high, low] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => words.double(value));
    const ofPeople = (value: string) => (complete.length === 0 ? value : `CASE WHEN person THEN ${value} END`);
    const found: ColumnExtent[] = [];
    let rows = 0;
    let people = 0;
    for (let from = 0; from === 0 || from < columns.length; from += columnsAtOnce) {
      const part = columns.slice(from, from + columnsAtOnce);
      // Only some types hold fractions, and infinities.
      const isReal = part.map((name) => words.column(name).kind === "number" || words.column(name).spelt);
      const mayBeInfinite = part.map((name, i) => isReal[i] || words.column(name).kind === "date");
      const isText = part.map((name) => scannedKind(words.column(name)) === "text" && !words.column(name).spelt);
      const asked = part.flatMap((_, i) => {
        const counts = [`count(v${i})`, `count(${ofPeople(`v${i}`)})`];
        if (isText[i]) return [...counts, ...["0", "0", "0", "1"]];
        const finite = mayBeInfinite[i] ? `NULLIF(NULLIF(v${i}, ${high}), ${low})` : `v${i}`;
        const own = ofPeople(finite);
        const fraction = isReal[i] ? `max(${own} - floor(${own}))` : "0";
        return [...counts, `count(v${i}) - count(${finite})`, `min(${own})`, `max(${own})`, fraction];
      });
      const facts = ["count(*)", sum("mark"), "count(*) FILTER (WHERE person)", sum(ofPeople("mark"))];
      const row = await this.row(
        [...facts, ...asked],
        [
          `${person} AS person`,
          `${this.mark()} AS mark`,
          ...part.map((name, i) => `${isText[i] ? words.value(name) : words.number(name)} AS v${i}`),
        ],
      );
      [rows, people] = [row[0], row[2]];
      this.checkSame(complete, row[0], row[1], row[3]);
      part.forEach((_, i) => {
        const [inRows, known, notFinite, least, most, fraction] = row.slice(4 + 6 * i, 10 + 6 * i);
        found.push({ missing: rows - inRows, notFinite, least, most, whole: !(fraction > 0), known });
      });
    }
    return { rows, people, columns: found };
  }

  private async moments(
    { moments: requests, weights }: Pick<SurveyRequest, "moments" | "weights">,
    complete: readonly string[],
  ): Promise<Survey["moments"]> {
    const { words } = this;
    const total = (u: string) => (weights ? nearestSum(this.engine.dialect, `weight * ${u}`) : sum(u));
    const known = (u: string) => (weights ? sum(`CASE WHEN ${u} IS NOT NULL THEN weight END`) : `count(${u})`);
    const sums: Survey["moments"][number][] = [];
    for (let from = 0; from < requests.length; from += columnsAtOnce) {
      const part = requests.slice(from, from + columnsAtOnce);
      const row = await this.row(
        part.flatMap((_, i) => [known(`u${i}`), total(`u${i}`), total(`u${i} * u${i}`)]),
        [
          ...(weights ? [`${words.weight(weights)} AS weight`] : []),
          ...part.map(({ column, shift, step }, i) => {
            const steps = `(${words.number(column)} - ${words.double(shift)}) / ${words.double(step)}`;
            return `${words.rounded(steps)} AS u${i}`;
          }),
        ],
        words.person(complete),
      );
      part.forEach((_, i) => {
        // Nobody's sum is NULL.
        const [people, total, squares] = row.slice(3 * i, 3 * i + 3).map((value) => (Number.isNaN(value) ? 0 : value));
        sums.push({ people, sum: total, squares });
      });
    }
    return sums;
  }

  /**
   * How many different values a column has. Engines write to disk what they cannot hold of them; one that cannot go on all
   * the same counts them part by part: equal values have equal hashes.
   */
  private async distinct(name: string, complete: readonly string[]): Promise<number> {
    const { words } = this;
    const { dialect } = this.engine;
    const count = async (parts: number) => {
      let different = 0;
      for (let part = 0; part < parts; part++) {
        const own = parts === 1 ? "" : ` AND ${dialect.rowHash([dialect.quote(name)])} % ${parts} = ${part}`;
        const asked = [`${words.exactly(name)} AS v`];
        const [found] = await this.row(["count(DISTINCT v)"], asked, words.person(complete) + own);
        different += found;
      }
      return different;
    };
    const inMoreParts = (parts: number): Promise<number> =>
      count(parts).catch((error: unknown) => {
        if (parts >= mostParts || !isOutOfMemory(error)) throw error;
        return inMoreParts(8 * parts);
      });
    return inMoreParts(1);
  }

  private async tally(
    { keys, most }: TallyRequest,
    complete: readonly string[],
    weights: ScanWeights | undefined,
  ): Promise<Tallied> {
    const { words } = this;
    const names = keys.map((_, i) => `k${i}`);
    const kinds: AnswerKind[] = keys.map((key) => (words.isText(key) ? "text" : "number"));
    const inner = [
      `${words.person(complete)} AS person`,
      ...(weights ? [`${words.weight(weights)} AS weight`] : []),
      ...keys.map((key, i) => `${words.key(key)} AS k${i}`),
    ];
    const weighed = weights
      ? nearestSum(this.engine.dialect, "CASE WHEN person THEN weight ELSE 0 END")
      : "count(*) FILTER (WHERE person)";
    const counts = ["count(*) FILTER (WHERE person)", "count(*) FILTER (WHERE NOT person)", weighed];
    const group = names.length === 0 ? "" : ` GROUP BY ${names.join(", ")} LIMIT ${most + 1}`;
    const { rows, columns } = await this.answer(
      `SELECT ${[...names, ...counts].join(", ")} FROM ${this.rowsOf(inner)}${group}`,
      [...kinds, "number", "number", "number"],
    );
    if (rows > most) return { cells: [], tooMany: true };
    const [people, others, weight] = columns.slice(keys.length) as Float64Array[];
    const cells = Array.from({ length: rows }, (_, i) => ({
      values: keys.map((_, at): ScannedValue => {
        const value = columns[at][i];
        return typeof value === "number" && Number.isNaN(value) ? null : value;
      }),
      people: people[i],
      others: others[i],
      weight: weight[i],
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
    return again(this.engine, () => readAll(this.engine, sql, kinds));
  }
}

/** What cannot be written at the end is refused now: a schema that is not there, a name that cannot be one. */
async function tryTable(engine: SqlEngine, labelsTable: string): Promise<void> {
  const name = nameParts(labelsTable).map(engine.dialect.quote).join(".");
  await engine.run(`CREATE TABLE ${name} AS SELECT 1 AS cluster WHERE 1 = 0`);
  await engine.run(`DROP TABLE ${name}`);
}

/** Labels go to a table of their own. */
async function checkNew(engine: SqlEngine, labelsTable: string): Promise<void> {
  const name = nameParts(labelsTable).map(engine.dialect.quote).join(".");
  const exists = await engine.describe(`SELECT * FROM ${name}`).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  throw new MoietyError("usage", `${engine.name} has a table '${labelsTable}' already: name another, or drop it first`);
}
