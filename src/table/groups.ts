import { MoietyError } from "../errors.js";
import { checkMissing } from "./checks.js";
import { columnFinder, type ProtectedColumns, protectedColumns } from "./choose.js";
import { asLevels } from "./levels.js";
import { checkNamesOf } from "./names.js";
import type { Attribute, Column, Table } from "./types.js";

/** The groups of the named attribute, or intersection, among the chosen rows of a table. */
export function attributeOf(table: Table, name: string, rows: Uint32Array): Attribute {
  const found = protectedColumns(name, table, columnFinder(table));
  checkMissing(found.columns, "nobody's group may be invented: leave those rows out");
  return protectedAttribute(found, rows);
}

/** The groups of a protected attribute that occur among the chosen rows, in the order of their columns' levels. */
export function protectedAttribute({ name, columns }: ProtectedColumns, rows: Uint32Array, partial = false): Attribute {
  const parts = columns.map(asLevels);
  const possible = parts.reduce((product, { levels }) => product * levels.length, 1);
  if (possible > Number.MAX_SAFE_INTEGER) checkGroups(name, possible, rows.length);
  // A combination as one number: few of the possible ones occur, so they are told apart by a map and not by a table.
  const combined = new Float64Array(rows.length);
  for (const { codes, levels } of parts) {
    for (let i = 0; i < rows.length; i++) combined[i] = combined[i] * levels.length + codes[rows[i]];
  }
  const occurring = new Map<number, number>();
  for (const combination of combined) if (!occurring.has(combination)) occurring.set(combination, 0);
  if (!partial) checkGroups(name, occurring.size, rows.length);

  const sorted = Float64Array.from(occurring.keys()).sort();
  const groups = Array.from(sorted, (combination, group) => {
    occurring.set(combination, group);
    const names: string[] = [];
    let rest = combination;
    for (const { levels } of [...parts].reverse()) {
      names.unshift(levels[rest % levels.length]);
      rest = Math.floor(rest / levels.length);
    }
    return names.join(" & ");
  });
  checkNamesOf("a protected attribute", [name]);
  checkNamesOf(`a group of '${name}'`, groups);
  const codes = new Uint16Array(rows.length);
  for (let i = 0; i < rows.length; i++) codes[i] = occurring.get(combined[i])!;
  return { name, groups, codes };
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

function checkGroups(name: string, groups: number, n: number): void {
  if (groups === 1) {
    const advice = "there is nothing to balance, so leave it out of --protect";
    throw new MoietyError("input", `protected attribute '${name}' has 1 group; ${advice}`);
  }
  if (groups > 65_535 || (n > 2 && groups === n) || (n > 20 && groups > n / 2)) {
    const advice = "it looks like an id; protect a column with few groups";
    throw new MoietyError("input", `protected attribute '${name}' has ${groups} groups among ${n} people; ${advice}`);
  }
}
