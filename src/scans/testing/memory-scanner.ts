import { createHash } from "node:crypto";
import { MoietyError } from "../../errors.js";
import { kindOf } from "../../table/levels.js";
import { dateIn } from "../../table/spelling.js";
import type { Column, Table } from "../../table/types.js";
import type {
  ColumnExtent,
  LabelSink,
  SampledPoints,
  ScanBorder,
  ScanDecision,
  ScanDimension,
  ScanMovers,
  ScannedColumn,
  ScannedPeople,
  ScannedScores,
  ScannedValue,
  Scanner,
  ScanSpace,
  ScanSums,
  ScanWeights,
  ScanWidths,
  Survey,
  SurveyRequest,
  Tallied,
  TallyKey,
  TallyRequest,
} from "../scanner.js";
import { jitterOf, wholeHash } from "../scanner.js";

const labelledAtOnce = 1000;

/** The meaning of every question, in the plainest code: over a table in memory, row by row. */
export class MemoryScanner implements Scanner {
  readonly name = "the table";
  readonly method = "streamed";
  readonly numbered = true;
  /** Scans that were made. */
  scans = 0;

  constructor(private readonly table: Table) {}

  async columns(): Promise<ScannedColumn[]> {
    return this.table.columns.map((column) => ({
      name: column.name,
      kind: kindOf(column),
      ...(column.kind === "numeric" && column.values instanceof Float32Array ? { single: true } : {}),
    }));
  }

  async survey(request: SurveyRequest): Promise<Survey> {
    this.scans++;
    const isPerson = this.people(request.complete);
    const rows = this.rows();
    const people = rows.filter(isPerson);
    return {
      rows: rows.length,
      people: people.length,
      columns: request.columns.map((name) => this.extent(name, rows, people)),
      distinct: request.distinct.map((name) => {
        const values = people.map((row) => this.value(name, row)).filter((value) => value !== null);
        return new Set(values).size;
      }),
      tallies: request.tallies.map((tally) => this.tally(tally, isPerson, request.weights)),
      moments: request.moments.map(({ column, shift, step }) => {
        const known = people.filter((row) => !Number.isNaN(this.number(column, row)));
        const [weights, us] = [
          known.map((row) => BigInt(this.weight(request.weights, row))),
          known.map((row) => BigInt(Math.floor((this.number(column, row) - shift) / step + 0.5))),
        ];
        const total = (of: (u: bigint) => bigint) => Number(us.reduce((all, u, i) => all + weights[i] * of(u), 0n));
        return { people: total(() => 1n), sum: total((u) => u), squares: total((u) => u * u) };
      }),
    };
  }

  async open(space: ScanSpace): Promise<ScannedPeople> {
    this.scans++;
    const placeOf = new Map(space.patterns.map((values, pattern) => [JSON.stringify(values), pattern]));
    const people = this.rows()
      .filter(this.people(space.complete))
      .map((row): Person => {
        const pattern = placeOf.get(JSON.stringify(space.keys.map((key) => this.keyed(key, row))));
        if (pattern === undefined) throw new MoietyError("input", "the table has changed since it was first looked at");
        const point = space.dimensions.map((dimension) => this.coordinate(dimension, row));
        const weight = this.weight(space.weights, row);
        return { id: this.id(space, row), hash: this.hash(space, row), pattern, weight, point };
      });
    return new MemoryPeople(people, space, () => {
      this.scans++;
    });
  }

  async close(): Promise<void> {}

  private rows(): number[] {
    return Array.from({ length: this.table.rows }, (_, row) => row);
  }

  private people(complete: readonly string[]): (row: number) => boolean {
    return (row) => complete.every((name) => this.value(name, row) !== null);
  }

  private column(name: string): Column {
    const column = this.table.columns.find((each) => each.name === name);
    if (column === undefined) throw new Error(`no column ${name}`);
    return column;
  }

  private value(name: string, row: number): ScannedValue {
    const column = this.column(name);
    if (column.kind === "text") return column.codes[row] < 0 ? null : column.levels[column.codes[row]];
    return Number.isNaN(column.values[row]) ? null : column.values[row];
  }

  private weight(weights: ScanWeights | undefined, row: number): number {
    return weights ? Math.max(1, Math.floor(this.number(weights.column, row) / weights.unit + 0.5)) : 1;
  }

