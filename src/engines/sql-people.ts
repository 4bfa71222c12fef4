import { MoietyError } from "../errors.js";
import { checkClusters } from "../scans/checks.js";
import {
  jitterFactor,
  type LabelSink,
  type SampledPoints,
  type ScanBorder,
  type ScanDecision,
  type ScanMovers,
  type ScannedPeople,
  type ScannedScores,
  type ScanSpace,
  type ScanSums,
  type ScanWidths,
} from "../scans/scanner.js";
import { nameParts } from "./address.js";
import { again } from "./again.js";
import { whole } from "./dialect.js";
import { type AnswerKind, type Batch, readAll, type SqlEngine } from "./engine.js";
import { sum } from "./expressions.js";
import { clusterNames, least, maskOf } from "./row-queries.js";

/** A table of points that a scanner has made in its engine. */
export interface PointTable {
  readonly engine: SqlEngine;
  readonly name: string;
  readonly space: ScanSpace;
  /** Makes it, once more where the connection was lost. */
  readonly create: () => Promise<void>;
  readonly drop: () => Promise<void>;
  /** The sum of the rows' hashes when they were surveyed, if they were. */
  readonly mark?: number;
}

/** Facts of the points, found in one scan. */
interface PointTableFacts {
  readonly people: number;
  readonly counts: Float64Array;
  readonly squares: readonly [number, number];
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly mark: number;
}

/** The step between the whole numbers of |x|^2 that are added up, and their remainders. */
const squareStep = 2 ** 20;
/** 2^31 - 1: what hashes are reduced by for jitter. */
const jitterPrime = 2_147_483_647;
/** No gap between scores is wider. */
const widest = 2 ** 53;

/** Points in a working table of an engine. Each question is one query over it. */
export class SqlPeople implements ScannedPeople {
  readonly people: number;
  readonly counts: Float64Array;
  readonly squares: readonly [number, number];
  readonly least: Float64Array;
  readonly most: Float64Array;
  private readonly dims: number;

  private constructor(
    private readonly table: PointTable,
    private readonly facts: PointTableFacts,
  ) {
    const { counts, squares, least, most } = facts;
    this.counts = counts;
    this.squares = squares;
    this.least = least;
    this.most = most;
    this.people = facts.people;
    this.dims = table.space.dimensions.length;
  }

  static async open(table: PointTable): Promise<SqlPeople> {
    await table.create();
    const facts = await factsOf(table);
    if (table.mark !== undefined && table.mark !== facts.mark) throw changed(table.engine);
    return new SqlPeople(table, facts);
  }

  async sample(below: number): Promise<SampledPoints> {
    const { points } = this.dialect;
    const coordinates = Array.from({ length: this.dims }, (_, j) => points.coordinate(j));
    const { rows, columns } = await this.numbers(
      `SELECT ${[...this.facing, ...coordinates].join(", ")} FROM ${this.table.name} WHERE hash < ${below}`,
      this.facing.length + this.dims,
    );
    return { ...this.named(columns), points: Int32Array.from(rowsOf(rows, columns.slice(this.facing.length))) };
  }

  async scores(below: number, decision: Pick<ScanDecision, "centres" | "jitter">): Promise<ScannedScores> {
    const scores = this.scoresOf(decision);
    const { rows, columns } = await this.numbers(
      `SELECT ${[...this.facing, ...scores].join(", ")} FROM ${this.table.name} WHERE hash < ${below}`,
      this.facing.length + scores.length,
    );
    return { ...this.named(columns), scores: rowsOf(rows, columns.slice(this.facing.length)) };
  }

