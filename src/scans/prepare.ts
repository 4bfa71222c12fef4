import { MoietyError } from "../errors.js";
import { chooseGrid, type Grid } from "../parties/grid.js";
import { fineGrid, firstGrid, fromSums } from "../solver/exact-moments.js";
import { checkFinite } from "../table/checks.js";
import { chooseColumns, type ProtectedColumns, type Roles } from "../table/choose.js";
import { quantilesOf } from "../table/cuts.js";
import { droppedWarnings } from "../table/dropped.js";
import { checkGroups, checkNumbers, groupWarnings, protectedAttribute } from "../table/groups.js";
import { likenessOfWhole } from "../table/ids.js";
import { asLevels, shortestSingle } from "../table/levels.js";
import { sortBytes } from "../table/order.js";
import {
  categoricalEncoding,
  categoryWeight,
  checkCategories,
  completeColumns,
  leftOutOf,
  missingLevel,
  numericEncoding,
  sameForAll,
} from "../table/people.js";
import type { Cuts, GivenCuts } from "../table/protect.js";
import type { Attribute, Column, Dropped, Encoding, Moments, People, PeopleOptions, Table } from "../table/types.js";
import type {
  ColumnExtent,
  ScanDimension,
  ScanId,
  ScannedColumn,
  ScannedValue,
  Scanner,
  ScanSpace,
  Survey,
  SurveyRequest,
  TalliedCell,
  TallyKey,
  TallyRequest,
} from "./scanner.js";

