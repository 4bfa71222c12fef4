import type { Command } from "commander";
import { reachHelp, refusal } from "../algorithms/reach.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { readSource } from "../engines/read-source.js";
import { MoietyError } from "../errors.js";
import { describeSource, readTable } from "../table/disk/index.js";
import { asLevels, encodePeople, type NumericColumn, type People, type Table } from "../table/index.js";
import { parseProtected } from "../table/protect.js";
import { type ColumnFlags, type ReadingFlags, readingOf } from "./columns.js";
import { readClusters } from "./newcomers.js";
import { choice } from "./values.js";

/** Given centres, sizes and costs, each in a file. */
export interface PlaceFlags extends ReadingFlags {
  readonly seats?: string;
  readonly capacity?: string;
  readonly cost?: string;
  readonly init?: string;
}

export function addPlaceOptions(command: Command): Command {
  return command
    .optionsGroup("Places:")
    .option("--seats <file>", "given centres that stay (schools, offices), one in each row, with the feature columns")
    .option("--capacity <file>", "columns min and max: the fewest and most people of each cluster, one in each row")
    .option(
      "--cost <file>",
      `the cost of each person (row, or id) at each place (column), instead of distances${reachHelp("cost")}`,
    );
}

const draws = ["kmeans++", "random"] as const;

/** How first centres are drawn; undefined where they are those of a model. */
export function drawOf(init: string | undefined): (typeof draws)[number] | undefined {
  return draws.find((draw) => draw === init);
}

/** Where a run begins, where that is not a draw: a model. */
export function modelOfInit(init: string | undefined): string | undefined {
  return drawOf(init) === undefined ? init : undefined;
}

/** The value of --init: what looks like no file is one of the draws. */
export function initValue(text: string): string {
  return /[./\\]/.test(text) ? text : choice("value of --init", draws)(text);
}

export async function readPlaces(
  people: People,
  flags: PlaceFlags,
): Promise<Pick<ClusterOptions, "seats" | "from" | "capacity">> {
  const { seats, capacity } = flags;
  const model = modelOfInit(flags.init);
  const { centresFor, encodePlaces } = await import("../algorithms/places.js");
  return {
    ...(seats === undefined ? {} : { seats: encodePlaces(people, await readTable(seats, readingOf(flags))) }),
    ...(model === undefined ? {} : { from: centresFor(people, await readClusters(model)) }),
    ...(capacity === undefined ? {} : { capacity: await readCapacity(capacity, flags) }),
  };
}

/** The same for people who are only scanned: seats and a model's centres are encoded when the columns are known. */
export async function readScannedPlaces(flags: PlaceFlags) {
  const { seats, capacity, cost } = flags;
  const model = modelOfInit(flags.init);
  if (cost !== undefined) {
    const advice = "leave it out, or read the people from a file that fits";
    throw new MoietyError("usage", `${refusal("cost", "scanned")}: ${advice}`);
  }
  return {
    ...(seats === undefined ? {} : { places: await readTable(seats, readingOf(flags)) }),
    ...(model === undefined ? {} : { fromModel: await readClusters(model) }),
    ...(capacity === undefined ? {} : { capacity: await readCapacity(capacity, flags) }),
  };
}

const sizeColumns = ["cluster", "min", "max"];

/** The sizes of clusters, in their order, or in any order where a column `cluster` numbers them. */
export async function readCapacity(
  path: string,
  flags: ReadingFlags,
): Promise<NonNullable<ClusterOptions["capacity"]>> {
  const table = await readTable(path, readingOf(flags));
  const other = table.columns.find(({ name }) => !sizeColumns.includes(name));
  if (other) {
    const advice = "leave it out; rows are clusters in their order unless a column 'cluster' numbers them";
    throw new MoietyError("input", `column '${other.name}' of ${path} is none of cluster, min and max: ${advice}`);
  }
  const [cluster, min, max] = sizeColumns.map((name) => numbersIn(table, path, name));
  if (!min && !max) {
    throw new MoietyError("input", `${path} says no size: write one row for each cluster, such as min,max then 10,30`);
  }
  const sizes = Array.from({ length: table.rows }, (_, row) => ({
    ...(min && !Number.isNaN(min[row]) ? { min: min[row] } : {}),
    ...(max && !Number.isNaN(max[row]) ? { max: max[row] } : {}),
  }));
  if (!cluster) return sizes;
  const rowOf = new Map(Array.from(cluster, (m, row) => [m, row]));
  return sizes.map((_, m) => {
    const row = rowOf.get(m);
    if (row !== undefined) return sizes[row];
    const last = table.rows - 1;
    throw new MoietyError(
      "input",
      `column 'cluster' of ${path} has no ${m}: number the rows, each of 0 to ${last} once`,
    );
  });
}

function numbersIn(table: Table, path: string, name: string): ArrayLike<number> | undefined {
  const column = table.columns.find((each) => each.name === name);
  if (column === undefined || column.missing === table.rows) return undefined;
  if (column.kind === "numeric") return column.values;
  throw new MoietyError("input", `column '${name}' of ${path} is not numeric: give whole numbers`);
}

