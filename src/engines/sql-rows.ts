import { MoietyError } from "../errors.js";
import type { WideSum } from "../kernels/wide-sums.js";
import type { AssignmentCounts } from "../parties/cheapest-clusters.js";
import type { GridPoints } from "../parties/grid-points.js";
import { sumsOfDue } from "../parties/memory-rows.js";
import { silhouetteUnit, type Thresholds } from "../parties/row-clusters.js";
import {
  type ClusterSums,
  type Combinations,
  type Enrolment,
  type Measurement,
  type PeopleElsewhere,
  type PeopleOnGrid,
  patternsOf,
  type RowPeople,
  type RowSpace,
} from "../parties/row-people.js";
import { type ColumnMoments, reachOf, scaledColumn } from "../parties/row-scaling.js";
import { prepareRows, type RowDimension, type SurveyedRows } from "../scans/prepare-rows.js";
import type { PeopleOptions } from "../table/types.js";
import { connectPeople } from "./connect.js";
import { sum } from "./expressions.js";
import {
  assignedQuery,
  belowQueries,
  costsQuery,
  nearestQuery,
  roundedEven,
  roundedUp,
  silhouetteQuery,
  transferredQuery,
} from "./row-queries.js";
import { changed } from "./sql-people.js";
import type { SqlScanner, SurveyedTable } from "./sql-scanner.js";
import { type WorkingTable, WorkingTables } from "./working-tables.js";

/** Columns that one query looks at: engines limit how many a query may answer with. */
const columnsAtOnce = 100;

/** Present clusters and those that are remembered are of no more measurements. */
const mostRecent = 4;

/** Smaller numbers are 0 on every grid, and too small for some engines' floats of 32 bits. */
const nothing = "1e-30";

/** How clusters came about: what checkpoints hold of them, and what they can be made from again. */
interface LabelsOrigin {
  /** Absent as long as everybody is in the first cluster. */
  readonly assigned?: { readonly measurement: Measurement; readonly offsets: Float64Array };
  readonly transfers: readonly { readonly measurement: Measurement; readonly thresholds: Thresholds }[];
}

interface LabelTable {
  readonly table: WorkingTable;
  readonly origin: LabelsOrigin;
}

interface Costs {
  readonly table: WorkingTable;
  readonly measurement: Measurement;
}

/** Everybody at the nearest of some centres. */
interface Placed extends ClusterSums {
  readonly table: WorkingTable;
  readonly centres: Float64Array;
}

interface NearCandidate {
  readonly placed: Placed;
  /** Where people were when the sums of some cells were last released: these are 1. */
  readonly released: readonly { readonly placed: Placed; readonly cells: Uint8Array }[];
}

interface SqlRowsState {
  readonly labels: LabelsOrigin;
  readonly remembered: readonly (readonly [string, LabelsOrigin])[];
  readonly candidates: readonly {
    readonly number: number;
    readonly centres: Float64Array;
    readonly released: readonly { readonly centres: Float64Array; readonly cells: Uint8Array }[];
  }[];
}

/** A site's people who stay in the engine that an address names: known by counts until a run holds them. */
export async function peopleInEngine(source: string, options: PeopleOptions): Promise<PeopleElsewhere> {
  const survey = async () => {
    const scanner = await connectPeople(source);
    try {
      return { scanner, rows: await prepareRows(scanner, options), table: scanner.surveyed };
    } catch (error) {
      await scanner.close();
      throw error;
    }
  };
  const { scanner, rows, table } = await survey();
  await scanner.close();
  const { n, dimensions, attributes, patterns } = rows;
  return {
    n,
    dimensions: dimensions.map(() => new Float64Array(0)),
    dimensionNames: dimensions.map(({ name }) => name),
    encodings: [],
    attributes,
    sourceRows: new Uint32Array(0),
    warnings: [],
    patterns: patterns.length,
    fingerprint: table.fingerprint,
    hold: async (combinations) => {
      const held = await survey();
      if (held.table.fingerprint === table.fingerprint) return new SqlRows(held.scanner, held.rows, combinations);
      await held.scanner.close();
      throw changed(table.engine);
    },
  };
}

