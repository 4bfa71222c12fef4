import type { CountedAtoms } from "../algorithms/atoms.js";
import { defined } from "../defined.js";
import { chooseGrid } from "../parties/grid.js";
import type { Roles } from "../table/choose.js";
import { droppedWarnings } from "../table/dropped.js";
import { groupWarnings } from "../table/groups.js";
import { completeColumns, leftOutOf, sameForAll } from "../table/people.js";
import { nobodyLeft } from "../table/rows.js";
import type { Column, LeftOut, People, PeopleOptions, WeightFacts } from "../table/types.js";
import { checkScannable } from "./checks.js";
import { type FirstSurvey, SurveyedColumns } from "./columns.js";
import { encode } from "./encode.js";
import { droppedOf, type SurveyedGroups, type SurveyLimits, surveyGroups } from "./groups.js";
import type { ScanId, Scanner, ScanSpace } from "./scanner.js";
import { type SurveyedWeights, surveyTypes, surveyWeights } from "./weights.js";

/** Everybody, as far as counts tell: attributes have one code for each pattern. */
export type Everybody = Pick<People, "n" | "dimensionNames" | "encodings" | "attributes" | "dropped" | "warnings"> & {
  readonly leftOut: readonly LeftOut[];
  readonly rows: number;
  readonly idColumn?: string;
  readonly weights?: WeightFacts;
  readonly atoms?: CountedAtoms;
};

export interface PreparedScan {
  readonly everybody: Everybody;
  readonly space: ScanSpace;
  /** Coordinates are whole multiples of 2^-gridBits. */
  readonly gridBits: number;
  /** What the people of each pattern count for. */
  readonly counts: Float64Array;
}

/** What `preparePeople` finds out from whole columns, from a few scans. */
export async function prepareScan(
  scanner: Scanner,
  asked: PeopleOptions,
  /** A column of labels, whose clusters become the last attribute whatever they are. */
  labels?: string,
): Promise<PreparedScan> {
  checkScannable(asked, scanner.method);
  const options = labels === undefined ? asked : { ...asked, protect: [...(asked.protect ?? []), labels] };
  const columns = await SurveyedColumns.of(scanner);
  const first = await columns.first(options);
  const roles = await columns.roles(options);
  const complete = completeColumns(roles, roles.features, options.missing ?? "error");
  const surveyed = await surveyPeople(columns, roles, first, complete, { ...options, labels });
  const { groups, present, weighing, total } = surveyed;
  const { survey } = groups;
  const features = roles.features.map(({ name }) => name);
  const moments = await columns.moments(features, survey, present, weighing);
  const {
    encodings,
    dimensions,
    constant,
    spread,
    warnings: doubts,
  } = encode(roles, options, moments, groups.levels, total);
  const { bits: gridBits } = chooseGrid(spread);
  const unit = 2 ** gridBits;
  const dropped = survey.people === survey.rows ? undefined : droppedOf(groups, survey, labels);
  const warnings = [
    ...(dropped ? droppedWarnings(dropped) : []),
    ...groupWarnings(groups.attributes.filter(({ name }) => name !== labels)),
    ...doubts,
    ...(constant.length > 0 ? [`${sameForAll(constant)}: left out`] : []),
  ];
  return preparedOf(surveyed, {
    dimensionNames: dimensions.map(({ name }) => name),
    dimensions: dimensions.map(({ onGrid }) => onGrid(unit)),
    gridBits,
    encodings,
    leftOut: leftOutOf(columns.table, roles, constant),
    ...(dropped ? { dropped } : {}),
    warnings,
  });
}

/** What scans have told of people, before they become points. */
export interface SurveyedPeople {
  readonly columns: SurveyedColumns;
  readonly groups: SurveyedGroups;
  /** Columns without a value in which a row is left out; none where no value is missing. */
  readonly present: readonly string[];
  readonly id: ScanId;
  readonly idColumn?: string;
  readonly weighing?: Omit<SurveyedWeights, "total">;
  /** What everybody counts for. */
  readonly total: number;
}

/** Counts people by groups and categories, whoever has a value in all of the columns `complete`. */
export async function surveyPeople(
  columns: SurveyedColumns,
  roles: Roles,
  first: FirstSurvey,
  complete: readonly Column[],
  { idsDecide, ...limits }: SurveyLimits & { readonly idsDecide?: boolean },
): Promise<SurveyedPeople> {
  const names = [...new Set(complete.map(({ name }) => name))];
  const present = names.every((name) => columns.extent(name).missing === 0) ? [] : names;
  const weighing = roles.weights && (await surveyWeights(columns, roles.weights.name, present));
  const groups = await surveyGroups(columns, roles, first, present, { ...limits, weighing });
  if (groups.survey.people === 0) throw nobodyLeft();
  return {
    ...{ columns, groups, present, id: columns.id(roles, groups.survey, idsDecide) },
    total: groups.counts.reduce((sum, count) => sum + count, 0),
    ...defined({ weighing, idColumn: roles.id?.name }),
  };
}

/** How columns become dimensions, and what of the table is left out. */
type DrawnSpace = Pick<Everybody, "dimensionNames" | "encodings" | "leftOut" | "dropped" | "warnings"> &
  Pick<ScanSpace, "dimensions"> &
  Pick<PreparedScan, "gridBits">;

export async function preparedOf(
  { columns, groups, present, id, idColumn, weighing, total }: SurveyedPeople,
  { dimensions, gridBits, warnings, ...drawn }: DrawnSpace,
): Promise<PreparedScan> {
  const { survey, attributes, keys, patterns, counts } = groups;
  const { rows, people: n } = survey;
  const leftOut =
    n === rows ? [] : [`${rows - n} of ${rows} rows left out: a value is missing in a column that is used`];
  return {
    everybody: {
      ...drawn,
      ...{ n, rows, attributes, warnings: [...leftOut, ...warnings], ...defined({ idColumn }) },
      ...(weighing ? await atomsOf(columns, groups, { ...weighing, total }, present) : {}),
    },
    space: {
      ...{ complete: present, dimensions, keys, patterns, id },
      ...(weighing ? { weights: { column: weighing.column, unit: weighing.unit } } : {}),
    },
    gridBits,
    counts,
  };
}

/** People with weights as what moves as a whole, by counts alone. */
async function atomsOf(
  columns: SurveyedColumns,
  { keys, attributes, patterns, survey }: SurveyedGroups,
  { column, unit, total, largest }: SurveyedWeights,
  complete: readonly string[],
): Promise<Pick<Everybody, "weights" | "atoms">> {
  const places = new Map(patterns.map((values, pattern) => [JSON.stringify(values), pattern]));
  const told = (await surveyTypes(columns, keys, { column, unit }, complete)).map(({ values, ...type }) => {
    return { ...type, pattern: places.get(JSON.stringify(values))! };
  });
  told.sort((a, b) => a.pattern - b.pattern || a.weight - b.weight);
  const types = told.map(({ pattern, weight, people }) => {
    const parts = attributes.map(({ codes, groups }) => groups.map((_, at) => (codes[pattern] === at ? weight : 0)));
    return { weight, parts, atoms: people };
  });
  const atoms = { count: survey.people, total, largest, ...(types.length > 0 ? { types: () => types } : {}) };
  return { weights: { column, unit, total }, atoms };
}