/** More combinations of protected groups than this are beyond prices; more categories or values are a mistake. */
const mostCells = 65_535;
const mostValues = 100_000;
/** Hashes of larger ids are made of their text. */
const largestWholeId = 2 ** 50;

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
export async function prepareScan(scanner: Scanner, options: PeopleOptions): Promise<PreparedScan> {
  checkOptions(options);
  const named = new Map((await scanner.columns()).map((column) => [column.name, column]));
  const looked = new LookedAt(scanner, named);
  const first = await looked.first(options);
  const roles = await looked.roles(options, first);
  const complete = completeColumns(roles, roles.features, options.missing ?? "error").map(({ name }) => name);
  const whole = complete.every((name) => looked.extent(name).missing === 0);
  const groups = await looked.groups(roles, first, whole ? [] : complete, options);
  const { survey } = groups;
  if (survey.people === 0) throw new MoietyError("input", "every row has a missing value in a column that is used");
  const id = looked.id(scanner, roles, survey);
  const features = roles.features.map(({ name }) => name);
  const moments = await looked.moments(features, survey, whole ? [] : complete);
  const { encodings, dimensions, constant, spread } = encode(roles, options, moments, groups.levels, survey.people);
  const grid = chooseGrid(spread);
  const unit = 2 ** grid.bits;
  const dropped = survey.people === survey.rows ? undefined : droppedOf(groups, survey);
  const { attributes, patterns, counts } = groups;
  const warnings = [
    ...(dropped
      ? [`${dropped.rows} of ${survey.rows} rows left out: a value is missing in a column that is used`]
      : []),
    ...(dropped ? droppedWarnings(dropped) : []),
    ...groupWarnings(attributes),
    ...(constant.length > 0 ? [`${sameForAll(constant)}: left out`] : []),
  ];
  return {
    everybody: {
      n: survey.people,
      rows: survey.rows,
      dimensionNames: dimensions.map(({ name }) => name),
      encodings,
      attributes,
      leftOut: leftOutOf(looked.table, roles, constant),
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

function checkOptions({ box, splitBy, partial }: PeopleOptions): void {
  if (box || partial)
    throw new MoietyError("usage", "a public box needs everybody in memory: leave out the limit of memory");
  if (splitBy !== undefined) {
    throw new MoietyError("usage", "`splitBy` needs everybody in memory: leave it out, or allow more memory");
  }
}

/** What the first scan was about. */
interface FirstLook {
  readonly keys: readonly TallyKey[];
  readonly survey: Survey;
}

interface Groups {
  readonly survey: Survey;
  readonly keys: readonly TallyKey[];
  readonly attributes: readonly Attribute[];
  /** By attribute and group: people and other rows, where the group is known. */
  readonly known: readonly ReadonlyMap<string, { people: number; others: number }>[];
  readonly patterns: readonly (readonly ScannedValue[])[];
  readonly counts: Float64Array;
  /** Of each categorical column, in order. */
  readonly levels: readonly (readonly { value: ScannedValue; level: string; people: number }[])[];
}

/** A table whose rows are elsewhere: what scans tell of its columns. */
class LookedAt {
  table: Table;
  private extents = new Map<string, ColumnExtent>();

  constructor(
    private readonly scanner: Scanner,
    private readonly named: ReadonlyMap<string, ScannedColumn>,
  ) {
    this.table = { rows: 0, columns: Array.from(named.values(), (column) => emptyColumn(column)) };
  }

  extent(name: string): ColumnExtent {
    return this.extents.get(name)!;
  }

  /** All that may matter, before it is known which columns do. */
  async first(options: PeopleOptions): Promise<FirstLook> {
    // Which names are unknown, repeated or claimed twice is known before any row is looked at.
    const roles = chooseColumns(this.table, options, () => undefined);
    const columns = [...columnsOf(roles), ...(roles.id ? [roles.id] : [])];
    const keys = keysOf(roles.protect, new Map());
    const survey = await this.scanner.survey({
      ...nothing,
      columns: [...new Set(columns.map(({ name }) => name))],
      distinct: roles.id ? [roles.id.name] : [],
      tallies: [...(keys ? [{ keys, most: mostCells }] : []), ...categories(roles)],
    });
    if (survey.rows === 0) throw new MoietyError("input", `${this.scanner.name} has no rows`);
    this.learn([...new Set(columns.map(({ name }) => name))], survey);
    return { keys: keys ?? [], survey };
  }

  /** The part of every column, as `preparePeople` gives it. */
  async roles(options: PeopleOptions, { survey }: FirstLook): Promise<Roles> {
    const likeness = new Map<string, string | undefined>();
    const doubtful: string[] = [];
    const judge = (name: string, distinct: (name: string) => number | undefined) => {
      const { whole, least, most, known } = this.extent(name);
      if (!whole || known === 0) return undefined;
      return likenessOfWhole(name, { min: least, max: most, present: known }, () => {
        const different = distinct(name);
        if (different === undefined) doubtful.push(name);
        return different === known;
      });
    };
    const numeric = this.table.columns.filter(({ name, kind }) => kind === "numeric" && this.extents.has(name));
    if (options.features === undefined) {
      for (const { name } of numeric)
        likeness.set(
          name,
          judge(name, () => undefined),
        );
      const asked = [...new Set(doubtful)];
      if (asked.length > 0) {
        const { distinct } = await this.scanner.survey({ ...nothing, distinct: asked });
        const found = new Map(asked.map((name, at) => [name, distinct[at]]));
        for (const name of asked)
          likeness.set(
            name,
            judge(name, (each) => found.get(each)),
          );
      }
    }
    this.table = { ...this.table, rows: survey.rows };
    const roles = chooseColumns(this.table, options, ({ name }) => likeness.get(name));
    for (const { name, kind } of roles.features) {
      if (kind === "text" && this.named.get(name)?.kind === "text") {
        throw new MoietyError(
          "input",
          `column '${name}' is not numeric; use \`categorical: ${name}\` if it is a category`,
        );
      }
    }
    checkFinite(columnsOf(roles));
    return roles;
  }

  /** Patterns, groups and levels, with the people of each. */
  async groups(
    roles: Roles,
    first: FirstLook,
    complete: readonly string[],
    options: Pick<PeopleOptions, "maxGroups">,
  ): Promise<Groups> {
    const quantiles = await this.quantiles(roles, complete);
    const keys = keysOf(roles.protect, quantiles) ?? [];
    let { survey } = first;
    if (complete.length > 0 || quantiles.size > 0) {
      const features = roles.features.map(({ name }) => name);
      survey = await this.scanner.survey({
        ...nothing,
        complete,
        columns: features,
        distinct: roles.id ? [roles.id.name] : [],
        tallies: [{ keys, most: mostCells }, ...categories(roles)],
      });
      this.learn(features, survey);
    }
    const [patterns, ...levels] = survey.tallies;
    if (patterns.tooMany) {
      throw new MoietyError(
        "input",
        `the protected attributes have more than ${mostCells} combinations: protect fewer`,
      );
    }
    return {
      survey,
      keys,
      ...this.patternsOf(roles.protect, keys, quantiles, patterns.cells, survey.people, options),
      levels: levels.map(({ cells, tooMany }, at) => {
        const { name } = roles.categorical[at];
        const present = cells.filter(({ people }) => people > 0);
        checkCategories(name, tooMany ? mostValues : present.length);
        const ordered = sortValues(present.map(({ values }) => values[0]));
        const people = new Map(present.map((cell) => [cell.values[0], cell.people]));
        const { single } = this.named.get(name)!;
        return ordered.map((value) => ({ value, level: levelName(value, single), people: people.get(value)! }));
      }),
    };
  }

  /** Where groups of equal size begin, by column. */
  private async quantiles(roles: Roles, complete: readonly string[]): Promise<Map<string, GivenCuts>> {
    const wanted = roles.protect.flatMap(({ columns, cuts }) =>
      columns.flatMap(({ name }, at) => {
        const cut = cuts[at];
        return cut?.kind === "quantiles" ? [{ name, cut }] : [];
      }),
    );
    if (wanted.length === 0) return new Map();
    const tallies = wanted.map(({ name }): TallyRequest => ({ keys: [{ column: name }], most: mostValues }));
    const found = await this.scanner.survey({ ...nothing, complete, tallies });
    return new Map(
      wanted.map(({ name, cut }, at) => {
        const { cells, tooMany } = found.tallies[at];
        if (tooMany || this.named.get(name)?.kind !== "numeric") {
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
  private patternsOf(
    protect: readonly ProtectedColumns[],
    keys: readonly TallyKey[],
    quantiles: ReadonlyMap<string, GivenCuts>,
    cells: readonly TalliedCell[],
    people: number,
    limits: Pick<PeopleOptions, "maxGroups">,
  ): Pick<Groups, "attributes" | "known" | "patterns" | "counts"> {
    const occurring = cells.filter((cell) => cell.people > 0);
    const made = protect.map((each) => {
      const cuts = each.cuts.map((cut, at) => givenCuts(each.columns[at].name, cut, quantiles));
      const among = (some: readonly TalliedCell[]) => {
        const columns = each.columns.map(({ name }, at) => this.columnOf(name, cuts[at], keys, some));
        const rows = Uint32Array.from(some.keys());
        return protectedAttribute({ name: each.name, columns, cuts }, rows, { partial: true, maxGroups: mostCells });
      };
      const attribute = among(occurring);
      checkGroups(each.name, attribute.groups.length, people, limits);
      each.columns.forEach((column, at) => {
        if (column.kind !== "numeric" || cuts[at] !== undefined) return;
        checkNumbers(asLevels(this.columnOf(column.name, undefined, keys, occurring)), limits);
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
    const counts = Float64Array.from(order, (cell) => occurring[cell].people);
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
  private columnOf(
    name: string,
    cuts: GivenCuts | undefined,
    keys: readonly TallyKey[],
    cells: readonly TalliedCell[],
  ): Column {
    const key = keyOf(keys, name, cuts);
    const values = cells.map((cell) => cell.values[key]);
    const column = this.named.get(name)!;
    if (cuts !== undefined) {
      const inside = Float64Array.from(values, (value) => cuts.at[Number(value) - 1] ?? cuts.at[0] - 1);
      // Dates are cut as days, which is what their numbers are here.
      return { kind: "numeric", name, values: inside, missing: 0, notFinite: 0 };
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

  /** Every person needs an id of their own; what its hash is made of. */
  id(scanner: Scanner, { id }: Roles, survey: Survey): ScanId {
    if (id === undefined) {
      if (scanner.numbered) return { kind: "row" };
      throw new MoietyError(
        "usage",
        `the rows of ${scanner.name} have no order that stays: name their column with \`id\``,
      );
    }
    const column = this.named.get(id.name)!;
    const duplicates = survey.people - survey.distinct[0];
    if (duplicates > 0) {
      const advice = "every person needs an id of their own";
      throw new MoietyError("input", `id column '${id.name}' repeats an id in ${duplicates} rows; ${advice}`);
    }
    if (column.kind !== "numeric") return { kind: "text", column: id.name };
    const { whole, least, most } = this.extent(id.name);
    if (!whole || most >= largestWholeId || least <= -largestWholeId) {
      const advice = "store the column as text";
      throw new MoietyError(
        "input",
        `id column '${id.name}' holds fractions or numbers too large to tell apart; ${advice}`,
      );
    }
    return { kind: "number", column: id.name };
  }

  /** Mean and deviation from whole sums on two grids, as parties that hold rows agree on them. */
  async moments(
    features: readonly string[],
    survey: Survey,
    complete: readonly string[],
  ): Promise<Map<string, Moments>> {
    const found = new Map<string, Moments>();
    const varying: string[] = [];
    for (const name of features) {
      const { least, most, known } = this.extent(name);
      if (known > 0 && least < most && Number.isFinite(most - least)) varying.push(name);
      else
        found.set(name, {
          mean: least,
          deviation: known > 0 && least < most ? most - least : 0,
          min: least,
          max: most,
        });
    }
    if (varying.length === 0) return found;
    const reach = varying.map((name) => this.extent(name));
    const measure = async (grids: readonly { shift: number; step: number }[]) => {
      const moments = varying.map((column, at) => ({ column, ...grids[at] }));
      const { people, moments: sums } = await this.scanner.survey({ ...nothing, complete, moments });
      if (people !== survey.people) throw changed(this.scanner);
      return sums.map(({ people, sum, squares }, at) => {
        if (Math.abs(sum) > Number.MAX_SAFE_INTEGER || squares > Number.MAX_SAFE_INTEGER) {
          throw new MoietyError("input", `column '${varying[at]}' has too many people for exact sums`);
        }
        return fromSums(people, sum, squares, grids[at]);
      });
    };
    const rough = await measure(reach.map(({ least, most }) => firstGrid(least, most)));
    const fine = await measure(reach.map(({ least, most, known }, at) => fineGrid(least, most, rough[at].mean, known)));
    varying.forEach((name, at) => {
      const { least, most } = reach[at];
      found.set(name, { mean: fine[at].mean, deviation: Math.sqrt(fine[at].variance), min: least, max: most });
    });
    return found;
  }

  private learn(names: readonly string[], { columns }: Survey): void {
    const first = new Map(this.extents);
    names.forEach((name, at) => {
      // Missing values and infinity were counted over all rows before.
      this.extents.set(name, { ...columns[at], ...(first.has(name) ? { missing: first.get(name)!.missing } : {}) });
    });
    this.table = {
      ...this.table,
      columns: this.table.columns.map((column) => {
        const extent = this.extents.get(column.name);
        if (extent === undefined) return column;
        const { missing, notFinite } = extent;
        return column.kind === "numeric" ? { ...column, missing, notFinite } : { ...column, missing };
      }),
    };
  }
}

const nothing: SurveyRequest = { complete: [], columns: [], distinct: [], tallies: [], moments: [] };

/** Without rows: enough to choose by. */
function emptyColumn({ name, kind }: ScannedColumn): Column {
  if (kind === "numeric") return { kind, name, values: new Float64Array(0), missing: 0, notFinite: 0 };
  const text = { kind: "text", name, codes: new Int32Array(0), levels: [], missing: 0 } as const;
  return kind === "text" ? text : { ...text, spells: kind };
}

function columnsOf({ features, categorical, protect }: Roles): Column[] {
  return [...features, ...categorical, ...protect.flatMap(({ columns }) => columns)];
}

function categories({ categorical }: Roles): TallyRequest[] {
  return categorical.map(({ name }) => ({ keys: [{ column: name }], most: mostValues }));
}

function quantileName(column: string, { groups }: Cuts & { kind: "quantiles" }): string {
  return `${column}:${groups}`;
}

function givenCuts(
  column: string,
  cut: Cuts | undefined,
  quantiles: ReadonlyMap<string, GivenCuts>,
): GivenCuts | undefined {
  if (cut === undefined) return undefined;
  // What a date's column holds here are days already.
  return cut.kind === "quantiles" ? quantiles.get(quantileName(column, cut)) : { kind: "numbers", at: cut.at };
}

/** Each column and cut once; undefined while quantiles are not known. */
function keysOf(
  protect: readonly ProtectedColumns[],
  quantiles: ReadonlyMap<string, GivenCuts>,
): readonly TallyKey[] | undefined {
  const keys: TallyKey[] = [];
  for (const { columns, cuts } of protect) {
    for (const [at, { name }] of columns.entries()) {
      const cut = givenCuts(name, cuts[at], quantiles);
      if (cuts[at] !== undefined && cut === undefined) return undefined;
      if (keyOf(keys, name, cut) < 0) keys.push({ column: name, ...(cut ? { cuts: cut.at } : {}) });
    }
  }
  return keys;
}

function keyOf(keys: readonly TallyKey[], column: string, cut: GivenCuts | undefined): number {
  return keys.findIndex((key) => key.column === column && key.cuts?.join() === cut?.at.join());
}

/** Numbers by size, texts by their bytes, what is missing last. */
function sortValues(values: readonly ScannedValue[]): ScannedValue[] {
  const known = values.filter((value) => value !== null);
  const sorted = known.every((value) => typeof value === "number")
    ? [...known].sort((a, b) => a - b)
    : sortBytes(known.map(String));
  return [...sorted, ...values.filter((value) => value === null)];
}

/** A dimension that waits for the grid. */
interface DrawnDimension {
  readonly name: string;
  readonly onGrid: (unit: number) => ScanDimension;
}

function encode(
  roles: Roles,
  { scale = "standard" }: PeopleOptions,
  moments: ReadonlyMap<string, Moments>,
  levels: Groups["levels"],
  people: number,
) {
  const encodings: Encoding[] = [];
  const dimensions: DrawnDimension[] = [];
  const constant: string[] = [];
  let [largest, variance] = [0, 0];
  for (const { name: column } of roles.features) {
    const found = moments.get(column)!;
    const encoding = numericEncoding(column, found, scale, roles.featuresNamed);
    if (encoding === undefined) {
      constant.push(column);
      continue;
    }
    encodings.push(encoding);
    const { shift, scale: width, mean } = encoding;
    largest += Math.max(Math.abs(found.min - shift), Math.abs(found.max - shift)) ** 2 / width ** 2;
    variance += (found.deviation / width) ** 2;
    const onGrid = (unit: number) => ({ kind: "numeric" as const, column, shift, scale: width, unit, mean });
    dimensions.push({ name: column, onGrid });
  }
  roles.categorical.forEach(({ name: column }, at) => {
    const names = levels[at].map(({ level }) => level);
    encodings.push(categoricalEncoding(column, names));
    levels[at].forEach(({ value, people: members }, index) => {
      const share = members / people;
      largest += categoryWeight ** 2;
      variance += categoryWeight ** 2 * share * (1 - share);
      const onGrid = (unit: number) => {
        return { kind: "level" as const, column, level: value, own: Math.floor(categoryWeight * unit + 0.5) };
      };
      dimensions.push({ name: `${column}=${names[index]}`, onGrid });
    });
  });
  if (dimensions.length === 0) {
    throw new MoietyError("input", "no features are left: every one has the same value for all people");
  }
  return { encodings, dimensions, constant, spread: { largest, variance, columns: dimensions.length } };
}

function levelName(value: ScannedValue, single: boolean | undefined): string {
  if (value === null) return missingLevel;
  return typeof value === "number" && single ? shortestSingle(value) : String(value);
}

/** Who was left out, by group. */
function droppedOf({ attributes, known }: Groups, { rows, people }: Survey): Dropped {
  return {
    rows: rows - people,
    of: rows,
    groups: Object.fromEntries(
      attributes.map(({ name }, at) => {
        const all = Array.from(known[at].values()).reduce((sum, each) => sum + each.people + each.others, 0);
        const groups = Array.from(known[at], ([group, each]) => [
          group,
          { people: each.others, before: (each.people + each.others) / all, after: each.people / people },
        ]);
        return [name, Object.fromEntries(groups)];
      }),
    ),
  };
}

export function changed({ name }: Pick<Scanner, "name">): MoietyError {
  return new MoietyError("failed", `${name} has changed while it was scanned: run again when nobody writes to it`);
}
