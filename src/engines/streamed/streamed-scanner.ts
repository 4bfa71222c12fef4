import type { DuckDBDataChunk } from "@duckdb/node-api";
import { cancelled, MoietyError } from "../../errors.js";
import { host } from "../../host/index.js";
import { type BlockShape, blockBytes } from "../../kernels/block-lane.js";
import { closeLanes, type Lane, openLanes } from "../../kernels/lanes.js";
import {
  idOfHash,
  type ScanDimension,
  type ScannedColumn,
  type ScannedPeople,
  type Scanner,
  type ScanSpace,
  type Survey,
  type SurveyRequest,
  wholeHash,
} from "../../scans/scanner.js";
import { scanRows } from "../../table/disk/scan.js";
import { isDiskFull, noRoom } from "../../table/disk/spool.js";
import { duckdbDialect } from "../dialect.js";
import { type DuckdbEngine, openDuckdb } from "../duckdb.js";
import { type EngineColumn, isOutOfMemory, readAll } from "../engine.js";
import { Expressions } from "../expressions.js";
import { SqlScanner } from "../sql-scanner.js";
import { BlockPeople, type Names } from "./block-people.js";
import { GridWriter, WorkingFolder } from "./grid-file.js";
import { labelledPeople } from "./labelled.js";
import { engineMemory, usualMemory } from "./memory.js";
import { type FileReading, relationOf } from "./relation.js";
import { TextStream } from "./text-stream.js";

export interface StreamOptions extends FileReading {
  /** Default: as many as there are cores. */
  readonly threads?: number;
  /** What the run may use, such as 2GB. */
  readonly memory?: string;
  /** A file of labels: only people who have one there are looked at, and their cluster is a column: see `labelledColumns`. */
  readonly labelled?: { readonly path: string; readonly id?: string };
  /** People of a block; for tests. */
  readonly blockRows?: number;
  /** Told how many rows of a scan were looked at. */
  readonly onRows?: (rows: number) => void;
  readonly signal?: AbortSignal;
}

/** Enough for reads to be long, few enough for several to be in memory. */
const usualBlockRows = 16_384;

/** People in a file, a query or standard input, who are streamed: whatever is asked again is first written to a working file. */
export class StreamedScanner implements Scanner {
  readonly method = "streamed";
  readonly numbered = true;
  private readonly extents = new Map<string, { least: number; most: number }>();
  private written = 0;
  private lanes: readonly Lane[] = [];
  private opened: BlockPeople | undefined;
  private readonly stop = () => this.engine.cancel();

  private constructor(
    readonly name: string,
    private readonly engine: DuckdbEngine,
    private readonly folder: WorkingFolder,
    private readonly relation: string,
    private readonly described: readonly EngineColumn[],
    private readonly scanner: SqlScanner,
    private readonly options: StreamOptions,
    /** What the user should know of how it was read. */
    readonly warnings: readonly string[],
  ) {
    options.signal?.addEventListener("abort", this.stop, { once: true });
  }

  static async open(source: string, options: StreamOptions): Promise<StreamedScanner> {
    const engine = await openDuckdb(":memory:", false);
    const folder = await WorkingFolder.make();
    const stop = () => engine.cancel();
    options.signal?.addEventListener("abort", stop, { once: true });
    try {
      await engine.run(`SET memory_limit = '${Math.floor(engineMemory(options.memory) / 1e6)}MB'`);
      await engine.run("SET preserve_insertion_order = true");
      await engine.run(`SET temp_directory = ${duckdbDialect.text(folder.file("spilled"))}`);
      const found = await relationOf(engine.connection, source, folder, options);
      const { labelled } = options;
      const { relation, name, warnings, judged } = labelled
        ? await labelledPeople(engine, found, labelled, folder)
        : found;
      const people = { query: `SELECT * FROM ${relation}` };
      const address = { kind: "duckdb", location: ":memory:", people, shown: name } as const;
      const described = (await engine.describe(people.query)).map((column) => {
        return { ...column, ...judged.get(column.name) };
      });
      const scanner = await SqlScanner.open(engine, address, undefined, { described });
      return new StreamedScanner(name, engine, folder, relation, described, scanner, options, warnings);
    } catch (error) {
      await engine.close();
      await folder.close();
      throw runError(error, options);
    } finally {
      options.signal?.removeEventListener("abort", stop);
    }
  }