/** Says which columns of the file of --seats nothing was done with; none without that file. */
export async function unusedSeatColumns(
  { seats }: PlaceFlags,
  { encodings }: Pick<People, "encodings">,
): Promise<string[]> {
  if (seats === undefined) return [];
  const used = new Set(encodings.map(({ column }) => column));
  const unused = (await describeSource(seats)).map(({ name }) => name).filter((name) => !used.has(name));
  if (unused.length === 0) return [];
  const sizes = unused.some((name) => sizeColumns.includes(name)) ? ": sizes are given with --capacity" : "";
  const names = unused.map((name) => `'${name}'`).join(", ");
  return [
    `${unused.length === 1 ? "column" : "columns"} ${names} of ${seats} ${unused.length === 1 ? "is" : "are"} no feature, and not used${sizes}`,
  ];
}

/** With given costs nothing is a feature, and there are no centres. */
export function checkCostFlags(flags: Readonly<Record<string, unknown>>): void {
  const columns = ["features", "categorical", "exclude", "scale"];
  const other = [...columns, "k", "seats", "init", "distance", "model", "splitBy", "epsilon"].find(
    (name) => flags[name] !== undefined,
  );
  if (other === undefined) return;
  throw new MoietyError("usage", `\`${other}\` does nothing where costs are given: leave it out, or leave --cost out`);
}

/** People whose dimensions are their costs at places: the source tells their groups, the matrix their costs. */
export async function readCosts(
  source: string,
  path: string,
  {
    id,
    protect = [],
    missing,
    weights,
    together,
    apart,
    ...flags
  }: Pick<ColumnFlags, "id" | "protect" | "missing" | "weights" | "together" | "apart"> & ReadingFlags,
): Promise<People> {
  const named = id === undefined ? [] : [id];
  const numbered = (await describeSource(path)).some(({ name }) => name === id);
  const reading = readingOf(flags);
  const people = await readSource(source, { ...reading, text: named });
  const costs = await readTable(path, { ...reading, text: numbered ? named : [] });
  const places = costs.columns.filter(({ name }) => name !== id);
  const text = places.find(({ kind }) => kind !== "numeric");
  if (text)
    throw new MoietyError(
      "input",
      `column '${text.name}' of ${path} holds no numbers: every column but the id is a place with costs`,
    );
  const own = new Set(places.map(({ name }) => name));
  const used = protect.flatMap((name) => parseProtected(name, () => false).map(({ column }) => column));
  const both = [...used, weights, together, apart].find((name) => name !== undefined && own.has(name));
  if (both !== undefined) {
    throw new MoietyError(
      "input",
      `'${both}' is a place of ${path} and a column of people that is used: rename the place`,
    );
  }
  const rows = numbered && id !== undefined ? rowsById(people, costs, id, path) : sameRows(people, costs, path);
  const others = costs.rows - rows.length;
  const warnings = others === 0 ? [] : [`${path} has costs of ${others} more, who are not among the people: not used`];
  const grouping = people.columns.filter(({ name }) => !own.has(name));
  const moved = places.map((column) => ({
    ...(column as NumericColumn),
    values: Float64Array.from(rows, (row) => (column as NumericColumn).values[row]),
  }));
  const encodings = places.map(({ name }) => ({ kind: "numeric" as const, column: name, shift: 0, scale: 1 }));
  return encodePeople({ rows: people.rows, columns: [...grouping, ...moved], warnings }, encodings, {
    protect,
    ...defined({ id, missing, weights, together, apart }),
  });
}

function sameRows(people: Table, costs: Table, path: string): Uint32Array {
  if (people.rows === costs.rows) return Uint32Array.from({ length: people.rows }, (_, row) => row);
  throw new MoietyError(
    "input",
    `${path} has ${costs.rows} rows, and there are ${people.rows} people: give one row for each, or name their ids with --id`,
  );
}

/** The row of each person in the matrix. */
function rowsById(people: Table, costs: Table, id: string, path: string): Uint32Array {
  const idsOf = (table: Table) => {
    const column = table.columns.find(({ name }) => name === id);
    if (!column)
      throw new MoietyError("input", `there is no column '${id}' in ${table === costs ? path : "the people's table"}`);
    return asLevels(column);
  };
  const [wanted, known] = [idsOf(people), idsOf(costs)];
  const place = new Map<string, number>();
  known.codes.forEach((code, row) => void place.set(known.levels[code], row));
  const twice = known.codes.length - place.size;
  if (twice > 0)
    throw new MoietyError("input", `${path} has ids more than once (${twice} of its rows): give one row for every id`);
  const lost = wanted.codes.reduce((count, code) => count + (place.has(wanted.levels[code]) ? 0 : 1), 0);
  if (lost > 0) throw new MoietyError("input", `${path} has no costs of ${lost} people: give a row for every id`);
  return Uint32Array.from(wanted.codes, (code) => place.get(wanted.levels[code])!);
}
