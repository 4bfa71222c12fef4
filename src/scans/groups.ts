import { MoietyError } from "../errors.js";
import type { ProtectedColumns, Roles } from "../table/choose.js";
import { quantilesOf } from "../table/cuts.js";
import { checkGroups, checkNumbers, protectedAttribute } from "../table/groups.js";
import { asLevels, shortestSingle } from "../table/levels.js";
import { sortBytes } from "../table/order.js";
import { checkCategories, missingLevel } from "../table/people.js";
import type { GivenCuts } from "../table/protect.js";
import { dateOf } from "../table/spelling.js";
import type { Attribute, Column, Dropped, PeopleOptions } from "../table/types.js";
import type { FirstSurvey, SurveyedColumns } from "./columns.js";
import type {
  ScannedColumn,
  ScannedValue,
  ScanWeights,
  Survey,
  TalliedCell,
  TallyKey,
  TallyRequest,
} from "./scanner.js";
import { categories, givenCuts, keyOf, keysOf, mostCells, mostValues, nothing, quantileName } from "./tallies.js";

/** Patterns, groups and levels, with the people of each. */
export interface SurveyedGroups {
  readonly survey: Survey;
  readonly keys: readonly TallyKey[];
  readonly attributes: readonly Attribute[];
  /** By attribute and group: people and other rows, where the group is known. */
  readonly known: readonly ReadonlyMap<string, { people: number; others: number }>[];
  readonly patterns: readonly (readonly ScannedValue[])[];
  /** What the people of each pattern count for. */
  readonly counts: Float64Array;
  /** Of each categorical column, in order; `people` is what they count for. */
  readonly levels: readonly (readonly { value: ScannedValue; level: string; people: number }[])[];
}

export interface SurveyLimits extends Pick<PeopleOptions, "maxGroups" | "partial"> {
  /** An attribute that may have any number of groups. */
  readonly labels?: string | undefined;
  readonly weighing?: ScanWeights | undefined;
}

export async function surveyGroups(
  table: SurveyedColumns,
  roles: Roles,
  first: FirstSurvey,
  complete: readonly string[],
  options: SurveyLimits,
): Promise<SurveyedGroups> {
  const quantiles = await quantileCuts(table, roles, complete);
  const keys = keysOf(roles.protect, quantiles) ?? [];
  let { survey } = first;
  const { weighing } = options;
  if (complete.length > 0 || quantiles.size > 0 || weighing) {
    const features = roles.features.map(({ name }) => name);
    survey = await table.scanner.survey({
      ...nothing,
      complete,
      columns: features,
      distinct: roles.id ? [roles.id.name] : [],
      tallies: [{ keys, most: mostCells }, ...categories(roles)],
      ...(weighing ? { weights: weighing } : {}),
    });
    table.learn(features, survey);
  }
  const [patterns, ...levels] = survey.tallies;
  if (patterns.tooMany) {
    throw new MoietyError("input", `the protected attributes have more than ${mostCells} combinations: protect fewer`);
  }
  return {
    survey,
    keys,
    ...patternsOf(table.named, roles.protect, keys, quantiles, patterns.cells, survey.people, options),
    levels: levels.map(({ cells, tooMany }, at) => {
      const { name } = roles.categorical[at];
      const present = cells.filter(({ people }) => people > 0);
      if (!options.partial || tooMany) checkCategories(name, tooMany ? mostValues : present.length);
      const ordered = sortValues(present.map(({ values }) => values[0]));
      const people = new Map(present.map((cell) => [cell.values[0], cell.weight * (weighing?.unit ?? 1)]));
      const { single } = table.named.get(name)!;
      return ordered.map((value) => ({ value, level: levelName(value, single), people: people.get(value)! }));
    }),
  };
}

/** Where groups of equal size begin, by column. */
async function quantileCuts(
  table: SurveyedColumns,
  roles: Roles,
  complete: readonly string[],
): Promise<Map<string, GivenCuts>> {
  const wanted = roles.protect.flatMap(({ columns, cuts }) =>
    columns.flatMap(({ name }, at) => {
      const cut = cuts[at];
      return cut?.kind === "quantiles" ? [{ name, cut }] : [];
    }),
  );
  if (wanted.length === 0) return new Map();
  const tallies = wanted.map(({ name }): TallyRequest => ({ keys: [{ column: name }], most: mostValues }));
  const found = await table.scanner.survey({ ...nothing, complete, tallies });
  return new Map(
    wanted.map(({ name, cut }, at) => {
      const { cells, tooMany } = found.tallies[at];
      if (tooMany || table.named.get(name)?.kind !== "numeric") {
        const why = tooMany ? "there are too many different values to count" : "the column holds no numbers";
        throw new MoietyError(
          "input",
          `'${name}:${cut.word}' cannot be made: ${why}; give cuts, such as ${name}:25,40,65`,
        );
      }
      const present = cells.filter(({ values, people }) => values[0] !== null && people > 0);
      present.sort((a, b) => Number(a.values[0]) - Number(b.values[0]));
      const values = present.map((cell) => Number(cell.values[0]));
      const counts = present.map(({ people }) => people);
      return [quantileName(name, cut), { kind: "numbers", at: quantilesOf(name, values, counts, cut) }];
    }),
  );
}

