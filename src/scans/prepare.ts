import type { CountedAtoms } from "../algorithms/atoms.js";
import { chooseGrid, type Grid } from "../parties/grid.js";
import { droppedWarnings } from "../table/dropped.js";
import { groupWarnings } from "../table/groups.js";
import { completeColumns, leftOutOf, sameForAll } from "../table/people.js";
import { nobodyLeft } from "../table/rows.js";
import type { People, PeopleOptions, WeightFacts } from "../table/types.js";
import { checkScannable } from "./checks.js";
import { SurveyedColumns } from "./columns.js";
import { encode } from "./encode.js";
import { droppedOf, type SurveyedGroups, surveyGroups } from "./groups.js";
import type { Scanner, ScanSpace } from "./scanner.js";
import { type SurveyedWeights, surveyTypes, surveyWeights } from "./weights.js";

/** Everybody, as far as counts tell: attributes have one code for each pattern. */
export type Everybody = Pick<
  People,
  "n" | "dimensionNames" | "encodings" | "attributes" | "leftOut" | "dropped" | "warnings"
> & {
  readonly rows: number;
  readonly idColumn?: string;
  readonly weights?: WeightFacts;
  readonly atoms?: CountedAtoms;
};

export interface PreparedScan {
  readonly everybody: Everybody;
  readonly space: ScanSpace;
  readonly grid: Grid;
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
  const named = new Map((await scanner.columns()).map((column) => [column.name, column]));
  const columns = new SurveyedColumns(scanner, named);
  const first = await columns.first(options);
  const roles = await columns.roles(options, first);
  const complete = completeColumns(roles, roles.features, options.missing ?? "error").map(({ name }) => name);
  const whole = complete.every((name) => columns.extent(name).missing === 0);
  const present = whole ? [] : complete;
  const weighing = roles.weights && (await surveyWeights(columns, roles.weights.name, present));
  const groups = await surveyGroups(columns, roles, first, present, { ...options, labels, weighing });
  const { survey } = groups;
  if (survey.people === 0) throw nobodyLeft();
  const id = columns.id(roles, survey);
  const features = roles.features.map(({ name }) => name);
  const moments = await columns.moments(features, survey, present, weighing);
  const total = groups.counts.reduce((sum, count) => sum + count, 0);
  const {
    encodings,
    dimensions,
    constant,
    spread,
    warnings: doubts,
  } = encode(roles, options, moments, groups.levels, total);
  const grid = chooseGrid(spread);
  const unit = 2 ** grid.bits;
  const dropped = survey.people === survey.rows ? undefined : droppedOf(groups, survey, labels);
  const { attributes, patterns, counts } = groups;
  const warnings = [
    ...(dropped
      ? [`${dropped.rows} of ${survey.rows} rows left out: a value is missing in a column that is used`]
      : []),
    ...(dropped ? droppedWarnings(dropped) : []),
    ...groupWarnings(attributes.filter(({ name }) => name !== labels)),
    ...doubts,
    ...(constant.length > 0 ? [`${sameForAll(constant)}: left out`] : []),
  ];
  return {
    everybody: {
      n: survey.people,
      rows: survey.rows,
      dimensionNames: dimensions.map(({ name }) => name),
      encodings,
      attributes,
      leftOut: leftOutOf(columns.table, roles, constant),
      ...(dropped ? { dropped } : {}),
      warnings,
      ...(roles.id === undefined ? {} : { idColumn: roles.id.name }),
      ...(weighing ? await atomsOf(columns, groups, { ...weighing, total }, present) : {}),
    },
    space: {
      complete: present,
      dimensions: dimensions.map(({ onGrid }) => onGrid(unit)),
      keys: groups.keys,
      patterns,
      id,
      ...(weighing ? { weights: { column: weighing.column, unit: weighing.unit } } : {}),
    },
    grid,
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
