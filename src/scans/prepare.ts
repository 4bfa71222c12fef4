import { chooseGrid, type Grid } from "../parties/grid.js";
import { droppedWarnings } from "../table/dropped.js";
import { groupWarnings } from "../table/groups.js";
import { completeColumns, leftOutOf, sameForAll } from "../table/people.js";
import { nobodyLeft } from "../table/rows.js";
import type { People, PeopleOptions } from "../table/types.js";
import { checkScannable } from "./checks.js";
import { SurveyedColumns } from "./columns.js";
import { encode } from "./encode.js";
import { droppedOf, surveyGroups } from "./groups.js";
import type { Scanner, ScanSpace } from "./scanner.js";

/** Everybody, as far as counts tell: attributes have one code for each pattern. */
export type Everybody = Pick<
  People,
  "n" | "dimensionNames" | "encodings" | "attributes" | "leftOut" | "dropped" | "warnings"
> & { readonly rows: number; readonly idColumn?: string };

export interface PreparedScan {
  readonly everybody: Everybody;
  readonly space: ScanSpace;
  readonly grid: Grid;
  /** People of each pattern. */
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
  const groups = await surveyGroups(columns, roles, first, whole ? [] : complete, { ...options, labels });
  const { survey } = groups;
  if (survey.people === 0) throw nobodyLeft();
  const id = columns.id(roles, survey);
  const features = roles.features.map(({ name }) => name);
  const moments = await columns.moments(features, survey, whole ? [] : complete);
  const {
    encodings,
    dimensions,
    constant,
    spread,
    warnings: doubts,
  } = encode(roles, options, moments, groups.levels, survey.people);
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
    },
    space: {
      complete: whole ? [] : complete,
      dimensions: dimensions.map(({ onGrid }) => onGrid(unit)),
      keys: groups.keys,
      patterns,
      id,
    },
    grid,
    counts,
  };
}