  columns(): Promise<ScannedColumn[]> {
    return this.scanner.columns();
  }

  async survey(request: SurveyRequest): Promise<Survey> {
    const survey = await this.scanner.survey(request).catch((error: unknown) => this.fail(error));
    survey.columns.forEach(({ least, most }, at) => {
      this.extents.set(request.columns[at], { least, most });
    });
    return survey;
  }

  /** Writes everybody's points to a working file, in the order of the source. */
  async open(space: ScanSpace): Promise<ScannedPeople> {
    const { folder, options } = this;
    const dims = space.dimensions.length;
    const people = await this.count(space);
    const weighed = space.weights !== undefined;
    const shape: BlockShape = { dims, bytes: this.bytesOf(space), rows: options.blockRows ?? usualBlockRows, weighed };
    const blocks = Math.ceil(people / shape.rows);
    await folder.checkRoom(blocks * blockBytes(shape), "the people's points");
    const writer = new GridWriter(folder.file(`points-${this.written++}`), shape, space.patterns.length);
    await this.fill(writer, space, shape, people).catch((error: unknown) => this.fail(error));
    const { source, summary } = await writer.finish();
    const work = source.people * dims;
    if (this.lanes.length === 0) this.lanes = openLanes(options.threads ?? host.cores, work);
    const opened = new BlockPeople({
      source,
      summary,
      lanes: this.lanes,
      names: () => this.names(space),
      ...(options.onRows ? { onPeople: options.onRows } : {}),
    });
    await this.opened?.close();
    this.opened = opened;
    return opened;
  }

  async close(): Promise<void> {
    this.options.signal?.removeEventListener("abort", this.stop);
    await closeLanes(this.lanes);
    await this.opened?.close();
    await this.engine.close();
    await this.folder.close();
  }

  private fail(error: unknown): never {
    throw runError(error, this.options);
  }

  private async fill(writer: GridWriter, space: ScanSpace, shape: BlockShape, people: number): Promise<void> {
    const words = new Expressions(duckdbDialect, this.described);
    const type = shape.bytes === 2 ? "SMALLINT" : "INTEGER";
    const { id, keys, patterns, complete, weights } = space;
    const combinations = patternNumbers(patterns);
    const person = words.person(complete);
    const hash =
      id.kind === "text" ? words.hash(id) : id.kind === "number" ? words.number(id.column) : rowNumber(complete);
    const expressions = [
      `CAST(${hash} AS DOUBLE)`,
      ...(keys.length === 0 ? [] : [`CAST(${words.combination(keys, patterns)} AS DOUBLE)`]),
      ...(weights ? [`CAST(${words.weight(weights)} AS DOUBLE)`] : []),
      ...space.dimensions.map((dimension) => `CAST(${words.coordinate(dimension)} AS ${type})`),
    ];
    // Rows are numbered before anybody is left out.
    const numbered =
      id.kind === "row" && complete.length > 0
        ? `(SELECT *, row_number() OVER () - 1 AS ${rowColumn} FROM ${this.relation})`
        : this.relation;
    const relation = `${numbered} AS people${complete.length > 0 ? ` WHERE ${person}` : ""}`;
    const weightAt = keys.length === 0 ? 1 : 2;
    const first = weightAt + (weights ? 1 : 0);
    await scanRows(
      this.engine.connection,
      { expressions, relation, rows: people },
      (chunk, start, count) => {
        const hashes = numbersOf(chunk, 0) as Float64Array;
        const codes = keys.length === 0 ? undefined : (numbersOf(chunk, 1) as Float64Array);
        const weighing = weights && (numbersOf(chunk, weightAt) as Float64Array);
        const columns = space.dimensions.map((_, j) => numbersOf(chunk, first + j) as Int16Array | Int32Array);
        const bare = id.kind === "row" && complete.length === 0;
        for (let from = 0; from < count; ) {
          const some = Math.min(writer.room, count - from);
          writer.add(
            some,
            (j) => columns[j],
            from,
            codes === undefined ? () => 0 : (i) => combinations(codes[i]),
            id.kind === "text" ? (i) => hashes[i] : bare ? (i) => wholeHash(start + i) : (i) => wholeHash(hashes[i]),
            weighing ? (i) => weighing[i] : () => 1,
          );
          from += some;
        }
      },
      ({ rows }) => this.options.onRows?.(rows),
    );
  }

