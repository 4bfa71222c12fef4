import { cancelled, MoietyError } from "../errors.js";
import { unknownName } from "../table/suggest.js";
import { type EngineAddress, nameParts, parseEngineAddress } from "./address.js";
import type { EngineProgress, SqlEngine } from "./engine.js";
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
    const address =
      labelled === undefined ? asked : { ...asked, people: { query: await joined(engine, asked, labelled) } };
    return await SqlScanner.open(engine, address, labelsTable);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** What labels are called among the columns of the people whom they are of. */
export const labelColumn = "moiety cluster";

async function joined(
  engine: SqlEngine,
  { people }: EngineAddress,
  { table, id }: NonNullable<ConnectOptions["labelled"]>,
): Promise<string> {
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
  return (
    `SELECT own.*, ${asText(own)} AS ${quote(labelColumn)} FROM ${whom} AS own ` +
    `JOIN ${named(table)} AS labelled ON own.${key} = labelled.${key}`
  );
}
