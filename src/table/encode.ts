import { MoietyError } from "../errors.js";
import { checkFinite, checkMissing, numericColumn } from "./checks.js";
import { columnFinder, protectedColumns, type Roles } from "./choose.js";
import { protectedAttribute } from "./groups.js";
import { asLevels } from "./levels.js";
import { linksOf, weightsOf } from "./links.js";
import { droppedRows, selectRows } from "./rows.js";
import { gather, rescale } from "./scale.js";
import type { Column, Encoding, MissingRule, People, PeopleOptions, Table } from "./types.js";

export interface EncodeOptions extends Pick<PeopleOptions, "weights" | "together" | "apart"> {
  readonly id?: string;
  /** Protected columns, as `preparePeople` takes them. */
  readonly protect?: readonly string[];
  /** Default error. With mean, the means of the people whom the model was made from. */
  readonly missing?: MissingRule;
}

/** For an error: who does not know a category, and what to do. */
interface UnknownCategory {
  readonly who: string;
  readonly remedy: string;
}

const ofModel: UnknownCategory = { who: "the model has never seen", remedy: "train again" };

/** New people in the space of a model: the same columns, the same scaling numbers. */
export function encodePeople(table: Table, encodings: readonly Encoding[], options: EncodeOptions = {}): People {
  return encodeRows(table, encodings, options, ofModel);
}

/** The same of rows that are people or places. */
export function encodeRows(
  table: Table,
  encodings: readonly Encoding[],
  options: EncodeOptions,
  unknown: UnknownCategory,
): People {
  const named = rolesIn(table, encodings, options);
  const roles = { ...named, features: named.features.map(numericColumn) };
  const { id, weights: weighing, protect, together, apart } = roles;
  const used = new Map([...roles.features, ...roles.categorical].map((column) => [column.name, column]));
  const columns = encodings.map(({ column }) => used.get(column)!);
  const rule = options.missing ?? "error";
  const selection = selectRows(table.rows, completeIn(roles, rule), id);

  const dimensions: (Float64Array | Float32Array)[] = [];
  const dimensionNames: string[] = [];
  encodings.forEach((encoding, i) => {
    const column = columns[i];
    if (encoding.kind === "numeric" && column.missing > 0 && rule === "mean" && encoding.mean === undefined) {
      throw meanUnknown(encoding.column);
    }
    const encoded = encodeColumn(column, encoding, selection.sourceRows, unknown);
    dimensions.push(...encoded.dimensions);
    dimensionNames.push(...encoded.names);
  });
  const { sourceRows, ids } = selection;
  const weighed = weighing && weightsOf(weighing, sourceRows);
  const counted = weighed ? { people: weighed.values } : {};
  return {
    n: sourceRows.length,
    dimensions,
    dimensionNames,
    encodings,
    attributes: protect.map((each) => ({ ...protectedAttribute(each, sourceRows, { partial: true }), ...counted })),
    ...(weighed ? { weights: weighed } : {}),
    ...(together ? { together: linksOf(together, sourceRows) } : {}),
    ...(apart ? { apart: linksOf(apart, sourceRows) } : {}),
    rows: table.rows,
    sourceRows,
    ...(ids === undefined ? {} : { ids }),
    warnings: [...(table.warnings ?? []), ...droppedRows(selection, table)],
  };
}

/** The columns of new people by the part that they play in the space of a model. */
export function rolesIn(
  table: Table,
  encodings: readonly Encoding[],
  { id, protect = [], weights, together, apart }: EncodeOptions,
): Roles {
  const find = columnFinder(table);
  const [features, categorical] = (["numeric", "categorical"] as const).map((kind) =>
    encodings.filter((each) => each.kind === kind).map(({ column }) => find(column)),
  );
  const [naming, weighing, linked, kept] = [id, weights, together, apart].map((name) => {
    return name === undefined ? undefined : find(name);
  });
  const groups = protect.map((name) => protectedColumns(name, table, find));
  const used = new Set([...features, ...categorical, ...groups.flatMap(({ columns }) => columns), naming, weighing]);
  return {
    ...{ features, featuresNamed: true, categorical, protect: groups, id: naming, splitBy: undefined },
    ...{ weights: weighing, together: linked, apart: kept },
    leftOut: table.columns
      .filter((column) => !used.has(column))
      .map(({ name }) => ({ column: name, why: "not in the model" })),
  };
}

/** The columns without a value in which a row is left out; throws where another rule for missing values is broken. */
export function completeIn({ features, categorical, protect, id, weights }: Roles, rule: MissingRule): Column[] {
  const used = [...features, ...categorical];
  const groups = protect.flatMap(({ columns }) => columns);
  const [ids, weighing] = [id, weights].map((column) => (column === undefined ? [] : [column]));
  const all = [...used, ...groups, ...ids, ...weighing];
  checkFinite(all);
  if (rule === "drop") return all;
  if (rule === "error") checkMissing(used, "use `missing: drop` or `missing: mean`");
  checkMissing(weighing, "a weight cannot be filled in: use `missing: drop`");
  checkMissing(groups, "a group cannot be filled in: use `missing: drop`");
  checkMissing(ids, "an id cannot be filled in: use `missing: drop`");
  return [];
}

/** A category among new people that the model knows nothing of. */
export function unseenCategory(
  column: string,
  rows: number,
  of: number,
  { who, remedy }: UnknownCategory = ofModel,
): MoietyError {
  const what = `column '${column}' has a category that ${who} in ${rows} of ${of} rows`;
  return new MoietyError("input", `${what}; leave those rows out or ${remedy}`);
}

export function meanUnknown(column: string): MoietyError {
  return new MoietyError("input", `the model has no mean for column '${column}'; use \`missing: drop\``);
}

/** The dimensions of one column, and their names; `unknown` says in an error who does not know a category, and what to do. */
export function encodeColumn(
  column: Column,
  encoding: Encoding,
  rows: Uint32Array,
  unknown: UnknownCategory,
): { dimensions: (Float64Array | Float32Array)[]; names: string[] } {
  if (encoding.kind === "categorical") {
    const { levels, weight } = encoding;
    const names = levels.map((level) => `${encoding.column}=${level}`);
    return { dimensions: oneHot(column, levels, weight, rows, unknown), names };
  }
  if (column.kind !== "numeric") return { dimensions: [], names: [] };
  const values = gather(column, rows);
  rescale(values, { ...encoding, mean: encoding.mean ?? 0 });
  return { dimensions: [values], names: [encoding.column] };
}

function oneHot(
  column: Column,
  levels: readonly string[],
  weight: number,
  rows: Uint32Array,
  unknown: UnknownCategory,
): Float64Array[] {
  const text = asLevels(column);
  const placeOf = new Map(levels.map((level, i) => [level, i]));
  // Missing is a category of its own where the model knows one, and unseen otherwise.
  const places = [placeOf.get("(missing)") ?? -1, ...text.levels.map((level) => placeOf.get(level) ?? -1)];
  const dimensions = levels.map(() => new Float64Array(rows.length));
  let strange = 0;
  for (let i = 0; i < rows.length; i++) {
    const place = places[text.codes[rows[i]] + 1];
    if (place < 0) strange++;
    else dimensions[place][i] = weight;
  }
  if (strange > 0) throw unseenCategory(column.name, strange, rows.length, unknown);
  return dimensions;
}