  async border(decision: ScanDecision, widths: ScanWidths): Promise<ScanBorder> {
    const { k } = decision;
    const mask = maskOf(k);
    const names = clusterNames("s", k);
    // Numbers of clusters in the lowest bits do not count. The best cluster is always within its own width.
    const within = clusterNames("t", k).map((t, m) => `CAST(${t} <= highest + w${m} AS INTEGER)`);
    const cells = Array.from(widths.whole.keys()).filter((cell) => widths.whole[cell] === 1);
    const wanted = cells.length === 0 ? "" : ` OR pattern * ${k} + (best & ${mask}) IN (${cells.join(", ")})`;
    const { facing, weighed } = this;
    const decided =
      `(SELECT ${[...facing, ...names].join(", ")}, best & ${mask} AS cluster, (${within.join(" + ")} > 1${wanted}) AS near FROM ` +
      `(SELECT *, best | ${mask} AS highest FROM ${this.decided(decision, facing, widths)}${this.dialect.fence}) AS bounded) AS decided`;
    const { columns } = await this.numbers(
      `SELECT CASE WHEN near THEN hash END AS hash, pattern, cluster, count(*), ${[weighed, ...names.map((s) => `max(${s})`)].join(", ")} ` +
        `FROM ${decided} GROUP BY 1, 2, 3`,
      5 + k,
    );
    const [hashes, patterns, clusters, counted, weights] = columns;
    const counts = new Float64Array(decision.offsets.length);
    const near = new Uint32Array(hashes.length);
    let people = 0;
    let shared = false;
    hashes.forEach((hash, row) => {
      if (Number.isNaN(hash)) counts[patterns[row] * k + clusters[row]] += weights[row];
      else {
        near[people++] = row;
        shared ||= counted[row] > 1;
      }
    });
    if (!shared) {
      const told = [hashes, patterns, ...(facing.length > 2 ? [weights] : []), ...columns.slice(5)];
      const chosen = told.map((column) => picked(column, near.subarray(0, people)));
      return { ...this.named(chosen), scores: rowsOf(people, chosen.slice(facing.length)), counts };
    }
    // Two people at the border share a hash, as may happen among many with ids of text: they are asked for one by one.
    const asked = [...facing, ...names];
    const each = await this.numbers(`SELECT ${asked.join(", ")} FROM ${decided} WHERE near`, asked.length);
    return { ...this.named(each.columns), scores: rowsOf(each.rows, each.columns.slice(facing.length)), counts };
  }

  async sums(decision: ScanDecision, movers: ScanMovers): Promise<ScanSums> {
    const { k } = decision;
    const { points } = this.dialect;
    const held = points.columns(this.dims);
    const weight = this.facing.slice(2);
    const times = weight.map((name) => `${name} * `).join("");
    const sums = Array.from({ length: this.dims }, (_, j) => sum(times + points.coordinate(j)));
    const { columns } = await this.numbers(
      `SELECT pattern, cluster, count(*), ${[this.weighed, ...sums].join(", ")} FROM ` +
        `${this.settled(decision, movers, ["pattern", ...weight, ...held])} GROUP BY pattern, cluster`,
      4 + this.dims,
    );
    const [patterns, clusters, counted, weights, ...coordinates] = columns;
    const counts = new Float64Array(decision.offsets.length);
    const people = new Float64Array(k);
    const totals = new Float64Array(k * this.dims);
    patterns.forEach((pattern, row) => {
      people[clusters[row]] += counted[row];
      counts[pattern * k + clusters[row]] += weights[row];
      coordinates.forEach((column, j) => {
        totals[clusters[row] * this.dims + j] += column[row];
      });
    });
    return { people, counts, sums: totals };
  }

  async labels(decision: ScanDecision, movers: ScanMovers, sink: LabelSink): Promise<Float64Array> {
    const { engine, space } = this.table;
    const { asText } = engine.dialect;
    if (sink.table !== undefined) return this.writeTable(decision, movers, sink.table);
    const id = space.id.kind === "number" ? "CAST(id AS BIGINT)" : asText("id");
    // In one order whatever the engine: a connection that is lost meanwhile goes on behind whoever has been told.
    const query = `SELECT ${asText(id)}, cluster FROM ${this.settled(decision, movers, ["id"])} ORDER BY ${id}`;
    const sizes = new Float64Array(decision.k);
    let told = 0;
    await this.again(async () => {
      let read = 0;
      for await (const { rows, columns } of engine.read(query, ["text", "number"], this.people)) {
        const known = Math.min(rows, told - read);
        read += rows;
        if (known === rows) continue;
        const clusters = Uint16Array.from((columns[1] as Float64Array).subarray(known));
        for (const cluster of clusters) sizes[cluster]++;
        await sink.write({ ids: (columns[0] as readonly string[]).slice(known), clusters });
        told = read;
      }
    });
    return sizes;
  }

