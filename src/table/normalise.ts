import { MoietyError } from "../errors.js";
import { columnFinder } from "./choose.js";
import { asLevels } from "./levels.js";
import { compareBytes } from "./order.js";
import type { Table } from "./types.js";

/** What makes ids that sites spell differently the same: each step is a function of the text alone. */
const steps = {
  trim: (id: string) => id.trim(),
  lower: (id: string) => id.toLowerCase(),
  digits: (id: string) => id.replaceAll(/[^0-9]/g, ""),
};

export type NormaliseStep = keyof typeof steps;
export const normaliseSteps = Object.keys(steps) as [NormaliseStep, ...NormaliseStep[]];

/**
 * How ids are spelt here, by what the steps make of them, in their order. Refuses ids that would be merged: two people would
 * be one, at this site alone.
 */
export function spellings(
  ids: Iterable<string>,
  normalise: readonly NormaliseStep[],
  column: string,
): Map<string, string> {
  const spelt = new Map<string, string>();
  let merged = 0;
  for (const id of ids) {
    const same = normalise.reduce((text, step) => steps[step](text), id);
    if (same === "") throw new MoietyError("input", `${some(column, normalise)} leaves nothing of an id: ${advice}`);
    if (spelt.has(same)) merged++;
    else spelt.set(same, id);
  }
  if (merged === 0) return spelt;
  const what = merged === 1 ? "one id the same as another" : `${merged} ids the same as others`;
  throw new MoietyError("input", `${some(column, normalise)} makes ${what}: ${advice}`);
}

const advice = "give everybody an id of their own, or leave out a step";

function some(column: string, normalise: readonly NormaliseStep[]): string {
  return `normalise: [${normalise.join(", ")}] of '${column}'`;
}

/** The table with its ids as the steps make them. */
export function withNormalisedIds(table: Table, id: string, normalise: readonly NormaliseStep[]): Table {
  const found = columnFinder(table)(id);
  const { codes, levels, missing } = asLevels(found);
  const made = [...spellings(levels, normalise, id).keys()];
  const order = Array.from(made.keys()).sort((one, other) => compareBytes(made[one], made[other]));
  const place = new Int32Array(order.length);
  order.forEach((code, at) => {
    place[code] = at;
  });
  const ids = {
    kind: "text" as const,
    name: id,
    codes: codes.map((code) => (code < 0 ? code : place[code])),
    levels: order.map((code) => made[code]),
    missing,
  };
  return { ...table, columns: table.columns.map((column) => (column === found ? ids : column)) };
}
