import { columnFinder, protectedColumns } from "./choose.js";
import { groupSizes } from "./groups.js";
import type { Attribute, Dropped, DroppedGroup, Table } from "./types.js";

/** A share that changes by more than this part of itself is worth a warning. */
const mostChange = 0.05;

/** The groups of those who were left out of a table, where these attributes are of the `kept` people who stayed. */
export function droppedFrom(
  table: Table,
  protect: readonly string[],
  attributes: readonly Attribute[],
  kept: number,
): Dropped {
  const groups = attributes.map(({ name, groups, codes, cut }, a): [string, Record<string, DroppedGroup>] => {
    // Groups of equal size are those of the people who stayed.
    const all = groupSizes(table, protectedColumns(cut?.spec ?? protect[a], table, columnFinder(table)));
    const left = new Uint32Array(groups.length);
    for (const code of codes) left[code]++;
    const known = [...all.values()].reduce((sum, size) => sum + size, 0);
    return [
      name,
      Object.fromEntries(
        Array.from(all, ([group, before]) => {
          const after = left[groups.indexOf(group)] ?? 0;
          return [group, { people: before - after, before: before / known, after: after / kept }];
        }),
      ),
    ];
  });
  return { rows: table.rows - kept, of: table.rows, groups: Object.fromEntries(groups) };
}

/** In a line: which groups' shares are not what they were. */
export function droppedWarnings({ groups }: Dropped): string[] {
  const changed = Object.entries(groups).flatMap(([attribute, each]) =>
    Object.entries(each).flatMap(([group, { before, after }]) =>
      Math.abs(after - before) > mostChange * before
        ? [`${attribute} ${group} ${percent(before)} to ${percent(after)}`]
        : [],
    ),
  );
  if (changed.length === 0) return [];
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  return [`the rows left out change the share of groups by over 5%: ${changed.slice(0, 5).join(", ")}${more}`];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 1)}%`;
}