/** Rows that stay in an engine: each question is one query over working tables, or a few. People are numbered in the order of their ids. */
export class SqlRows implements RowPeople {
  readonly n: number;
  private readonly surveyed: SurveyedTable;
  private readonly tables: WorkingTables;
  private enrolment: Enrolment | undefined;
  private space: RowSpace | undefined;
  private bits = Number.NaN;
  private k = 0;
  private grid: WorkingTable | undefined;
  private squares = 0;
  private costs: Costs | undefined;
  /** Costs that were lately planned: clusters at a checkpoint are often of the same. */
  private recent: readonly Costs[] = [];
  private present: LabelTable | undefined;
  private readonly candidates = new Map<number, NearCandidate>();
  private readonly remembered = new Map<string, LabelTable>();

  constructor(
    private readonly scanner: SqlScanner,
    private readonly rows: SurveyedRows,
    private readonly combinations: Combinations,
  ) {
    this.n = rows.n;
    this.surveyed = scanner.surveyed;
    this.tables = new WorkingTables(this.surveyed.engine);
  }

  get columns(): number {
    return this.kept.length;
  }

  get points(): GridPoints {
    throw new MoietyError("failed", "people who stay in a database are asked for sums alone");
  }

  countCombinations(): Float64Array {
    const counts = new Float64Array(this.combinations.count);
    this.rows.counts.forEach((people, pattern) => {
      counts[this.combinations.codes[pattern]] += people;
    });
    return counts;
  }

  enrol(enrolment: Enrolment): void {
    if (typeof enrolment.persons !== "number") throw new Error("people of a database are numbered one after another");
    this.enrolment = enrolment;
  }

  reach(): (readonly [number, number])[] {
    return this.kept.map(([dimension, j]) => {
      const values = extremes(dimension, this.n);
      const column =
        dimension.kind === "numeric" && dimension.single ? Float32Array.from(values) : Float64Array.from(values);
      return reachOf(this.space ? scaledColumn(column, j, this.space) : column);
    });
  }

  async moments(shift: Float64Array, step: Float64Array): Promise<ColumnMoments> {
    const { words, from } = this.surveyed;
    const double = this.dialect.types.double;
    const found = [shift, shift, shift].map(({ length }) => new Float64Array(length));
    for (let first = 0; first < this.columns; first += columnsAtOnce) {
      const part = this.kept.slice(first, first + columnsAtOnce);
      const values = part.map(([dimension, j], i) => `${this.value(dimension, j)} AS v${i}`);
      const steps = part.map(([dimension], i) => {
        return `(${this.single(dimension, `v${i}`)} - ${words.double(shift[first + i])}) / ${words.double(step[first + i])} AS z${i}`;
      });
      const wholes = part.map((_, i) => `${roundedUp(`z${i}`, double)} AS u${i}`);
      const sums = part.flatMap((_, i) => [`count(u${i})`, sum(`u${i}`), sum(`u${i} * u${i}`)]);
      const columns = await this.tables.ask(
        [],
        `SELECT ${sums.join(", ")} FROM ${this.over(wholes, this.over(steps, from(values)))}`,
        sums.length,
      );
      columns.forEach(([total], at) => {
        found[at % 3][first + Math.floor(at / 3)] = Number.isNaN(total) ? 0 : total;
      });
    }
    const [people, sums, squares] = found;
    return { people, sums, squares };
  }

  rescale(space: RowSpace): void {
    this.space = space;
    this.bits = Number.NaN;
  }

  async open(k: number, bits: number): Promise<WideSum> {
    this.k = k;
    this.candidates.clear();
    this.costs = undefined;
    if (this.bits !== bits) {
      this.remembered.clear();
      this.recent = [];
      this.grid = this.pointTable(bits);
      this.bits = bits;
      const { points } = this.dialect;
      const squares = this.kept.map((_, j) =>
        sum(`CAST(${points.coordinate(j)} AS BIGINT) * CAST(${points.coordinate(j)} AS BIGINT)`),
      );
      const totals = await this.tables.ask(
        [this.grid],
        `SELECT ${squares.join(", ")} FROM ${this.grid.name}`,
        squares.length,
      );
      this.squares = totals.reduce((all, [total]) => all + total, 0);
    }
    this.present = this.labelsFrom({ transfers: [] });
    await this.sweep();
    return [0, this.squares];
  }

