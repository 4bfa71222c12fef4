import { MoietyError } from "../errors.js";
import { numbersOf } from "./judge.js";
import { asLevels } from "./levels.js";
import { describeSource, readTable } from "./read.js";
import { withoutGuard } from "./spreadsheet.js";
import type { Column, People } from "./types.js";
import { isParquet } from "./write.js";

/** A labelling as it was read: the cluster of each key, the keys being row numbers or ids. */
export interface Labels {
  /** The header of the keys; undefined when the file has labels only, one for each row of the source. */
  readonly keyColumn: string | undefined;
  readonly keys:
    | { readonly kind: "row"; readonly rows: Uint32Array }
    | { readonly kind: "id"; readonly ids: readonly string[] };
  readonly labels: Uint16Array;
}

/**
 * Reads `row,cluster`, `<id>,cluster` or one bare column of clusters. With more columns, the one called `cluster` is
 * the label and `row`, or the column named as `id`, the key. Clusters may be names: they are numbered in byte order.
 */
export async function readLabels(path: string, options: { readonly id?: string } = {}): Promise<Labels> {
  const names = (await describeSource(path)).map(({ name }) => name);
  const label = labelColumn(path, names, options.id);
  const key = keyColumn(path, names, label, options.id);
  const byId = key !== undefined && key !== "row";
  const table = await readTable(path, {
    columns: key === undefined ? [label] : [label, key],
    text: byId ? [key] : [],
  });
  const labels = clusters(path, table.columns[0]);
  if (key === undefined) {
    return { keyColumn: undefined, keys: { kind: "row", rows: Uint32Array.from(labels, (_, i) => i) }, labels };
  }
  const keys = table.columns[1];
  if (keys.missing > 0) throw new MoietyError("input", `${path}: ${keys.missing} rows have no ${key}`);
  if (!byId) return { keyColumn: key, keys: { kind: "row", rows: rowNumbers(path, keys) }, labels };
  const { codes, levels } = asLevels(keys);
  const ids = isParquet(path) ? levels : levels.map(withoutGuard);
  return { keyColumn: key, keys: { kind: "id", ids: Array.from(codes, (code) => ids[code]) }, labels };
}

/** The label of each person, in people's order. Labels of others are ignored; a person without one is an error. */
export function joinLabels(people: Pick<People, "sourceRows" | "ids">, labelled: Labels): Uint16Array {
  const { keys, labels } = labelled;
  const [places, repeated] =
    keys.kind === "row" ? placesOfRows(people.sourceRows, keys.rows) : placesOfIds(idsOf(people, labelled), keys.ids);
  if (repeated > 0) {
    throw new MoietyError("input", `the labels repeat a ${labelled.keyColumn ?? "row"} in ${repeated} rows`);
  }
  const joined = new Uint16Array(places.length);
  let absent = 0;
  for (let i = 0; i < places.length; i++) {
    if (places[i] < 0) absent++;
    else joined[i] = labels[places[i]];
  }
  if (absent > 0) {
    const advice = "use the labels of this very table";
    throw new MoietyError("input", `${absent} of ${joined.length} people have no label; ${advice}`);
  }
  return joined;
}

/** Where each wanted row stands among the given ones, -1 where it does not, and how many given ones are repetitions. */
function placesOfRows(wanted: Uint32Array, given: Uint32Array): [Int32Array, number] {
  let most = 0;
  for (const row of wanted) if (row > most) most = row;
  // Only rows that some person has matter: a wild row number in the file must not decide how much memory we take.
  const placeOf = new Int32Array(most + 1).fill(-1);
  let repeated = 0;
  for (let i = 0; i < given.length; i++) {
    if (given[i] > most) continue;
    if (placeOf[given[i]] >= 0) repeated++;
    placeOf[given[i]] = i;
  }
  return [Int32Array.from(wanted, (row) => placeOf[row]), repeated];
}

function placesOfIds(wanted: readonly string[], given: readonly string[]): [Int32Array, number] {
  const placeOf = new Map<string, number>();
  for (let i = 0; i < given.length; i++) placeOf.set(given[i], i);
  return [Int32Array.from(wanted, (id) => placeOf.get(id) ?? -1), given.length - placeOf.size];
}

function idsOf(people: Pick<People, "ids">, labelled: Labels): readonly string[] {
  if (people.ids === undefined) {
    const advice = `name the table's id column with --id ${labelled.keyColumn}`;
    throw new MoietyError("input", `the labels go by '${labelled.keyColumn}'; ${advice}`);
  }
  return people.ids.values;
}

function labelColumn(path: string, names: readonly string[], id: string | undefined): string {
  if (names.includes("cluster")) return "cluster";
  if (names.length === 1) return names[0];
  const others = names.filter((name) => name !== "row" && name !== id);
  if (names.length === 2 && others.length > 0) return others[others.length - 1];
  throw new MoietyError("input", `${path} has no column 'cluster' (there are ${names.length} columns)`);
}

function keyColumn(path: string, names: readonly string[], label: string, id: string | undefined): string | undefined {
  const others = names.filter((name) => name !== label);
  if (id !== undefined && others.includes(id)) return id;
  if (others.includes("row")) return "row";
  if (others.length <= 1) return others[0];
  throw new MoietyError("input", `${path} has no column 'row'; name its id column with --id`);
}

function clusters(path: string, column: Column): Uint16Array {
  if (column.missing > 0) throw new MoietyError("input", `${path}: ${column.missing} rows have no ${column.name}`);
  const numbers = column.kind === "text" && column.spells === "number" ? numbersOf(column) : column;
  const values = numbers?.kind === "numeric" ? numbers.values : undefined;
  if (values !== undefined) {
    let wrong = 0;
    for (const value of values) if (!isCluster(value)) wrong++;
    if (wrong === 0) return Uint16Array.from(values);
    throw new MoietyError("input", `${path}: ${wrong} clusters are not whole numbers from 0 to 65535`);
  }
  const { codes, levels } = asLevels(column);
  if (levels.length > 65_536)
    throw new MoietyError("input", `${path}: ${levels.length} clusters; at most 65536 are allowed`);
  return Uint16Array.from(codes);
}

function isCluster(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535;
}

function rowNumbers(path: string, column: Column): Uint32Array {
  const values = column.kind === "numeric" ? column.values : undefined;
  if (values === undefined || values.some((value) => !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)) {
    throw new MoietyError("input", `${path}: column 'row' must hold 0-based row numbers`);
  }
  return Uint32Array.from(values);
}
