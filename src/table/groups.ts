import { MoietyError } from "../errors.js";
import { checkMissing } from "./checks.js";
import { columnFinder, type ProtectedColumns, protectedColumns } from "./choose.js";
import { groupedColumn } from "./cuts.js";
import { asLevels } from "./levels.js";
import { checkNamesOf } from "./names.js";
import { specOf } from "./protect.js";
import { selectRows } from "./rows.js";
import type { Attribute, Column, PeopleOptions, Table, TextColumn } from "./types.js";

/** A column of more numbers than this is a quantity, and more groups deserve a warning: most will have few members. */
const manyGroups = 20;
/** Bounds of more groups than this bind everywhere at once, and take time and memory accordingly. */
const mostGroups = 100;
/** As many as codes of 16 bits can tell apart. */
const mostCodes = 65_535;

type GroupOptions = Pick<PeopleOptions, "partial" | "namedGroups" | "maxGroups">;

/** The groups of the named attribute, or intersection, among the chosen rows of a table. */
export function attributeOf(table: Table, name: string, rows: Uint32Array, limits: GroupOptions = {}): Attribute {
  const found = protectedColumns(name, table, columnFinder(table));
  checkMissing(found.columns, "a group cannot be filled in: leave those rows out");
  return protectedAttribute(found, rows, limits);
}

/** The groups of a protected attribute that occur among the chosen rows, in the order of their columns' levels. */
export function protectedAttribute(
  { name, columns, cuts }: ProtectedColumns,
  rows: Uint32Array,
  limits: GroupOptions = {},
): Attribute {
  const grouped = columns.map((column, i) => groupedColumn(column, cuts[i], rows));
  columns.forEach((column, i) => {
    if (column.kind === "numeric" && !cuts[i]) checkNumbers(grouped[i].column, limits);
  });
  const { combined, nameOf } = combine(
    name,
    grouped.map(({ column }) => column),
    rows,
  );
  const occurring = distinctNumbers(combined).sort();
  checkGroups(name, occurring.length, rows.length, limits);
  const groups = Array.from(occurring, nameOf);
  checkNamesOf("a protected attribute", [name]);
  checkNamesOf(`a group of '${name}'`, groups);
  const codes = placesAmong(occurring, combined);
  if (cuts.every((cut) => cut === undefined)) return { name, groups, codes };
  const byData = cuts.some((cut) => cut?.kind === "quantiles");
  return { name, groups, codes, cut: { spec: specOf(grouped.map(({ part }) => part)), byData } };
}

/** Numbers below this are told apart by a table, which is faster than a map. */
const fewNumbers = 1 << 16;

function distinctNumbers(numbers: Float64Array): Float64Array {
  const seen = new Uint8Array(fewNumbers);
  const others = new Set<number>();
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] < fewNumbers) seen[numbers[i]] = 1;
    else others.add(numbers[i]);
  }
  const few: number[] = [];
  for (let number = 0; number < fewNumbers; number++) if (seen[number] === 1) few.push(number);
  return Float64Array.from([...few, ...others]);
}

/** The place of each number among the sorted ones. */
function placesAmong(sorted: Float64Array, numbers: Float64Array): Uint16Array {
  const places = new Uint16Array(numbers.length);
  if ((sorted.at(-1) ?? 0) < fewNumbers) {
    const placeOf = new Uint16Array(fewNumbers);
    for (let place = 0; place < sorted.length; place++) placeOf[sorted[place]] = place;
    for (let i = 0; i < numbers.length; i++) places[i] = placeOf[numbers[i]];
    return places;
  }
  const placeOf = new Map(Array.from(sorted, (number, place) => [number, place]));
  for (let i = 0; i < numbers.length; i++) places[i] = placeOf.get(numbers[i])!;
  return places;
}