/** Groups are made of the combinations that occur as they would be of people: each combination is a row of a small table. */
function patternsOf(
  named: ReadonlyMap<string, ScannedColumn>,
  protect: readonly ProtectedColumns[],
  keys: readonly TallyKey[],
  quantiles: ReadonlyMap<string, GivenCuts>,
  cells: readonly TalliedCell[],
  people: number,
  { labels, weighing, ...limits }: SurveyLimits,
): Pick<SurveyedGroups, "attributes" | "known" | "patterns" | "counts"> {
  const occurring = cells.filter((cell) => cell.people > 0);
  const made = protect.map((each) => {
    const cuts = each.cuts.map((cut, at) => givenCuts(each.columns[at].name, cut, quantiles));
    const among = (some: readonly TalliedCell[]) => {
      const columns = each.columns.map(({ name }, at) => columnOf(named.get(name)!, cuts[at], keys, some));
      const rows = Uint32Array.from(some.keys());
      return protectedAttribute({ name: each.name, columns, cuts }, rows, { partial: true, maxGroups: mostCells });
    };
    const attribute = among(occurring);
    if (each.name !== labels) checkGroups(each.name, attribute.groups.length, people, limits);
    each.columns.forEach((column, at) => {
      if (column.kind !== "numeric" || cuts[at] !== undefined) return;
      checkNumbers(asLevels(columnOf(named.get(column.name)!, undefined, keys, occurring)), limits);
    });
    const isKnown = ({ values }: TalliedCell) =>
      each.columns.every(({ name }, at) => values[keyOf(keys, name, cuts[at])] !== null);
    const knownCells = cells.filter(isKnown);
    const all = among(knownCells);
    const known = new Map(all.groups.map((group) => [group, { people: 0, others: 0 }]));
    knownCells.forEach((cell, at) => {
      const group = known.get(all.groups[all.codes[at]])!;
      group.people += cell.people;
      group.others += cell.others;
    });
    const byData = each.cuts.some((cut) => cut?.kind === "quantiles");
    return { attribute: { ...attribute, ...(attribute.cut ? { cut: { ...attribute.cut, byData } } : {}) }, known };
  });
  // As `countPatterns` orders them: by the first attribute's groups, then the second's, and so on.
  const codes = made.map(({ attribute }) => attribute.codes);
  const order = Array.from(occurring.keys()).sort((a, b) => {
    const differing = codes.find((each) => each[a] !== each[b]);
    return differing ? differing[a] - differing[b] : 0;
  });
  const counts = Float64Array.from(order, (cell) => occurring[cell].weight * (weighing?.unit ?? 1));
  return {
    attributes: made.map(({ attribute }) => ({
      ...attribute,
      codes: Uint16Array.from(order, (cell) => attribute.codes[cell]),
      people: counts,
    })),
    known: made.map(({ known }) => known),
    patterns: order.map((cell) => occurring[cell].values),
    counts,
  };
}

/** A protected column with one row for each combination; an interval is told by a number inside it. */
function columnOf(
  column: ScannedColumn,
  cuts: GivenCuts | undefined,
  keys: readonly TallyKey[],
  cells: readonly TalliedCell[],
): Column {
  const { name } = column;
  const key = keyOf(keys, name, cuts);
  const values = cells.map((cell) => cell.values[key]);
  if (cuts !== undefined) {
    const inside = Float64Array.from(values, (value) => cuts.at[Number(value) - 1] ?? cuts.at[0] - 1);
    if (column.kind !== "date") return { kind: "numeric", name, values: inside, missing: 0, notFinite: 0 };
    const codes = Int32Array.from(inside.keys());
    return { kind: "text", spells: "date", name, codes, levels: Array.from(inside, dateOf), missing: 0 };
  }
  if (column.kind === "numeric") {
    const numbers = values.map(Number);
    const array = column.single ? Float32Array.from(numbers) : Float64Array.from(numbers);
    return { kind: "numeric", name, values: array, missing: 0, notFinite: 0 };
  }
  const levels = sortBytes([...new Set(values.map(String))]);
  const place = new Map(levels.map((level, code) => [level, code]));
  return {
    kind: "text",
    name,
    codes: Int32Array.from(values, (value) => place.get(String(value))!),
    levels,
    missing: 0,
  };
}

/** Numbers by size, texts by their bytes, what is missing last. */
function sortValues(values: readonly ScannedValue[]): ScannedValue[] {
  const known = values.filter((value) => value !== null);
  const sorted = known.every((value) => typeof value === "number")
    ? [...known].sort((a, b) => a - b)
    : sortBytes(known.map(String));
  return [...sorted, ...values.filter((value) => value === null)];
}

function levelName(value: ScannedValue, single: boolean | undefined): string {
  if (value === null) return missingLevel;
  return typeof value === "number" && single ? shortestSingle(value) : String(value);
}

/** Who was left out, by group. */
export function droppedOf({ attributes, known }: SurveyedGroups, { rows, people }: Survey, labels?: string): Dropped {
  return {
    rows: rows - people,
    of: rows,
    groups: Object.fromEntries(
      attributes.flatMap(({ name }, at) => {
        if (name === labels) return [];
        const all = Array.from(known[at].values()).reduce((sum, each) => sum + each.people + each.others, 0);
        const groups = Array.from(known[at], ([group, each]) => [
          group,
          { people: each.others, before: (each.people + each.others) / all, after: each.people / people },
        ]);
        return [[name, Object.fromEntries(groups)]];
      }),
    ),
  };
}
