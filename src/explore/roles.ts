import { defined } from "../defined.js";
import type { Column, PeopleOptions, Table } from "../table/types.js";
import type { ColumnRole, ColumnRoles, PageRequest } from "./questions.js";

/** Columns that have a role. */
export function named(roles: ColumnRoles, role: ColumnRole): string[] {
  return Object.keys(roles).filter((name) => roles[name] === role);
}

/** A protected column of numbers or dates with many values is cut into quartiles, as a protected attribute must have few groups. */
const mostGroups = 20;

/** How columns become people. Features are always named: what is shown is what is used. */
export function peopleOptionsOf(
  table: Table,
  roles: ColumnRoles,
  { dropMissing }: Pick<PageRequest, "dropMissing">,
): PeopleOptions {
  const [[id], [weights]] = [named(roles, "id"), named(roles, "weight")];
  return {
    features: named(roles, "feature"),
    categorical: named(roles, "category"),
    protect: named(roles, "protected").map((name) => attributeOf(table, name)),
    ...defined({ id, weights }),
    ...(dropMissing ? { missing: "drop" as const } : {}),
  };
}

export function attributeOf(table: Table, name: string): string {
  const column = table.columns.find((each) => each.name === name);
  return column !== undefined && isCut(column) ? `${name}:quartiles` : name;
}

function isCut(column: Column): boolean {
  if (column.kind === "numeric") return hasMany(column.values);
  return column.spells !== undefined && column.levels.length > mostGroups;
}

/** It is asked whenever a slider moves: the first values tell. */
function hasMany(values: Iterable<number>): boolean {
  const seen = new Set<number>();
  for (const value of values) {
    if (seen.add(value).size > mostGroups) return true;
  }
  return false;
}
