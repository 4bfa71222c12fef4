import { cancelled, MoietyError } from "../errors.js";
import type { Cell, ColumnData, Table } from "../table/index.js";
import { tableFromColumns } from "../table/index.js";
import { nameParts, parseEngineAddress } from "./address.js";
import { openEngine } from "./open.js";

/** More people than this are better clustered where they are. */
const mostRows = 5_000_000;

/** The people of an engine's table or query, read into memory: for looking at them, where they need not stay in their engine. */
export async function readEngine(
  address: string,
  { signal, onRows }: { readonly signal?: AbortSignal; readonly onRows?: (rows: number) => void } = {},
): Promise<Table> {
  const parsed = parseEngineAddress(address);
  const engine = await openEngine(parsed);
  const cancel = () => engine.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted) throw cancelled();
    const { quote } = engine.dialect;
    const { people } = parsed;
    const query = "query" in people ? people.query : `SELECT * FROM ${nameParts(people.table).map(quote).join(".")}`;
    const columns = await engine.describe(query);
    const isNumber = (kind: string) => kind === "whole" || kind === "number";
    const read = columns.map(({ name, kind }) => (isNumber(kind) ? quote(name) : engine.dialect.asText(quote(name))));
    const kinds = columns.map(({ kind }) => (isNumber(kind) ? ("number" as const) : ("text" as const)));
    const cells = new Map<string, Cell[]>(columns.map(({ name }) => [name, []]));
    let rows = 0;
    for await (const batch of engine.read(`SELECT ${read.join(", ")} FROM (${query}\n) AS people`, kinds)) {
      rows += batch.rows;
      if (rows > mostRows) {
        throw new MoietyError(
          "input",
          `more than ${mostRows} people: cluster them in their engine with moiety cluster`,
        );
      }
      columns.forEach(({ name }, at) => {
        const into = cells.get(name) as Cell[];
        for (const cell of batch.columns[at]) into.push(cell);
      });
      onRows?.(rows);
    }
    return tableFromColumns(cells as ReadonlyMap<string, ColumnData>);
  } finally {
    signal?.removeEventListener("abort", cancel);
    await engine.close();
  }
}
