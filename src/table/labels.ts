import { MoietyError } from "../errors.js";
import type { People } from "./types.js";

/** A labelling as it was read: the cluster of each key, the keys being row numbers or ids. */
export interface Labels {
  /** The header of the keys; undefined when the file has labels only, one for each row of the source. */
  readonly keyColumn: string | undefined;
  readonly keys:
    | { readonly kind: "row"; readonly rows: Uint32Array }
    | { readonly kind: "id"; readonly ids: readonly string[] };
  readonly labels: Uint16Array;
}

/** Labels or answers without row numbers are those of all rows, in order. */
export function checkOnePerRow(seen: string, count: number, rows: number): void {
  if (count === rows) return;
  const advice = "give one for each row, or a column 'row'";
  throw new MoietyError("input", `${seen} without row numbers for a table of ${rows} rows: ${advice}`);
}

/** Refuses labels of rows or ids that the table does not have, or that are there twice. */
export function checkKeys(
  path: string,
  keyColumn: string | undefined,
  { unknown, repeated, rows }: { readonly unknown: number; readonly repeated: number; readonly rows: number },
): void {
  if (unknown > 0) {
    const what = keyColumn === undefined || keyColumn === "row" ? "rows" : `values of '${keyColumn}'`;
    const seen = `${path} has labels for ${unknown} ${what} that the table of ${rows} rows does not have`;
    throw new MoietyError("input", `${seen}: use the labels of this very table`);
  }
  if (repeated > 0) {
    throw new MoietyError("input", `${path} repeats a ${keyColumn ?? "row"} in ${repeated} rows: give each one label`);
  }
}

export function withoutLabel(count: number, rows: number): string {
  return `${count} of ${rows} rows have no label: left out`;
}

/** Labels by an id that nobody has named. */
export function goesBy(keyColumn: string | undefined): MoietyError {
  const advice = `name the table's id column with \`id: ${keyColumn}\``;
  return new MoietyError("input", `the labels go by '${keyColumn}'; ${advice}`);
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
  if (people.ids === undefined) throw goesBy(labelled.keyColumn);
  return people.ids.values;
}