  private async count({ complete }: ScanSpace): Promise<number> {
    const person = new Expressions(duckdbDialect, this.described).person(complete);
    const { columns } = await readAll(this.engine, `SELECT count(*) FROM ${this.relation} AS people WHERE ${person}`, [
      "number",
    ]);
    return (columns[0] as Float64Array)[0];
  }

  private bytesOf({ dimensions }: ScanSpace): 2 | 4 {
    const fits = (dimension: ScanDimension) => {
      if (dimension.kind === "level") return dimension.own < 2 ** 15;
      const { column, shift, scale, unit } = dimension;
      const { least, most } = this.extents.get(column) ?? { least: -Infinity, most: Infinity };
      return [least, most].every((value) => Math.abs(Math.floor(((value - shift) / scale) * unit + 0.5)) < 2 ** 15 - 1);
    };
    return dimensions.every(fits) ? 2 : 4;
  }

  /** Hashes of numbers tell the numbers; texts are read again, in the same order. */
  private names({ id, complete }: ScanSpace): Names {
    if (id.kind === "row") {
      return { next: async (hashes) => hashes.map(idOfHash), end: async () => {} };
    }
    if (id.kind === "number") {
      return { next: async (hashes) => Array.from(hashes, (hash) => String(idOfHash(hash))), end: async () => {} };
    }
    const words = new Expressions(duckdbDialect, this.described);
    const where = complete.length > 0 ? ` WHERE ${words.person(complete)}` : "";
    return new TextStream(
      this.engine.connection,
      duckdbDialect.asText(words.exactly(id.column)),
      `${this.relation} AS people${where}`,
      () => changedSource(this.name),
    );
  }
}

/** What went wrong in words of the run: that it was stopped, or that its memory or the disk is too small. */
function runError(error: unknown, { signal, memory = usualMemory }: StreamOptions): unknown {
  if (signal?.aborted) return cancelled();
  if (isOutOfMemory(error)) {
    return new MoietyError("usage", `\`memory\` is ${memory}, too little for what is read: allow more \`memory\``);
  }
  return !(error instanceof MoietyError) && isDiskFull(error) ? noRoom("the people's points") : error;
}

/** Of rows as they come, where nobody is left out. */
function rowNumber(complete: readonly string[]): string {
  return complete.length > 0 ? rowColumn : "0";
}

const rowColumn = "moiety_row_number";

/** The pattern of a combination, as `Expressions.combination` numbers them. */
function patternNumbers(patterns: ScanSpace["patterns"]): (combination: number) => number {
  const levels = (patterns[0] ?? []).map((_, at) => [...new Set(patterns.map((values) => values[at]))]);
  const places = new Map(
    patterns.map((values, pattern) => {
      const code = values.reduce<number>((all, value, at) => all * levels[at].length + levels[at].indexOf(value), 0);
      return [code, pattern];
    }),
  );
  return (combination) => {
    const pattern = places.get(combination);
    if (pattern === undefined) throw new MoietyError("failed", "the source has changed while it was read: run again");
    return pattern;
  };
}

/** The array under a vector of numbers none of which is missing. */
function numbersOf(chunk: DuckDBDataChunk, at: number): Float64Array | Int16Array | Int32Array {
  const { items } = chunk.getColumnVector(at) as unknown as { items?: Float64Array | Int16Array | Int32Array };
  if (items === undefined) throw new Error("@duckdb/node-api lays out its vectors in a way that we do not know");
  return items;
}

function changedSource(name: string): MoietyError {
  return new MoietyError("failed", `${name} has changed while it was read: run again when nobody writes to it`);
}
