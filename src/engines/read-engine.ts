import { cancelled, MoietyError } from "../errors.js";
import { type ColumnData, type Table, tableFromColumns } from "../table/index.js";
import { unknownName } from "../table/suggest.js";
import { nameParts, parseEngineAddress } from "./address.js";
import type { Dialect } from "./dialect.js";
import { type AnswerKind, type Batch, type EngineColumn, readAll, type SqlEngine, wholeOf } from "./engine.js";
import { openEngine } from "./open.js";

/** More people than this are better clustered where they are. */
const mostRows = 5_000_000;

export interface EngineReading {
  /** Only these, in this order; default: all. */
  readonly columns?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onRows?: (rows: number) => void;
}

/**
 * The people of an engine's table or query, read into memory. An engine's rows have no order: here they come in that of their
 * columns, one after the other, so that they have the same numbers whenever they are read.
 */
export async function readEngine(address: string, reading: EngineReading = {}): Promise<Table> {
  const { columns: wanted, signal, onRows } = reading;
  return withEngine(address, signal, async (engine, people) => {
    const columns = await plannedColumns(engine, people);
    const taken = wanted === undefined ? columns : [...new Set(wanted)].map((name) => find(columns, name));
    const { quote } = engine.dialect;
    const asRead = columns.map(({ expression }, at) => `${expression} AS ${quote(`c${at}`)}`).join(", ");
    const order = columns.map((_, at) => `${quote(`c${at}`)} NULLS LAST`).join(", ");
    const chosen = taken.map((column) => quote(`c${columns.indexOf(column)}`)).join(", ");
    const query = `SELECT ${chosen} FROM (SELECT ${asRead} FROM ${people}) AS read ORDER BY ${order}`;
    const kinds = taken.map(({ answer }) => answer);
    const batches: Batch[] = [];
    let rows = 0;
    for await (const batch of engine.read(query, kinds)) {
      rows += batch.rows;
      if (rows > mostRows) {
        const advice = "cluster them in their engine with moiety cluster, without `inMemory`";
        throw new MoietyError("input", `more than ${mostRows} people: ${advice}`);
      }
      batches.push(batch);
      onRows?.(rows);
    }
    const { columns: whole } = wholeOf(batches, kinds);
    const table = tableFromColumns(new Map(taken.map(({ name }, at): [string, ColumnData] => [name, whole[at]])));
    if (wanted === undefined) return table;
    return { ...table, unread: columns.filter((each) => !taken.includes(each)).map(({ name }) => name) };
  });
}

/** The names of the columns of an engine's table or query. */
export async function namesInEngine(address: string): Promise<string[]> {
  return withEngine(address, undefined, async (engine, people) =>
    (await engine.describe(`SELECT * FROM ${people}`)).map(({ name }) => name),
  );
}

async function withEngine<T>(
  address: string,
  signal: AbortSignal | undefined,
  work: (engine: SqlEngine, people: string) => Promise<T>,
): Promise<T> {
  const parsed = parseEngineAddress(address);
  const engine = await openEngine(parsed);
  const cancel = () => engine.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted) throw cancelled();
    const { people } = parsed;
    const named =
      "query" in people ? `(${people.query}\n)` : nameParts(people.table).map(engine.dialect.quote).join(".");
    return await work(engine, `${named} AS people`);
  } finally {
    signal?.removeEventListener("abort", cancel);
    await engine.close();
  }
}

interface AnswerColumn {
  readonly name: string;
  readonly expression: string;
  readonly answer: AnswerKind;
}

function find(columns: readonly AnswerColumn[], name: string): AnswerColumn {
  const column = columns.find((each) => each.name === name);
  if (column) return column;
  const names = columns.map((each) => each.name);
  throw new MoietyError("input", unknownName("column", name, names));
}

/** Numbers as doubles; whole numbers that are too long for that, such as ids, digit for digit as text. */
async function plannedColumns(engine: SqlEngine, people: string): Promise<AnswerColumn[]> {
  const columns = await engine.describe(`SELECT * FROM ${people}`);
  const long = await longNumbers(engine, people, columns);
  return columns.map((column) => {
    const { name, kind } = column;
    const { quote, asText } = engine.dialect;
    const isNumber = kind === "number" || (kind === "whole" && !long.has(column));
    if (!isNumber) return { name, expression: asText(quote(name)), answer: "text" };
    return { name, expression: asDouble(engine.dialect, name), answer: "number" };
  });
}

async function longNumbers(
  engine: SqlEngine,
  people: string,
  columns: readonly EngineColumn[],
): Promise<ReadonlySet<EngineColumn>> {
  const whole = columns.filter(({ kind }) => kind === "whole");
  if (whole.length === 0) return new Set();
  const longest = whole.map(({ name }) => `max(abs(${asDouble(engine.dialect, name)}))`).join(", ");
  const { columns: found } = await readAll(
    engine,
    `SELECT ${longest} FROM ${people}`,
    whole.map(() => "number" as const),
  );
  return new Set(whole.filter((_, at) => Number(found[at][0]) > Number.MAX_SAFE_INTEGER));
}

function asDouble({ quote, types }: Dialect, name: string): string {
  return `CAST(${quote(name)} AS ${types.double})`;
}