  async place(number: number, centres: Float64Array): Promise<PeopleOnGrid> {
    const placed = await this.placeAt(centres);
    const released = this.candidates.get(number)?.released ?? [];
    this.candidates.set(number, { placed, released });
    const moved = placed.counts.slice();
    for (const { placed: before, cells } of released) {
      // Whoever is in a cell and was: counted once among those who are, and once among those who were.
      const [both, people] = await this.tables.ask(
        [placed.table, before.table],
        `SELECT now.cell, count(*) FROM ${placed.table.name} AS now JOIN ${before.table.name} AS released ` +
          "ON now.person = released.person AND now.cell = released.cell GROUP BY now.cell",
        2,
      );
      cells.forEach((due, cell) => {
        if (due !== 0) moved[cell] += before.counts[cell];
      });
      both.forEach((cell, row) => {
        if (cells[cell] !== 0) moved[cell] -= 2 * people[row];
      });
    }
    await this.sweep();
    let cost = this.squares;
    centres.forEach((centre, at) => {
      cost += centre * (placed.counts[Math.floor(at / this.columns)] * centre - 2 * placed.sums[at]);
    });
    return { moved, people: placed.counts, cost: [0, cost] };
  }

  release(number: number, due: Uint8Array): ClusterSums {
    const { placed, released } = this.candidates.get(number)!;
    const others = released
      .map((each) => ({ ...each, cells: each.cells.map((own, cell) => (due[cell] === 0 ? own : 0)) }))
      .filter(({ cells }) => cells.includes(1));
    const cells = due.map((each) => (each === 0 ? 0 : 1));
    this.candidates.set(number, { placed, released: [...others, { placed, cells }] });
    return sumsOfDue(placed, due);
  }

  async measure(measurement: Measurement): Promise<void> {
    this.costs = this.costsOf(measurement);
    await this.sweep();
  }

  async assign(offsets: Float64Array): Promise<AssignmentCounts> {
    await this.settle(offsets);
    const { k } = this;
    const { table } = this.costs!;
    const assigned = assignedQuery(this.dialect, table.name, offsets, k);
    const [patterns, clusters, people, costs] = await this.tables.ask(
      [table],
      `SELECT pattern, cluster, count(*), ${sum("cost")} FROM (${assigned}) AS assigned GROUP BY pattern, cluster`,
      4,
    );
    const counts = new Float64Array(offsets.length);
    patterns.forEach((pattern, row) => {
      counts[pattern * k + clusters[row]] = people[row];
    });
    return {
      counts,
      cost: Float64Array.of(
        0,
        costs.reduce((all, each) => all + each, 0),
      ),
    };
  }

  /** Their table is made when somebody asks about it: a search for prices assigns again and again. */
  async settle(offsets: Float64Array): Promise<void> {
    const { measurement } = this.costs!;
    this.present = this.labelsFrom({ assigned: { measurement, offsets }, transfers: [] });
  }

  async below(thresholds: Thresholds): Promise<Float64Array> {
    const { table: labels } = this.present!;
    const { table: costs } = this.costs!;
    const counts = new Float64Array(thresholds.gaps.length);
    const width = counts.length / Math.max(1, thresholds.moves.length);
    for (const { sql, moves } of belowQueries(this.dialect, costs.name, labels.name, thresholds, this.k)) {
      const [cells, steps, people] = await this.tables.ask([costs, labels], sql, 3);
      cells.forEach((cell, row) => {
        if (steps[row] < width) counts[moves.get(cell)! * width + steps[row]] = people[row];
      });
    }
    for (let at = 0; at < counts.length; at++) if (at % width > 0) counts[at] += counts[at - 1];
    return counts;
  }

