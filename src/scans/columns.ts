import { MoietyError } from "../errors.js";
import { fineGrid, firstGrid, firstSteps, fromSums } from "../solver/exact-moments.js";
import { checkDoubts, checkFiniteCells } from "../table/checks.js";
import { chooseColumns, type ProtectedColumns, type Roles } from "../table/choose.js";
import { groupedColumn } from "../table/cuts.js";
import { isNamedLikeId, likenessOfWhole } from "../table/ids.js";
import { checkRepeated } from "../table/rows.js";
import type { Column, Moments, PeopleOptions, Table } from "../table/types.js";
import type { ColumnExtent, ScanId, ScannedColumn, Scanner, ScanWeights, Survey, TallyKey } from "./scanner.js";
import { categories, keysOf, mostCells, nothing } from "./tallies.js";

/** Hashes of larger ids are made of their text. */
const largestWholeId = 2 ** 50;

/** What the first scan was about. */
export interface FirstSurvey {
  readonly keys: readonly TallyKey[];
  readonly survey: Survey;
}

/** A table whose rows are elsewhere: what scans tell of its columns. */
export class SurveyedColumns {
  table: Table;
  private extents = new Map<string, ColumnExtent>();

  private constructor(
    readonly scanner: Scanner,
    readonly named: ReadonlyMap<string, ScannedColumn>,
  ) {
    this.table = { rows: 0, columns: Array.from(named.values(), (column) => emptyColumn(column)) };
  }

  static async of(scanner: Scanner): Promise<SurveyedColumns> {
    return new SurveyedColumns(scanner, new Map((await scanner.columns()).map((column) => [column.name, column])));
  }

  readonly extent = (name: string): ColumnExtent => this.extents.get(name)!;

  /** All that may matter, before it is known which columns do. */
  first(options: PeopleOptions): Promise<FirstSurvey> {
    // Which names are unknown, repeated or claimed twice is known before any row is looked at.
    return this.look(chooseColumns(this.table, options, () => undefined));
  }

  /** What of these columns may matter. */
  async look(roles: Roles): Promise<FirstSurvey> {
    const columns = [...columnsOf(roles), ...(roles.id ? [roles.id] : [])];
    for (const each of roles.protect) checkCuts(each);
    if (roles.weights) this.checkNumbers([roles.weights], () => "is text: weights are numbers above 0");
    const keys = keysOf(roles.protect, new Map());
    const survey = await this.scanner.survey({
      ...nothing,
      columns: [...new Set(columns.map(({ name }) => name))],
      distinct: roles.id ? [roles.id.name] : [],
      tallies: [...(keys ? [{ keys, most: mostCells }] : []), ...categories(roles)],
    });
    if (survey.rows === 0) throw new MoietyError("input", `${this.scanner.name} has no rows`);
    this.learn([...new Set(columns.map(({ name }) => name))], survey);
    this.table = { ...this.table, rows: survey.rows };
    return { keys: keys ?? [], survey };
  }

  /** The part of every column, as `preparePeople` gives it. */
  async roles(options: PeopleOptions): Promise<Roles> {
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
    for (const name of options.features === undefined ? await this.textIds() : [])
      likeness.set(name, "looks like an id");
    const roles = chooseColumns(this.table, options, ({ name }) => likeness.get(name));
    this.checkNumbers(roles.features, (name) => `is not numeric; use \`categorical: ${name}\` if it is a category`);
    for (const { name } of columnsOf(roles)) checkFiniteCells(name, this.extent(name).notFinite);
    return roles;
  }

  /** Columns that have to hold numbers; `why` says of one that does not what is wrong with it. */
  checkNumbers(columns: readonly Column[], why: (name: string) => string): void {
    for (const column of columns) {
      const { name, kind } = column;
      const { kind: held, spells } = this.named.get(name)!;
      if (kind !== "text" || held !== "text" || spells !== undefined) continue;
      checkDoubts([column]);
      const empty = this.table.rows > 0 && this.extent(name).missing === this.table.rows;
      const told = empty ? "has no values at all; leave it out" : why(name);
      throw new MoietyError("input", `column '${name}' ${told}`);
    }
  }