  /** NaN where it is missing. */
  private number(name: string, row: number): number {
    const column = this.column(name);
    const value = this.value(name, row);
    if (value === null) return Number.NaN;
    if (typeof value === "number") return value;
    return kindOf(column) === "boolean" ? Number(value === "true") : Math.floor(dateIn(value) ?? Number.NaN);
  }

  private keyed({ column, cuts }: TallyKey, row: number): ScannedValue {
    if (cuts === undefined) return this.value(column, row);
    const number = this.number(column, row);
    return Number.isNaN(number) ? null : cuts.filter((cut) => cut <= number).length;
  }

  private extent(name: string, rows: readonly number[], people: readonly number[]): ColumnExtent {
    const missing = rows.filter((row) => this.value(name, row) === null).length;
    const knownPeople = people.filter((row) => this.value(name, row) !== null);
    const known = knownPeople.length;
    if (kindOf(this.column(name)) === "text") return { missing, notFinite: 0, least: 0, most: 0, whole: false, known };
    const notFinite = rows.filter((row) => Math.abs(this.number(name, row)) === Number.POSITIVE_INFINITY).length;
    const numbers = knownPeople.map((row) => this.number(name, row)).filter(Number.isFinite);
    return {
      ...{ missing, notFinite, known },
      least: numbers.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
      most: numbers.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
      whole: numbers.every(Number.isInteger),
    };
  }

  private tally(
    { keys, most }: TallyRequest,
    isPerson: (row: number) => boolean,
    weights: ScanWeights | undefined,
  ): Tallied {
    const cells = new Map<string, { values: ScannedValue[]; people: number; others: number; weight: number }>();
    for (const row of this.rows()) {
      const values = keys.map((key) => this.keyed(key, row));
      const name = JSON.stringify(values);
      const cell = cells.get(name) ?? { values, people: 0, others: 0, weight: 0 };
      cells.set(name, cell);
      cell[isPerson(row) ? "people" : "others"]++;
      if (isPerson(row)) cell.weight += this.weight(weights, row);
    }
    return cells.size > most ? { cells: [], tooMany: true } : { cells: [...cells.values()], tooMany: false };
  }

  private coordinate(dimension: ScanDimension, row: number): number {
    if (dimension.kind === "level") return this.value(dimension.column, row) === dimension.level ? dimension.own : 0;
    const { column, shift, scale, unit, mean } = dimension;
    const number = this.number(column, row);
    return Math.floor((((Number.isNaN(number) ? mean : number) - shift) / scale) * unit + 0.5);
  }

  private id({ id }: ScanSpace, row: number): string | number {
    return id.kind === "row" ? row : String(this.value(id.column, row));
  }

  private hash({ id }: ScanSpace, row: number): number {
    if (id.kind === "row") return wholeHash(row);
    const value = this.value(id.column, row);
    if (id.kind === "number") return wholeHash(Number(value));
    return Number.parseInt(createHash("md5").update(String(value), "utf8").digest("hex").slice(0, 13), 16);
  }
}

interface Person {
  readonly id: string | number;
  readonly hash: number;
  readonly pattern: number;
  readonly weight: number;
  readonly point: readonly number[];
}

class MemoryPeople implements ScannedPeople {
  readonly people: number;
  readonly counts: Float64Array;
  readonly squares: readonly [number, number];
  readonly least: Float64Array;
  readonly most: Float64Array;

  constructor(
    private readonly all: readonly Person[],
    private readonly space: ScanSpace,
    private readonly scanned: () => void,
  ) {
    this.people = all.length;
    this.counts = new Float64Array(space.patterns.length);
    for (const { pattern, weight } of all) this.counts[pattern] += weight;
    const squares = (part: (square: number) => number) =>
      sum(all.map(({ point, weight }) => weight * part(sum(point.map((x) => x * x)))));
    this.squares = [squares((square) => Math.floor(square / 2 ** 20)), squares((square) => square % 2 ** 20)];
    const reach = (pick: (...values: number[]) => number, start: number) =>
      Float64Array.from(space.dimensions, (_, j) => all.reduce((found, { point }) => pick(found, point[j]), start));
    this.least = reach(Math.min, Number.POSITIVE_INFINITY);
    this.most = reach(Math.max, Number.NEGATIVE_INFINITY);
  }

