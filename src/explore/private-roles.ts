import { MoietyError } from "../errors.js";
import type { Table } from "../table/types.js";
import type { ColumnRoles } from "./questions.js";
import { attributeOf, named } from "./roles.js";

/** Columns for a private run: numbers that are cut into groups of equal size are not protected there, for their cuts are told by the data. */
export function privateRoles(
  table: Table,
  roles: ColumnRoles,
): { readonly used: ColumnRoles; readonly without: readonly string[] } {
  const all = named(roles, "protected");
  const without = all.filter((name) => attributeOf(table, name) !== name);
  if (without.length === all.length) {
    throw new MoietyError(
      "usage",
      "no protected column has groups that are known without the data: protect one of few values",
    );
  }
  return { used: { ...roles, ...Object.fromEntries(without.map((name) => [name, "left out" as const])) }, without };
}
