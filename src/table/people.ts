import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { turn } from "../turns.js";
import { beyondBox, encodingsOf } from "./box.js";
import { checkFinite, checkMissing, numericColumn } from "./checks.js";
import { chooseColumns, type Roles } from "./choose.js";
import { ColumnThreads } from "./column-threads.js";
import type { ScaledColumn, ScaledFeature } from "./coordinates.js";
import { isKept, isSingle, LevelMembers, manyValues, NumericDimensions, wholeDimensions } from "./dimension.js";
import { dominanceWarnings } from "./dominance.js";
import { droppedFrom, droppedWarnings } from "./dropped.js";
import { encodeColumn } from "./encode.js";
import { expectGarbage, free, ownMemory } from "./garbage.js";
import { groupWarnings, holdersOf, protectedAttribute } from "./groups.js";
import { asLevels } from "./levels.js";
import { linksOf, weightsOf } from "./links.js";
import { droppedRows, type Selection, selectRows } from "./rows.js";
import {
  type FloatArray,
  floatsOf,
  isFloats,
  isSinglePrecision,
  moments,
  scalingOf,
  weightedMoments,
} from "./scale.js";
import type {
  Column,
  Dimension,
  Encoding,
  LeftOut,
  MissingRule,
  Moments,
  NumberArray,
  NumericColumn,
  People,
  PeopleOptions,
  PublicBox,
  Scaling,
  Table,
} from "./types.js";

/** A changed category moves two of its dimensions, so this makes it a squared distance of exactly one. */
const categoryWeight = Math.SQRT1_2;

/** What a category's own dimension holds. Throws "usage" on a weight that means nothing. */
export function weightOfCategory(
  { categoryWeight: distance = 1 }: Pick<PeopleOptions, "categoryWeight">,
  categories: number,
): number {
  if (!(distance > 0 && Number.isFinite(distance))) {
    throw new MoietyError("usage", `categoryWeight is ${distance}: give a number above 0, such as 1`);
  }
  if (distance !== 1 && categories === 0) {
    const advice = "name them with `categorical`, or leave it out";
    throw new MoietyError("usage", `\`categoryWeight\` does nothing where no column is a category: ${advice}`);
  }
  return distance * categoryWeight;
}

/** More dimensions than this for one column would be a mistake in the choice of column, and a lot of memory. */
const mostLevels = 1000;

export const missingLevel = "(missing)";

/** Dimensions under construction. */
interface Drawing {
  readonly dimensions: (Dimension | FloatArray)[];
  readonly names: string[];
  readonly encodings: Encoding[];
  readonly warnings: string[];
  /** Names of columns that tell nobody apart. */
  readonly constant: string[];
  /** How much each column varies in the scaled space. */
  readonly spreads: Map<string, { variance: number; categorical: boolean }>;
}

