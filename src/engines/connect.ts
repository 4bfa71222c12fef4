import { cancelled, MoietyError } from "../errors.js";
import { checkKeys, withoutLabel } from "../table/index.js";
import { unknownName } from "../table/suggest.js";
import { type EngineAddress, nameParts, parseEngineAddress } from "./address.js";
import { type EngineProgress, readAll, type SqlEngine } from "./engine.js";
import { openEngine } from "./open.js";
import { SqlScanner } from "./sql-scanner.js";

export interface ConnectOptions {
  /** A new table in the engine for labels. */
  readonly labelsTable?: string;
  /** A table with labels of these people, joined by the id: their column `cluster` becomes `labelColumn`, as text. */
  readonly labelled?: { readonly table: string; readonly id: string };
  /** Ends the query that runs. */
  readonly signal?: AbortSignal;
  readonly onProgress?: EngineProgress;
}

/** The people that an address such as `postgres://host/db?table=people` names. The scanner closes the connection. */
export async function connectPeople(source: string, options: ConnectOptions = {}): Promise<SqlScanner> {
  const asked = parseEngineAddress(source);
  const { labelsTable, labelled, signal, onProgress } = options;
  const engine = await openEngine(asked, {
    writes: labelsTable !== undefined,
    ...(onProgress ? { onProgress } : {}),
  });
  const cancel = () => engine.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted) throw cancelled();
    if (labelled === undefined) return await SqlScanner.open(engine, asked, labelsTable);
    const { query, warnings } = await joined(engine, asked, labelled);
    return await SqlScanner.open(engine, { ...asked, people: { query } }, labelsTable, { warnings });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** What labels are called among the columns of the people whom they are of. */
export const labelColumn = "moiety cluster";

/** The people who have a label, and what is to be said about others. */
async function joined(
  engine: SqlEngine,
  { people }: EngineAddress,
  { table, id }: NonNullable<ConnectOptions["labelled"]>,
): Promise<{ readonly query: string; readonly warnings: readonly string[] }> {
  const { asText, quote } = engine.dialect;
  const named = (name: string) => nameParts(name).map(quote).join(".");
  const labels = await engine.describe(`SELECT * FROM ${named(table)}`);
  for (const name of [id, "cluster"]) {
    if (labels.some((column) => column.name === name)) continue;
    throw new MoietyError(
      "input",
      `table ${table}: ${unknownName(
        "column",
        name,
        labels.map((column) => column.name),
      )}`,
    );
  }
  const whom = "query" in people ? `(${people.query}\n)` : named(people.table);
  const [own, key] = [`labelled.${quote("cluster")}`, quote(id)];
  const count = async (counted: string, from: string) => {
    const { columns } = await readAll(engine, `SELECT ${counted} FROM ${from}`, ["number"]);
    return (columns[0] as Float64Array)[0];
  };
  const join = `${whom} AS own JOIN ${named(table)} AS labelled ON own.${key} = labelled.${key}`;
  const rows = await count("count(*)", `${whom} AS own`);
  const different = await count(`count(DISTINCT ${key})`, named(table));
  const repeated = (await count("count(*)", named(table))) - different;
  const unknown = different - (await count(`count(DISTINCT labelled.${key})`, join));
  checkKeys(`table ${table}`, id, { unknown, repeated, rows });
  const found = await count(`count(${own})`, join);
  return {
    query: `SELECT own.*, ${asText(own)} AS ${quote(labelColumn)} FROM ${join} WHERE ${own} IS NOT NULL`,
    warnings: found < rows ? [withoutLabel(rows - found, rows)] : [],
  };
}