  async transfer(thresholds: Thresholds): Promise<void> {
    const { measurement } = this.costs!;
    const { origin } = this.present!;
    this.present = this.transferred(this.present!, { measurement, thresholds }, origin);
    // Made at once: what it is made from is not needed any more then.
    await this.tables.prepare([this.present.table]);
    await this.sweep();
  }

  gather(): Promise<ClusterSums> {
    return this.sumsBy(this.present!.table, "cluster", this.k);
  }

  async silhouette(sizes: Float64Array): Promise<number> {
    if (!sizes.some((size) => size > 1) || sizes.filter((size) => size > 0).length < 2) return 0;
    const { table: labels } = this.present!;
    const { table: costs } = this.costs!;
    const sql = silhouetteQuery(this.dialect, costs.name, labels.name, sizes, silhouetteUnit);
    const [[total]] = await this.tables.ask([costs, labels], sql, 1);
    return total;
  }

  async countClusters(): Promise<Float64Array> {
    const { table } = this.present!;
    const [patterns, clusters, people] = await this.tables.ask(
      [table],
      `SELECT pattern, cluster, count(*) FROM ${table.name} GROUP BY pattern, cluster`,
      3,
    );
    const counts = new Float64Array(this.enrolment!.occurring.length * this.k);
    patterns.forEach((pattern, row) => {
      counts[pattern * this.k + clusters[row]] = people[row];
    });
    return counts;
  }

  remember(slot: string): void {
    this.remembered.set(slot, this.present!);
  }

  remembers(slot: string): boolean {
    return this.remembered.has(slot);
  }

  recall(slot: string): void {
    this.present = this.remembered.get(slot)!;
  }

  get labels(): Promise<Uint16Array> {
    const { table } = this.present!;
    const labels = new Uint16Array(this.n);
    const sql = `SELECT cluster FROM ${table.name} ORDER BY person`;
    return this.tables.read(table, sql, "number", this.n, labels).then(() => labels);
  }

  /** Sums of digests of person and cluster: whatever order an engine adds them in. */
  async labelsMark(): Promise<ArrayBufferView> {
    const { table } = this.present!;
    const { asText, digest, divide } = this.dialect;
    const digests = `SELECT ${digest(`${asText("person")} || ' ' || ${asText("cluster")}`)} AS d FROM ${table.name}`;
    const [low, middle, high] = ["d % 262144", `${divide("d", 2 ** 18)} % 262144`, divide("d", 2 ** 36)].map(sum);
    const sums = await this.tables.ask([table], `SELECT ${low}, ${middle}, ${high} FROM (${digests}) AS digests`, 3);
    return Float64Array.from(sums, ([total]) => total);
  }

  async ids(): Promise<string[]> {
    const table = this.grid!;
    const ids: string[] = [];
    await this.tables.read(
      table,
      `SELECT ${this.idText("id")} FROM ${table.name} ORDER BY person`,
      "text",
      this.n,
      ids,
    );
    return ids;
  }

  save(): SqlRowsState {
    return {
      labels: this.present?.origin ?? { transfers: [] },
      remembered: Array.from(this.remembered, ([slot, { origin }]) => [slot, origin]),
      candidates: Array.from(this.candidates, ([number, { placed, released }]) => ({
        number,
        centres: placed.centres,
        released: released.map((each) => ({ centres: each.placed.centres, cells: each.cells })),
      })),
    };
  }

  async restore({ labels, remembered, candidates }: SqlRowsState): Promise<void> {
    this.present = this.labelsFrom(labels);
    for (const [slot, origin] of remembered) this.remembered.set(slot, this.labelsFrom(origin));
    for (const { number, centres, released } of candidates) {
      const before: NearCandidate["released"][number][] = [];
      for (const each of released) before.push({ placed: await this.placeAt(each.centres), cells: each.cells });
      this.candidates.set(number, { placed: await this.placeAt(centres), released: before });
    }
  }

  async close(): Promise<void> {
    await this.tables.dropAll();
    await this.scanner.close();
  }

  private get dialect() {
    return this.surveyed.engine.dialect;
  }