  /** The columns of texts that are named like ids and have no text twice. */
  private async textIds(): Promise<string[]> {
    const texts = this.table.columns.filter(({ kind, name }) => kind === "text" && isNamedLikeId(name));
    const names = texts.map(({ name }) => name);
    if (names.length === 0) return [];
    const { columns, distinct } = await this.scanner.survey({ ...nothing, columns: names, distinct: names });
    return names.filter((_, at) => distinct[at] > 0 && distinct[at] === columns[at].known);
  }

  /** Every person needs an id of their own; what its hash is made of. Where hashes decide nothing, any numbers will do. */
  id({ id }: Roles, survey: Survey, decides = true): ScanId {
    if (id === undefined) {
      if (this.scanner.numbered) return { kind: "row" };
      throw rowsWithoutNumbers(this.scanner);
    }
    const column = this.named.get(id.name)!;
    checkRepeated(id, survey.people - survey.distinct[0]);
    if (column.kind !== "numeric") return { kind: "text", column: id.name };
    const { whole, least, most } = this.extent(id.name);
    const isLarge = most >= largestWholeId || least <= -largestWholeId;
    if (isLarge && column.whole) return { kind: "text", column: id.name };
    if (!whole || isLarge) {
      if (!decides) return { kind: "text", column: id.name };
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
    weights?: ScanWeights,
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
      const asked = { ...nothing, complete, moments, ...(weights ? { weights } : {}) };
      const { people, moments: sums } = await this.scanner.survey(asked);
      if (people !== survey.people) throw changed(this.scanner);
      return sums.map(({ people, sum, squares }, at) => {
        // What weights add up to need not be exact: the nearest doubles are the same wherever people are.
        if (weights) return { people, ...fromSums(people, sum, squares, grids[at]) };
        if (Math.abs(sum) > Number.MAX_SAFE_INTEGER || squares > Number.MAX_SAFE_INTEGER) {
          throw new MoietyError("input", `column '${varying[at]}' has too many people for exact sums`);
        }
        return { people, ...fromSums(people, sum, squares, grids[at]) };
      });
    };
    const rough = await measure(reach.map(({ least, most }) => firstGrid(least, most)));
    const fine = await measure(
      reach.map(({ least, most }, at) => {
        return fineGrid(least, most, rough[at].mean, rough[at].people, weights ? firstSteps : undefined);
      }),
    );
    varying.forEach((name, at) => {
      const { least, most } = reach[at];
      found.set(name, { mean: fine[at].mean, deviation: Math.sqrt(fine[at].variance), min: least, max: most });
    });
    return found;
  }

  learn(names: readonly string[], { columns }: Survey): void {
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

/** What cannot be cut is refused before anything is asked of it. */
function checkCuts({ columns, cuts }: ProtectedColumns): void {
  columns.forEach((column, at) => {
    const cut = cuts[at];
    if (cut !== undefined && cut.kind !== "quantiles") groupedColumn(column, cut, new Uint32Array(0));
  });
}

/** Without rows: enough to choose by. */
function emptyColumn({ name, kind, spells, doubt }: ScannedColumn): Column {
  if (kind === "numeric") return { kind, name, values: new Float64Array(0), missing: 0, notFinite: 0 };
  const text = { kind: "text", name, codes: new Int32Array(0), levels: [], missing: 0 } as const;
  if (doubt === "marks") return { ...text, doubt };
  if (doubt) return { ...text, doubt: "cells", odd: doubt };
  const spelt = spells ?? (kind === "text" ? undefined : kind);
  return spelt === undefined ? text : { ...text, spells: spelt };
}

function columnsOf({ features, categorical, protect, weights }: Roles): Column[] {
  return [...features, ...categorical, ...protect.flatMap(({ columns }) => columns), ...(weights ? [weights] : [])];
}

function rowsWithoutNumbers({ name }: Pick<Scanner, "name">): MoietyError {
  return new MoietyError("usage", `the rows of ${name} have no order that stays: name their column with \`id\``);
}

export function changed({ name }: Pick<Scanner, "name">): MoietyError {
  return new MoietyError("failed", `${name} has changed while it was scanned: run again when nobody writes to it`);
}