  /** Labels in a table of the engine's own, which is gone again where it is not whole. */
  private async writeTable(decision: ScanDecision, movers: ScanMovers, table: string): Promise<Float64Array> {
    const { engine, space } = this.table;
    const { quote } = engine.dialect;
    const name = nameParts(table).map(quote).join(".");
    const id = space.id.kind === "row" ? "id" : space.id.column;
    const columns = `id AS ${quote(id)}, CAST(cluster AS INTEGER) AS cluster`;
    const settled = this.settled(decision, movers, ["id"]);
    try {
      await this.again(() => engine.run(`CREATE TABLE ${name} AS SELECT ${columns} FROM ${settled}`));
      const counted = await this.numbers(`SELECT cluster, count(*) FROM ${name} GROUP BY cluster`, 2);
      const sizes = new Float64Array(decision.k);
      counted.columns[0].forEach((cluster, row) => {
        sizes[cluster] = counted.columns[1][row];
      });
      return sizes;
    } catch (error) {
      await engine.run(`DROP TABLE IF EXISTS ${name}`).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.table.drop();
  }

  private get dialect() {
    return this.table.engine.dialect;
  }

  /** The columns that say who somebody is among others, see `named`. */
  private get facing(): readonly string[] {
    return ["hash", "pattern", ...(this.table.space.weights ? ["weight"] : [])];
  }

  /** What people count for together. */
  private get weighed(): string {
    return weighedIn(this.table);
  }

  private named(columns: readonly Float64Array[]): Pick<ScannedScores, "hashes" | "patterns" | "weights"> {
    const [hashes, patterns, weights] = columns;
    return { hashes, patterns: Uint16Array.from(patterns), ...(this.table.space.weights ? { weights } : {}) };
  }

  /** The score of each cluster as select expressions, all less |c_0|^2 - 2 x c_0: one product less for each person. */
  private scoresOf({ centres, jitter }: Pick<ScanDecision, "centres" | "jitter">): string[] {
    const { dims } = this;
    const first = centres.subarray(0, dims);
    return Array.from({ length: centres.length / dims }, (_, m) => {
      const centre = centres.subarray(m * dims, (m + 1) * dims);
      const square = centre.reduce((total, c, j) => total + c * c - first[j] * first[j], 0);
      const factors = centre.map((c, j) => (c === first[j] ? 0 : 2 * (first[j] - c)));
      const score = m === 0 ? whole(0) : `${whole(square)} + ${this.dialect.points.dot(factors)}`;
      if (jitter === 0) return `${score} AS s${m}`;
      return `${score} + jitter * ${jitterFactor(m)} % ${jitterPrime} % ${jitter} AS s${m}`;
    });
  }

  /**
   * Everybody with `kept`, pattern, widths w0.., scores s0.., priced scores t0.. and `best`, the least of these. A priced score holds
   * its cluster in its lowest bits, so that the least one also says whose it is, and that ties go to the lowest.
   */
  private decided(decision: ScanDecision, kept: readonly string[], widths?: ScanWidths): string {
    const { k, offsets } = decision;
    checkClusters(k, "in-engine");
    const { fence } = this.dialect;
    const columns = [...new Set([...kept, "pattern"])];
    const [scores, priced] = [clusterNames("s", k), clusterNames("t", k)];
    const prices = clusterNames("o", k);
    const step = maskOf(k) + 1;
    const reach = widths === undefined ? [] : clusterNames("w", k);
    const rows = Array.from(this.counts, (_, pattern) => {
      const own = Array.from(
        offsets.subarray(pattern * k, (pattern + 1) * k),
        (each, m) => times(each, step) + BigInt(m),
      );
      const line = widths?.reach.subarray(pattern * k, (pattern + 1) * k) ?? [];
      const reached = Array.from(line, (width) => times(Math.min(widest, Math.floor(width)), step));
      return `(${[pattern, ...own, ...reached].join(", ")})`;
    });
    const scored = `(SELECT ${[...columns, ...this.scoresOf(decision)].join(", ")} FROM ${this.table.name}${fence}) AS scored`;
    const priceTable = `(VALUES ${rows.join(", ")}) AS prices(priced, ${[...prices, ...reach].join(", ")})`;
    const shown = [...columns, ...scores];
    const ask = (asked: readonly string[], from: string, name: string) =>
      `(SELECT ${asked.join(", ")} FROM ${from}${fence}) AS ${name}`;
    const join = `${scored} JOIN ${priceTable} ON pattern = priced`;
    const withPrices = priced.map((t, m) => `${scores[m]} * ${step} + ${prices[m]} AS ${t}`);
    const compared = ask([...shown, ...reach, ...withPrices], join, "compared");
    return ask([...shown, ...reach, ...priced, `${least(priced)} AS best`], compared, "decided");
  }

  /** Everybody with `kept` and their cluster, movers with theirs. */
  private settled(decision: ScanDecision, { hashes, clusters }: ScanMovers, kept: readonly string[]): string {
    const decided = this.decided(decision, hashes.length === 0 ? kept : [...kept, "hash"]);
    const mask = maskOf(decision.k);
    if (hashes.length === 0) return `(SELECT ${kept.join(", ")}, best & ${mask} AS cluster FROM ${decided}) AS settled`;
    const rows = Array.from(hashes, (hash, at) => `(${whole(hash)}, ${clusters[at]})`);
    const moved = `(VALUES ${rows.join(", ")}) AS moved(mover, goes)`;
    const cluster = `COALESCE(goes, best & ${mask}) AS cluster`;
    return `(SELECT ${kept.join(", ")}, ${cluster} FROM ${decided} LEFT JOIN ${moved} ON hash = mover) AS settled`;
  }

  private async numbers(sql: string, columns: number): Promise<NumberBatch> {
    const kinds = Array.from({ length: columns }, (): AnswerKind => "number");
    return (await this.again(() => readAll(this.table.engine, sql, kinds))) as NumberBatch;
  }

  /** A connection that was lost took the points with it: they are made again, and the question is asked once more. */
  private async again<T>(work: () => Promise<T>): Promise<T> {
    const { engine } = this.table;
    return again(engine, work, async () => {
      await this.table.create();
      const { counts, squares, mark } = await factsOf(this.table);
      const same = mark === this.facts.mark && squares.every((part, i) => part === this.squares[i]);
      if (!same || !counts.every((count, pattern) => count === this.counts[pattern])) throw changed(engine);
    });
  }
}

type NumberBatch = Omit<Batch, "columns"> & { readonly columns: readonly Float64Array[] };

export function changed({ name }: SqlEngine): MoietyError {
  return new MoietyError(
    "failed",
    `the table in ${name} has changed since the run began: nothing was written; run again`,
  );
}

async function factsOf(table: PointTable): Promise<PointTableFacts> {
  const { engine, name, space } = table;
  const { divide, points } = engine.dialect;
  const dims = space.dimensions.length;
  const coordinates = Array.from({ length: dims }, (_, j) => points.coordinate(j));
  const times = space.weights ? "weight * " : "";
  const squares = [divide("square", squareStep), `(square % ${squareStep})`].map((part) => sum(times + part));
  const facts = [weighedIn(table), ...squares, sum("mark"), "count(*)"];
  const held = [...(space.weights ? ["weight"] : []), ...points.columns(dims)].join(", ");
  const { rows, columns } = (await readAll(
    engine,
    `SELECT pattern, ${[...facts, ...coordinates.flatMap((x) => [`min(${x})`, `max(${x})`])].join(", ")} ` +
      `FROM (SELECT pattern, mark, ${held}, ${points.square(dims)} AS square FROM ${name}${engine.dialect.fence}) AS squared GROUP BY pattern`,
    Array.from({ length: 6 + 2 * dims }, () => "number"),
  )) as NumberBatch;
  const counts = new Float64Array(space.patterns.length);
  const total = (column: Float64Array) => column.reduce((all, each) => all + each, 0);
  for (let row = 0; row < rows; row++) {
    // Somebody has a combination of groups that was not there before.
    if (Number.isNaN(columns[0][row])) throw changed(engine);
    counts[columns[0][row]] = columns[1][row];
  }
  const reach = (from: number, pick: (a: number, b: number) => number, start: number) =>
    Float64Array.from({ length: dims }, (_, j) => columns[from + 2 * j].reduce(pick, start));
  return {
    people: total(columns[5]),
    counts,
    squares: [total(columns[2]), total(columns[3])],
    least: reach(6, (a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    most: reach(7, (a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    mark: total(columns[4]),
  };
}

function times(value: number, step: number): bigint {
  return BigInt(value) * BigInt(step);
}

/** What people count for together. */
function weighedIn({ space }: Pick<PointTable, "space">): string {
  return space.weights ? sum("weight") : "count(*)";
}

function picked(column: Float64Array, rows: Uint32Array): Float64Array {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = column[rows[i]];
  return values;
}

/** Columns as rows, one after another. */
function rowsOf(rows: number, columns: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(rows * columns.length);
  columns.forEach((column, j) => {
    for (let i = 0; i < rows; i++) whole[i * columns.length + j] = column[i];
  });
  return whole;
}