  /** The dimensions that were not left out, with their places among all. */
  private get kept(): (readonly [RowDimension, number])[] {
    return this.rows.dimensions.flatMap((dimension, j) => (this.space?.kept[j] === 0 ? [] : [[dimension, j] as const]));
  }

  private idText(column: string): string {
    return this.dialect.asText(this.rows.id.kind === "number" ? `CAST(${column} AS BIGINT)` : column);
  }

  /** Selects these expressions from a table of a query. */
  private over(expressions: readonly string[], from: string): string {
    return `(SELECT ${expressions.join(", ")} FROM ${from}${this.dialect.fence}) AS looked`;
  }

  /** A column's number in the present space, before it is rounded to what the source's type holds. */
  private value(dimension: RowDimension, j: number): string {
    const { words } = this.surveyed;
    const raw =
      dimension.kind === "numeric"
        ? words.number(dimension.column)
        : `CASE WHEN ${words.is(words.value(dimension.column), dimension.level)} THEN ${words.double(dimension.weight)} ELSE ${words.double(0)} END`;
    if (!this.space) return raw;
    const { shift, scale, mean } = this.space;
    return `(COALESCE(${raw}, ${words.double(mean[j])}) - ${words.double(shift[j])}) / ${words.double(scale[j])}`;
  }

  private single(dimension: RowDimension, expression: string): string {
    return dimension.kind === "numeric" && dimension.single ? this.rounded32(expression) : expression;
  }

  /** As a float of 32 bits. */
  private rounded32(expression: string): string {
    const { words } = this.surveyed;
    const { double } = this.dialect.types;
    return `CASE WHEN abs(${expression}) < ${words.double(Number(nothing))} THEN ${words.double(0)} ELSE CAST(CAST(${expression} AS REAL) AS ${double}) END`;
  }

  /** Everybody's number, id, pattern and whole coordinates. */
  private pointTable(bits: number): WorkingTable {
    const { engine, words, mark, fingerprint, from } = this.surveyed;
    const { points, quote, types } = this.dialect;
    const { keys, patterns, id } = this.rows;
    const { persons, occurring } = this.enrolment!;
    const column = quote(id.column);
    // As ids in a file are ordered, also those that are numbers: by their text.
    const order = this.idText(column);
    const about = ["id", "person", "mark", "combination"];
    const values = from([
      ...[`${column} AS id`, `row_number() OVER (ORDER BY ${order}) AS person`, `${mark} AS mark`],
      `${words.combination(keys, patterns)} AS combination`,
      ...this.kept.map(([dimension, j], i) => `${this.value(dimension, j)} AS v${i}`),
    ]);
    // Coordinates are kept in single precision before they are rounded, as the kernels keep them.
    const singles = this.kept.map((_, i) => `${this.rounded32(`v${i}`)} * ${words.double(2 ** bits)} AS z${i}`);
    const wholes = this.kept.map((_, i) => `${roundedEven(`z${i}`, types.double)} AS y${i}`);
    const coordinates = this.over([...about, ...wholes], this.over([...about, ...singles], values));
    const numbers = words.patterns(keys, patterns, patternsOf(this.combinations, occurring));
    const point = points.store(this.kept.map((_, i) => `y${i}`));
    const stored =
      `SELECT id, person + ${Number(persons) - 1} AS person, mark, pattern, ${point} FROM ${coordinates} ` +
      `LEFT JOIN ${numbers} ON combination = coded`;
    const held = points.columns(this.columns).join(", ");
    const squared = `SELECT id, person, mark, pattern, ${held}, ${points.square(this.columns)} AS square FROM (${stored}) AS stored`;
    return this.tables.plan("points", [], squared, async (name) => {
      const [[people], [known], [marks]] = await this.tables.ask(
        [],
        `SELECT count(*), count(pattern), ${sum("mark")} FROM ${name}`,
        3,
      );
      if (people !== this.n || known !== this.n || `${people} ${marks}` !== fingerprint) throw changed(engine);
    });
  }