/** Turns a table into people: points in the scaled space, with the groups that they belong to. */
export function preparePeople(table: Table, options: PeopleOptions = {}): People {
  const steps = preparation(table, options);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The same with turns for others, such as Ctrl-C, where people are many; in so many threads where the table is consumed. */
export async function preparePeopleInTurns(table: Table, options: ThreadedOptions = {}): Promise<People> {
  const steps = preparation(table, options);
  let step = steps.next();
  while (!step.done) step = steps.next((await (step.value ?? turn())) || undefined);
  return step.value;
}

interface ThreadedOptions extends PeopleOptions {
  readonly threads?: number;
  /** Features that are coordinates already, by name: nobody looks at the numbers of their columns. */
  readonly scaled?: ReadonlyMap<string, ScaledFeature>;
}

/** Pauses before columns become coordinates, and after each of them. What a thread makes of one is waited for. */
type Preparation<T> = Generator<Promise<ScaledColumn> | undefined, T, ScaledColumn | undefined>;

function* preparation(table: Table, options: ThreadedOptions): Preparation<People> {
  const missing = options.missing ?? "error";
  if (options.box && missing === "mean") {
    throw new MoietyError("usage", "`missing: mean` takes means from the data, which a public box rules out: use drop");
  }
  const { maxGroups = 2 } = options;
  if (!(Number.isSafeInteger(maxGroups) && maxGroups >= 2 && maxGroups <= 65_535)) {
    throw new MoietyError("usage", `maxGroups is ${maxGroups}: give a whole number from 2 to 65535`);
  }
  const roles = chooseColumns(table, options);
  const features = roles.features.map(numericColumn);
  const protectedOnes = roles.protect.flatMap(({ columns }) => columns);
  const { weights: weighing, together, apart } = roles;
  checkFinite([...features, ...roles.categorical, ...protectedOnes, ...naming(roles)]);
  const selection = choosePeople(table, roles, features, missing);
  // Before anything is computed: what is wrong with the groups is known at once.
  const linked = { ...options.linked };
  if (weighing) linked.weights = weightsOf(weighing, selection.sourceRows);
  if (together) linked.together = linksOf(together, selection.sourceRows);
  const { weights } = linked;
  const attributes = roles.protect.map((columns) => {
    const attribute = protectedAttribute(columns, selection.sourceRows, options);
    return weights ? { ...attribute, people: weights.values } : attribute;
  });

  const warnings = [...(table.warnings ?? [])];
  const drawing: Drawing = { dimensions: [], names: [], encodings: [], warnings, constant: [], spreads: new Map() };
  const { sourceRows, ids } = selection;
  const isWhole = selection.dropped === 0;
  const dropped = isWhole ? undefined : droppedFrom(table, options.protect ?? [], attributes, sourceRows.length);
  drawing.warnings.push(...droppedRows(selection, table));
  if (dropped) drawing.warnings.push(...droppedWarnings(dropped));
  drawing.warnings.push(...groupWarnings(attributes));
  if (options.box) addBoxed(drawing, options.box, roles, features, selection);
  else if (options.partial) addUnscaled(drawing, roles, features, selection, { missing, levels: {}, ...options });
  else yield* addScaled(drawing, roles, features, selection, options, weights?.values);
  drawing.warnings.push(...dominanceWarnings(drawing.spreads));
  if (drawing.constant.length > 0) drawing.warnings.push(`${sameForAll(drawing.constant)}: left out`);
  if (drawing.dimensions.length === 0) {
    throw new MoietyError("input", "no features are left: every one has the same value for all people");
  }
  return {
    n: sourceRows.length,
    ...keptOrRead(drawing.dimensions, sourceRows.length),
    dimensionNames: drawing.names,
    encodings: drawing.encodings,
    attributes,
    ...(roles.splitBy === undefined ? {} : { holders: holdersOf(roles.splitBy, sourceRows) }),
    ...linked,
    ...(apart ? { apart: linksOf(apart, sourceRows) } : {}),
    rows: table.rows,
    sourceRows,
    ...(ids === undefined ? {} : { ids }),
    ...(options.box ? { publicBounds: true as const } : {}),
    leftOut: leftOutOf(table, roles, drawing.constant),
    ...(dropped ? { dropped } : {}),
    warnings: drawing.warnings,
  };
}

/** Few coordinates are made at once; many are read where they are needed. */
function keptOrRead(
  dimensions: readonly (Dimension | FloatArray)[],
  n: number,
): Pick<People, "dimensions" | "readers"> {
  if (n * dimensions.length > manyValues) return { dimensions: wholeDimensions(dimensions), readers: dimensions };
  return { dimensions: dimensions.map((each) => (isKept(each) ? each : each.whole())) };
}

/** With the features that tell nobody apart, each at its place. */
export function leftOutOf({ columns }: Table, { leftOut }: Roles, constant: readonly string[]): readonly LeftOut[] {
  if (constant.length === 0) return leftOut;
  const place = new Map(columns.map(({ name }, at) => [name, at]));
  const order = ({ column }: LeftOut) => place.get(column) ?? columns.length;
  const same = constant.map((column) => ({ column, why: "the same value for all people" }));
  return [...leftOut, ...same].sort((a, b) => order(a) - order(b));
}

/** By what the people themselves say. */
function* addScaled(
  drawing: Drawing,
  roles: Roles,
  features: readonly NumericColumn[],
  { sourceRows }: Selection,
  { scale = "standard", measure, consume = false, categoryWeight: distance, threads = 1, scaled }: ThreadedOptions,
  people: Float64Array | undefined,
): Preparation<void> {
  const weight = weightOfCategory(defined({ categoryWeight: distance }), roles.categorical.length);
  const rows = scaled ? sourceRows.length : (features[0]?.values.length ?? 0);
  const many = sourceRows.length * features.length > manyValues;
  const numeric = new NumericDimensions(sourceRows, rows, many, consume && !scaled ? features.length : 0);
  const { n, personOf } = numeric;
  const crew =
    many && consume && threads > 1 && !people && !measure
      ? new ColumnThreads(threads, features, { personOf, n, scale })
      : undefined;
  try {
    for (const column of features) {
      const made = yield crew?.scaled(column);
      let encoding: ReturnType<typeof numericEncoding>;
      const encodingOf = (found: Moments) => {
        encoding = numericEncoding(column.name, found, scale, roles.featuresNamed);
        if (encoding) {
          drawing.spreads.set(column.name, { variance: (found.deviation / encoding.scale) ** 2, categorical: false });
        }
        return encoding;
      };
      const ready = scaled?.get(column.name);
      let dimension: Dimension | FloatArray | undefined;
      if (ready) dimension = encodingOf(ready.found) && ready.dimension;
      else if (made) dimension = encodingOf(made.found) && numeric.add(made.coordinates);
      else {
        dimension = numeric.make(column, (numbers) => {
          const floats = () => (isFloats(numbers) ? numbers : floatsOf(numbers, undefined, isSinglePrecision(column)));
          return encodingOf(people ? weightedMoments(numbers, people) : measure ? measure(floats()) : moments(numbers));
        });
      }
      if (consume) letGo(column, made?.coordinates.buffer as ArrayBuffer | undefined);
      if (dimension === undefined || encoding === undefined) {
        drawing.constant.push(column.name);
        continue;
      }
      drawing.dimensions.push(dimension);
      drawing.names.push(column.name);
      drawing.encodings.push(encoding);
    }
  } finally {
    void crew?.close();
  }
  const single = drawing.dimensions.length > 0 && drawing.dimensions.every(isSingle);
  for (const column of roles.categorical) addCategorical(drawing, column, sourceRows, single, weight);
}

/** Numbers that have become coordinates need not be kept twice. */
function letGo(column: NumericColumn, memory = ownMemory(column.values)): void {
  if (memory) free(memory);
  else expectGarbage(column.values.byteLength);
  (column as { values: NumberArray }).values = new Float64Array(0);
}

/** As they are, missing numbers as NaN: with people elsewhere, only all holders together know scales and means. */
function addUnscaled(
  drawing: Drawing,
  roles: Roles,
  features: readonly NumericColumn[],
  { sourceRows }: Selection,
  {
    levels,
    missing,
    ...options
  }: Required<Pick<PeopleOptions, "levels" | "missing">> & Pick<PeopleOptions, "categoryWeight">,
): void {
  const weight = weightOfCategory(options, roles.categorical.length);
  const mean = missing === "mean" ? { mean: Number.NaN } : {};
  const encodings = [
    ...features.map(({ name }): Encoding => ({ kind: "numeric", column: name, shift: 0, scale: 1, ...mean })),
    ...roles.categorical.map(({ name }) => categoricalEncoding(name, levels[name] ?? [], weight)),
  ];
  const unknown = { who: "was not declared", remedy: "name it among the column's categories" };
  addEncoded(drawing, [...features, ...roles.categorical], encodings, sourceRows, unknown);
}

/** Columns whose encodings do not depend on the people. */
function addEncoded(
  drawing: Drawing,
  columns: readonly Column[],
  encodings: readonly Encoding[],
  rows: Uint32Array,
  unknown: Parameters<typeof encodeColumn>[3],
): void {
  encodings.forEach((encoding, at) => {
    const { dimensions, names } = encodeColumn(columns[at], encoding, rows, unknown);
    drawing.dimensions.push(...dimensions);
    drawing.names.push(...names);
    drawing.encodings.push(encoding);
  });
}

/** How a category becomes dimensions. */
export function categoricalEncoding(column: string, levels: readonly string[], weight = categoryWeight): Encoding {
  return { kind: "categorical", column, levels, weight };
}

/** By what is publicly known. */
function addBoxed(
  drawing: Drawing,
  box: PublicBox,
  roles: Roles,
  features: readonly NumericColumn[],
  { sourceRows }: Selection,
): void {
  const columns = [...features, ...roles.categorical];
  const encodings = encodingsOf(box, features, roles.categorical, categoryWeight);
  addEncoded(drawing, columns, encodings, sourceRows, { who: "the box does not name", remedy: "add it to the box" });
  drawing.warnings.push(...beyondBox(columns, encodings, sourceRows));
}

function choosePeople(table: Table, roles: Roles, features: readonly Column[], rule: MissingRule): Selection {
  return selectRows(table.rows, completeColumns(roles, features, rule), roles.id);
}

/**
 * Applies the rule for missing values: the columns without a value in which a row is left out. Means stand in for numbers
 * only: nobody's group or name may be invented.
 */
export function completeColumns(roles: Roles, features: readonly Column[], rule: MissingRule): readonly Column[] {
  const named = [...roles.protect.flatMap(({ columns }) => columns), ...naming(roles)];
  if (rule === "drop") return [...features, ...roles.categorical, ...named];
  if (rule === "error") {
    const advice = "use `missing: drop` or `missing: mean`, or leave the column out";
    checkMissing([...features, ...roles.categorical], advice);
  }
  const otherwise = rule === "error" ? ", or leave the column out" : "";
  if (roles.weights) checkMissing([roles.weights], `a weight cannot be filled in: use \`missing: drop\`${otherwise}`);
  checkMissing(named, `a group or an id cannot be filled in: use \`missing: drop\`${otherwise}`);
  return [];
}

/** The columns that say who people are, who holds them and what they count. */
function naming({ id, splitBy, weights }: Roles): Column[] {
  return [id, splitBy, weights].filter((column) => column !== undefined);
}

/** How a number becomes a dimension; undefined where it is the same for all and nobody named it. */
export function numericEncoding(column: string, found: Moments, scaling: Scaling, named: boolean) {
  if (!(found.min < found.max) || found.deviation === 0) {
    // A warning when we chose the column, an error when the user did.
    if (named) throw new MoietyError("input", `${sameForAll([column])}; leave it out`);
    return undefined;
  }
  if (!Number.isFinite(found.deviation) || !Number.isFinite(found.max - found.min)) {
    throw new MoietyError("input", `column '${column}' has numbers too large to scale; divide it by a constant`);
  }
  return { kind: "numeric" as const, column, ...scalingOf(found, scaling), mean: found.mean };
}

function addCategorical(
  drawing: Drawing,
  column: Column,
  sourceRows: Uint32Array,
  single: boolean,
  weight: number,
): void {
  const { codes, levels } = asLevels(column);
  const counts = new Uint32Array(levels.length + 1);
  for (const row of sourceRows) counts[codes[row] + 1]++;
  const used = [...levels.keys(), -1].filter((code) => counts[code + 1] > 0);
  checkCategories(column.name, used.length);
  const placeOf = new Int16Array(levels.length + 1);
  used.forEach((code, place) => {
    placeOf[code + 1] = place;
  });
  const places = new Int16Array(sourceRows.length);
  for (let i = 0; i < places.length; i++) places[i] = placeOf[codes[sourceRows[i]] + 1];
  const names = used.map((code) => (code < 0 ? missingLevel : levels[code]));
  const shares = used.map((code) => counts[code + 1] / sourceRows.length);
  const variance = weight ** 2 * shares.reduce((sum, share) => sum + share * (1 - share), 0);
  drawing.spreads.set(column.name, { variance, categorical: true });
  drawing.dimensions.push(...used.map((_, place) => new LevelMembers(places, { place, weight }, single)));
  drawing.names.push(...names.map((name) => `${column.name}=${name}`));
  drawing.encodings.push(categoricalEncoding(column.name, names, weight));
}

export function checkCategories(column: string, count: number): void {
  if (count === 1) {
    throw new MoietyError("input", `column '${column}' has the same category for all people; leave it out`);
  }
  if (count > mostLevels) {
    const advice = `it looks like an id or a number; at most ${mostLevels} are allowed`;
    throw new MoietyError("input", `categorical column '${column}' has ${count} categories; ${advice}`);
  }
}

/** One line however many there are: pictures have hundreds of dark corners. */
export function sameForAll(names: readonly string[]): string {
  if (names.length === 1) return `column '${names[0]}' has the same value for all people`;
  const shown = names.slice(0, 5).map((name) => `'${name}'`);
  const others = names.length > 5 ? ` and ${names.length - 5} others` : "";
  return `columns ${shown.join(", ")}${others} each have the same value for all people`;
}
