import { checkAllThere, checkClusters, isParquet, labelColumns, notRowNumbers } from "../../table/disk/index.js";
import { checkKeys, checkOnePerRow, goesBy, withoutLabel } from "../../table/index.js";
import { duckdbDialect } from "../dialect.js";
import type { DuckdbEngine } from "../duckdb.js";
import { type EngineColumn, readAll } from "../engine.js";
import type { WorkingFolder } from "./grid-file.js";
import { bytesOf, type Relation, relationOf } from "./relation.js";

/** What the clusters, and the numbers of rows, are called among the columns of the people whom they are of. */
export const labelledColumns = { cluster: "moiety cluster", row: "moiety row" } as const;

const { quote, text } = duckdbDialect;

/**
 * The people who have a label in a file of labels, with their cluster as text, written once. Without an id they are told apart
 * by the number of their row, which is then a column of its own.
 */
export async function labelledPeople(
  engine: DuckdbEngine,
  people: Relation,
  { path, id }: { readonly path: string; readonly id?: string },
  folder: WorkingFolder,
): Promise<Relation> {
  const { label, key } = await labelColumns(path, id);
  const byId = key !== undefined && key !== "row";
  if (byId && key !== id) throw goesBy(key);
  const file = await relationOf(engine.connection, path, folder, byId ? { id: key } : {}, "labels");
  const count = async (counted: string, from: string) => {
    const { columns } = await readAll(engine, `SELECT ${counted} FROM ${from}`, ["number"]);
    return (columns[0] as Float64Array)[0];
  };
  const kinds = new Map(
    (await engine.describe(`SELECT * FROM ${file.relation}`)).map(({ name, kind }) => [name, kind]),
  );
  const isNumber = (name: string) => ["whole", "number"].includes(kinds.get(name) ?? "");
  for (const name of key === undefined ? [label] : [label, key]) {
    checkAllThere(path, { name, missing: await count(`count(*) FILTER (${quote(name)} IS NULL)`, file.relation) });
  }
  const outside = (name: string, most: number) =>
    count(`count(*) FILTER (NOT ${quote(name)} BETWEEN 0 AND ${most} OR ${quote(name)} % 1 <> 0)`, file.relation);
  if (isNumber(label)) checkClusters(path, await outside(label, 65_535));
  if (key === "row" && (!isNumber(key) || (await outside(key, 2 ** 32 - 1)) > 0)) throw notRowNumbers(path);

  const rows = await count("count(*)", people.relation);
  const labels = await count("count(*)", file.relation);
  if (key === undefined) checkOnePerRow(`${path} has ${labels} labels`, labels, rows);
  const numbered = `(SELECT *, row_number() OVER () - 1 AS ${quote(labelledColumns.row)} FROM ${people.relation})`;
  const keyed = key === undefined ? "row_number() OVER () - 1" : byId ? idOf(key, path) : quote(key);
  const cluster = isNumber(label) ? `CAST(${quote(label)} AS INTEGER)` : quote(label);
  const told = `(SELECT ${keyed} AS k, CAST(${cluster} AS VARCHAR) AS c FROM ${file.relation})`;
  const described = await engine.describe(`SELECT * FROM ${people.relation}`);
  const own = byId ? textOf(key, described) : `own.${quote(labelledColumns.row)}`;
  const joined = `${numbered} AS own JOIN ${told} AS told ON ${own} = told.k`;
  const found = await count("count(*)", `(SELECT DISTINCT told.k FROM ${joined})`);
  const different = await count("count(*)", `(SELECT DISTINCT k FROM ${told})`);
  const repeated = labels - different;
  const unknown = different - found;
  checkKeys(path, key, { unknown, repeated, rows });

  const copy = folder.file("labelled.parquet");
  await folder.checkRoom(await bytesOf(engine.connection, people.relation), `a copy of ${people.name} with labels`);
  const columns = `own.* ${id === undefined ? "" : `EXCLUDE (${quote(labelledColumns.row)})`}, told.c AS ${quote(labelledColumns.cluster)}`;
  await engine.run(`COPY (SELECT ${columns} FROM ${joined}) TO ${text(copy)} (FORMAT parquet, ROW_GROUP_SIZE 65536)`);
  const warnings = found < rows ? [withoutLabel(rows - found, rows)] : [];
  const { name, judged } = people;
  return { relation: `read_parquet(${text(copy)})`, name, judged, warnings: [...warnings, ...people.warnings] };
}

/** The id in a file of labels; in CSV without what guards it from spreadsheets: see `withoutGuard`. */
function idOf(key: string, path: string): string {
  const id = duckdbDialect.asText(quote(key));
  if (isParquet(path)) return id;
  const bare = `substr(${id}, 2)`;
  const [formula, plain] = ["^'*[=+@\\t\\r-]", "^[+-][0-9]+([.,][0-9]+)*$"].map(text);
  const guards = `starts_with(${id}, ${text("'")}) AND regexp_matches(${bare}, ${formula})`;
  return `CASE WHEN ${guards} AND NOT regexp_matches(${bare}, ${plain}) THEN ${bare} ELSE ${id} END`;
}

/** The id of people as labels have it: whole numbers without a point. */
function textOf(id: string, columns: readonly EngineColumn[]): string {
  const own = `own.${quote(id)}`;
  const { kind } = columns.find(({ name }) => name === id) ?? {};
  return duckdbDialect.asText(kind === "number" ? `CAST(${own} AS BIGINT)` : own);
}