  private costsOf(measurement: Measurement): Costs {
    const known = this.recent.find((each) => isSame(each.measurement, measurement));
    if (known) return known;
    const grid = this.grid!;
    const query = costsQuery(this.dialect, grid.name, measurement, this.columns);
    const costs = { table: this.tables.plan("costs", [grid], query), measurement };
    this.recent = [costs, ...this.recent].slice(0, mostRecent);
    return costs;
  }

  private labelsFrom(origin: LabelsOrigin): LabelTable {
    const { assigned, transfers } = origin;
    const grid = this.grid!;
    if (!assigned && transfers.length === 0) {
      const query = `SELECT person, pattern, 0 AS cluster FROM ${grid.name}`;
      return { table: this.tables.plan("labels", [grid], query), origin };
    }
    if (transfers.length === 0) {
      const { table: costs } = this.costsOf(assigned!.measurement);
      const query = `SELECT person, pattern, cluster FROM (${assignedQuery(this.dialect, costs.name, assigned!.offsets, this.k)}) AS assigned`;
      return { table: this.tables.plan("labels", [costs], query), origin };
    }
    const before = { ...origin, transfers: transfers.slice(0, -1) };
    return this.transferred(this.labelsFrom(before), transfers[transfers.length - 1], before);
  }

  private transferred(
    before: LabelTable,
    transfer: LabelsOrigin["transfers"][number],
    origin: LabelsOrigin,
  ): LabelTable {
    const { table: costs } = this.costsOf(transfer.measurement);
    const query = transferredQuery(this.dialect, costs.name, before.table.name, transfer.thresholds, this.k);
    return {
      table: this.tables.plan("labels", [costs, before.table], query),
      origin: { ...origin, transfers: [...origin.transfers, transfer] },
    };
  }

  private async placeAt(centres: Float64Array): Promise<Placed> {
    const grid = this.grid!;
    const query = nearestQuery(this.dialect, grid.name, centres, this.columns);
    const table = this.tables.plan("placed", [grid], query);
    return { table, centres, ...(await this.sumsBy(table, "cell", centres.length / this.columns)) };
  }

  /** People and sums of coordinates by a column of a table of persons. */
  private async sumsBy(table: WorkingTable, by: string, groups: number): Promise<ClusterSums> {
    const { points } = this.dialect;
    const grid = this.grid!;
    const sums = this.kept.map((_, j) => sum(points.coordinate(j)));
    const columns = await this.tables.ask(
      [table, grid],
      `SELECT ${by}, count(*), ${sums.join(", ")} FROM ${grid.name} AS points JOIN ${table.name} AS grouped ` +
        `ON points.person = grouped.person GROUP BY ${by}`,
      2 + sums.length,
    );
    const [places, people, ...totals] = columns;
    const found = { counts: new Float64Array(groups), sums: new Float64Array(groups * this.columns) };
    places.forEach((place, row) => {
      found.counts[place] = people[row];
      totals.forEach((column, j) => {
        found.sums[place * this.columns + j] = column[row];
      });
    });
    return found;
  }

  /** Drops the tables that nothing can ask about any more. */
  private async sweep(): Promise<void> {
    await this.tables.keep([
      ...(this.grid ? [this.grid] : []),
      ...(this.costs ? [this.costs.table] : []),
      ...(this.present ? [this.present.table] : []),
      ...Array.from(this.remembered.values(), ({ table }) => table),
      ...Array.from(this.candidates.values()).flatMap(({ placed, released }) => [
        placed.table,
        ...released.map((each) => each.placed.table),
      ]),
    ]);
  }
}

function isSame(one: Measurement, other: Measurement): boolean {
  return (
    one.jitter === other.jitter &&
    one.centres.length === other.centres.length &&
    one.centres.every((x, at) => x === other.centres[at])
  );
}

/** The least and the largest value of a column, and a missing one where some are. */
function extremes(dimension: RowDimension, n: number): number[] {
  if (dimension.kind === "level") {
    const { people, weight } = dimension;
    return [...(people > 0 ? [weight] : []), ...(people < n ? [0] : [])];
  }
  const { least, most, known, missing } = dimension;
  return [...(known > 0 ? [least, most] : []), ...(missing > 0 ? [Number.NaN] : [])];
}