/** A combination as one number: few of the possible ones occur, so they are told apart by a map and not by a table. */
function combine(name: string, parts: readonly TextColumn[], rows: Uint32Array) {
  const possible = parts.reduce((product, { levels }) => product * levels.length, 1);
  if (possible > Number.MAX_SAFE_INTEGER) throw looksLikeId(name, possible, rows.length);
  const combined = new Float64Array(rows.length);
  for (const { codes, levels } of parts) {
    for (let i = 0; i < rows.length; i++) combined[i] = combined[i] * levels.length + codes[rows[i]];
  }
  const nameOf = (combination: number): string => {
    const names: string[] = [];
    let rest = combination;
    for (const { levels } of [...parts].reverse()) {
      names.unshift(levels[rest % levels.length]);
      rest = Math.floor(rest / levels.length);
    }
    return names.join(" & ");
  };
  return { combined, nameOf };
}

/** People of each group among all rows in which it is known, in the order of the columns' levels. */
export function groupSizes(table: Table, { name, columns, cuts }: ProtectedColumns): Map<string, number> {
  const { sourceRows } = selectRows(table.rows, columns, undefined);
  const parts = columns.map((column, i) => groupedColumn(column, cuts[i], sourceRows).column);
  const { combined, nameOf } = combine(name, parts, sourceRows);
  const sizes = new Map<number, number>();
  for (const combination of combined) sizes.set(combination, (sizes.get(combination) ?? 0) + 1);
  return new Map([...sizes].sort(([one], [other]) => one - other).map(([each, size]) => [nameOf(each), size]));
}

/** Which party holds each of the chosen rows: the values of a column, in the order of its levels. */
export function holdersOf(column: Column, rows: Uint32Array): Attribute {
  const { codes, levels } = asLevels(column);
  const present = [...new Set(Array.from(rows, (row) => codes[row]))].sort((a, b) => a - b);
  if (present.length > rows.length / 2 && rows.length > 20) {
    const advice = "it looks like an id; split by a column with few values";
    throw new MoietyError("input", `column '${column.name}' names ${present.length} parties; ${advice}`);
  }
  const place = new Map(present.map((code, party) => [code, party]));
  const groups = present.map((code) => levels[code]);
  checkNamesOf("a party", groups);
  return {
    name: column.name,
    groups,
    codes: Uint16Array.from(rows, (row) => place.get(codes[row])!),
  };
}

/** What the user should know of groups that are allowed. */
export function groupWarnings(attributes: readonly Attribute[]): string[] {
  return attributes.flatMap(({ name, groups }) => {
    if (groups.length <= manyGroups) return [];
    return [`protected attribute '${name}' has ${groups.length} groups: bounds of small ones mean little; merge some`];
  });
}

/** Numbers are quantities unless they are few. */
export function checkNumbers(
  { name, levels }: Pick<TextColumn, "name" | "levels">,
  { maxGroups = manyGroups }: GroupOptions,
): void {
  if (levels.length <= Math.max(manyGroups, maxGroups)) return;
  const advice = `make groups of them, such as ${name}:25,40,65 or ${name}:quartiles`;
  const seen = `protected column '${name}' has ${levels.length} different numbers`;
  throw new MoietyError("input", `${seen}; ${advice}, or \`maxGroups: ${levels.length}\` if they are codes`);
}

export function checkGroups(
  name: string,
  groups: number,
  n: number,
  { partial, namedGroups = partial, maxGroups = mostGroups }: GroupOptions,
): void {
  if (groups === 1 && !namedGroups) {
    const advice = "there is nothing to balance, so leave it out of what is protected";
    throw new MoietyError("input", `protected attribute '${name}' has 1 group; ${advice}`);
  }
  const anId = (n > 2 && groups === n) || (n > 20 && groups > n / 2);
  if (groups > mostCodes || (anId && !namedGroups)) throw looksLikeId(name, groups, n);
  if (groups > maxGroups) {
    const seen = `protected attribute '${name}' has ${groups} groups, and ${maxGroups} are allowed`;
    throw new MoietyError("input", `${seen}; merge some, or use \`maxGroups: ${groups}\` and wait for it`);
  }
}

function looksLikeId(name: string, groups: number, n: number): MoietyError {
  const advice = "it looks like an id; protect a column with few groups";
  return new MoietyError("input", `protected attribute '${name}' has ${groups} groups among ${n} people; ${advice}`);
}
