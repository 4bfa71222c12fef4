import { MoietyError } from "../errors.js";
import { asLevels } from "./levels.js";
import { arePlain, sortByDigits, sortBytes } from "./order.js";
import type { Column, NumericColumn, People, Table } from "./types.js";

type Ids = NonNullable<People["ids"]>;

/** Which rows become people, and in which order. */
export interface Selection {
  readonly sourceRows: Uint32Array;
  readonly ids: Ids | undefined;
  readonly dropped: number;
}

/**
 * Leaves out rows with a missing value in one of `complete`, then orders by id where there is one. The id's column must
 * be free of missing values in the rows that are left.
 */
export function selectRows(rows: number, complete: readonly Column[], id: Column | undefined): Selection {
  const absent = absentRows(rows, complete);
  const kept = presentRows(absent);
  const dropped = rows - kept.length;
  if (kept.length === 0) throw nobodyLeft();
  return id === undefined ? { sourceRows: kept, ids: undefined, dropped } : orderById(kept, id, dropped);
}

/** A warning about the rows that were left out; none where there are none. */
export function droppedRows({ dropped }: Selection, { rows }: Table): string[] {
  return dropped > 0 ? [`${dropped} of ${rows} rows left out: a value is missing in a column that is used`] : [];
}

function presentRows(absent: Uint8Array): Uint32Array {
  const present = new Uint32Array(absent.length);
  let count = 0;
  for (let row = 0; row < absent.length; row++) if (absent[row] === 0) present[count++] = row;
  return count === present.length ? present : present.slice(0, count);
}

/** 1 for every row in which one of the columns has no value. */
export function absentRows(rows: number, columns: readonly Column[]): Uint8Array {
  const absent = new Uint8Array(rows);
  for (const column of columns) {
    if (column.missing === 0) continue;
    if (column.kind === "text") for (let i = 0; i < rows; i++) absent[i] |= column.codes[i] < 0 ? 1 : 0;
    else for (let i = 0; i < rows; i++) absent[i] |= Number.isNaN(column.values[i]) ? 1 : 0;
  }
  return absent;
}

export function nobodyLeft(): MoietyError {
  return new MoietyError("input", "every row has a missing value in a column that is used");
}

export function checkRepeated({ name }: Pick<Column, "name">, duplicates: number): void {
  if (duplicates === 0) return;
  const advice = "every person needs an id of their own";
  throw new MoietyError("input", `id column '${name}' repeats an id in ${duplicates} rows; ${advice}`);
}

/** The same for plain whole numbers: millions of texts would take more memory than the people. */
function orderByNumber(kept: Uint32Array, id: NumericColumn, dropped: number): Selection {
  const { values, name } = id;
  const numbers = sortByDigits(kept, values);
  let duplicates = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] === numbers[i - 1]) duplicates++;
  checkRepeated(id, duplicates);
  return { sourceRows: kept, ids: numberedIds(name, numbers), dropped };
}

function numberedIds(column: string, numbers: Float64Array): Ids {
  let texts: readonly string[] | undefined;
  return {
    column,
    numbers,
    get values() {
      texts ??= Array.from(numbers, String);
      return texts;
    },
  };
}

/** Ids in byte order, and the row of each; every id must name one person. */
function orderById(kept: Uint32Array, id: Column, dropped: number): Selection {
  if (id.kind === "numeric" && id.values.some((value) => Math.abs(value) > Number.MAX_SAFE_INTEGER)) {
    const advice = "store the column as text";
    throw new MoietyError("input", `id column '${id.name}' holds numbers too large to tell apart; ${advice}`);
  }
  if (id.kind === "numeric" && arePlain(id.values)) return orderByNumber(kept, id, dropped);
  const { codes, levels } = asLevels(id);
  const rowOfLevel = new Int32Array(levels.length).fill(-1);
  let duplicates = 0;
  for (const row of kept) {
    if (rowOfLevel[codes[row]] >= 0) duplicates++;
    rowOfLevel[codes[row]] = row;
  }
  checkRepeated(id, duplicates);
  const used: string[] = [];
  for (let i = 0; i < levels.length; i++) if (rowOfLevel[i] >= 0) used.push(levels[i]);
  const sourceRows = new Uint32Array(kept.length);
  if (id.kind === "text") {
    // Levels of a text column are in byte order already.
    for (let i = 0, next = 0; i < levels.length; i++) if (rowOfLevel[i] >= 0) sourceRows[next++] = rowOfLevel[i];
  } else {
    const rowOfText = new Map(levels.map((level, i) => [level, rowOfLevel[i]]));
    sortBytes(used);
    for (let i = 0; i < used.length; i++) sourceRows[i] = rowOfText.get(used[i])!;
  }
  return { sourceRows, ids: { column: id.name, values: used }, dropped };
}