  async sample(below: number): Promise<SampledPoints> {
    this.scanned();
    const found = this.all.filter(({ hash }) => hash < below);
    return { ...this.named(found), points: Int32Array.from(found.flatMap(({ point }) => point)) };
  }

  async scores(below: number, decision: Pick<ScanDecision, "centres" | "jitter">): Promise<ScannedScores> {
    this.scanned();
    const found = this.all.filter(({ hash }) => hash < below);
    return {
      ...this.named(found),
      scores: Float64Array.from(found.flatMap((person) => this.scored(person, decision))),
    };
  }

  async border(decision: ScanDecision, { reach, whole }: ScanWidths): Promise<ScanBorder> {
    this.scanned();
    const { k, offsets } = decision;
    const counts = new Float64Array(offsets.length);
    const near = this.all.filter((person) => {
      const line = person.pattern * k;
      const priced = this.scored(person, decision).map((score, m) => score + offsets[line + m]);
      const { best } = this.decided(person, decision);
      if (priced.some((score, m) => m !== best && score <= priced[best] + reach[line + m])) return true;
      if (whole[line + best] === 1) return true;
      counts[line + best] += person.weight;
      return false;
    });
    const scores = Float64Array.from(near.flatMap((person) => this.scored(person, decision)));
    return { ...this.named(near), scores, counts };
  }

  async sums(decision: ScanDecision, movers: ScanMovers): Promise<ScanSums> {
    this.scanned();
    const { k } = decision;
    const dims = this.space.dimensions.length;
    const counts = new Float64Array(decision.offsets.length);
    const sums = new Float64Array(k * dims);
    const people = new Float64Array(k);
    this.settle(decision, movers).forEach((cluster, i) => {
      const { pattern, point, weight } = this.all[i];
      people[cluster]++;
      counts[pattern * k + cluster] += weight;
      point.forEach((x, j) => {
        sums[cluster * dims + j] += weight * x;
      });
    });
    return { people, counts, sums };
  }

  async labels(decision: ScanDecision, movers: ScanMovers, sink: LabelSink): Promise<Float64Array> {
    this.scanned();
    const clusters = this.settle(decision, movers);
    for (let from = 0; from < this.people; from += labelledAtOnce) {
      const ids = this.all.slice(from, from + labelledAtOnce).map(({ id }) => id);
      await sink.write({
        ids: this.space.id.kind === "row" ? Float64Array.from(ids as number[]) : (ids as string[]),
        clusters: Uint16Array.from(clusters.slice(from, from + labelledAtOnce)),
      });
    }
    const sizes = new Float64Array(decision.k);
    for (const cluster of clusters) sizes[cluster]++;
    return sizes;
  }

  async close(): Promise<void> {}

  private named(people: readonly Person[]): Pick<ScannedScores, "hashes" | "patterns" | "weights"> {
    return {
      hashes: Float64Array.from(people, ({ hash }) => hash),
      patterns: Uint16Array.from(people, ({ pattern }) => pattern),
      ...(this.space.weights ? { weights: Float64Array.from(people, ({ weight }) => weight) } : {}),
    };
  }

  private scored({ hash, point }: Person, { centres, jitter }: Pick<ScanDecision, "centres" | "jitter">): number[] {
    const dims = this.space.dimensions.length;
    return Array.from({ length: centres.length / dims }, (_, m) => {
      const centre = centres.subarray(m * dims, (m + 1) * dims);
      return centre.reduce((score, c, j) => score + c * c - 2 * point[j] * c, jitterOf(hash, m, jitter));
    });
  }

  private decided(person: Person, decision: ScanDecision): { best: number; gap: number } {
    const { k, offsets } = decision;
    const priced = this.scored(person, decision).map((score, m) => score + offsets[person.pattern * k + m]);
    const least = Math.min(...priced);
    const best = priced.indexOf(least);
    return { best, gap: Math.min(...priced.filter((_, m) => m !== best)) - least };
  }

  private settle(decision: ScanDecision, { hashes, clusters }: ScanMovers): number[] {
    const moved = new Map(Array.from(hashes, (hash, at) => [hash, clusters[at]]));
    return this.all.map((person) => moved.get(person.hash) ?? this.decided(person, decision).best);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
