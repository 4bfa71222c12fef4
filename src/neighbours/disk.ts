import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diskReason, MoietyError } from "../errors.js";
import { writeAtomically } from "../table/disk/index.js";
import type { VectorStore } from "./list-search.js";
import { NeighbourIndex } from "./neighbour-index.js";
import type { IndexFacts, IndexOptions, ListRows, Lists } from "./types.js";

/** What index.json says beside the facts. */
export interface IndexDescription {
  /** The columns that the dimensions were read from. */
  readonly columns?: readonly string[];
  /** The column that names vectors, and their names; without it they have the numbers of their rows. */
  readonly id?: string;
  readonly names?: readonly string[];
}

const format = "moiety-index/3";

interface IndexFile extends IndexDescription {
  readonly format: typeof format;
  readonly facts: IndexFacts;
  /** The file beside it with all numbers, in the order of `kinds`, and after them the rows of lists, and of bytes the vectors. */
  readonly data: string;
  readonly stride: number;
  /** SHA-256 of all numbers before the rows: everything that says where rows are. */
  readonly sha256: string;
}

/** Everything but rows and vectors, as arrays. */
type Sections = Lists & ListRows & { readonly squares: Float32Array };

const kinds = {
  shift: Float64Array,
  centres: Float32Array,
  prices: Float32Array,
  labels: Uint32Array,
  copies: Uint32Array,
  steps: Float32Array,
  starts: Uint32Array,
  vectors: Uint32Array,
  radii: Float32Array,
  squares: Float32Array,
} as const;

/** How many numbers each has. */
function lengthsOf(facts: IndexFacts, stride: number): Record<keyof Sections, number> {
  const { n, dimensions, lists, rows, bytes } = facts;
  return {
    ...{ shift: dimensions, centres: lists * stride, prices: lists, labels: n, copies: n, steps: bytes ? stride : 0 },
    ...{ starts: lists + 1, vectors: rows, radii: rows, squares: n },
  };
}

const description = "index.json";
const lock = ".writing";

/** So many rows are written at a time. */
const chunk = 16_384;

/**
 * Writes an index to a folder: one file of all numbers, and index.json, which names it. An index that is there already is in use until the
 * new index.json takes the place of the old one; then the old numbers are removed. `replaces` is what `openIndex` said of the index that this
 * one was made from: if another has taken its place since, nothing is written.
 */
export async function writeIndex(
  folder: string,
  index: NeighbourIndex,
  about: IndexDescription,
  replaces?: string,
): Promise<void> {
  await checkFolder(folder);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new MoietyError("output", `cannot write ${folder}: ${diskReason(error)}`, { cause: error });
  });
  await whileLocked(folder, async () => {
    if (replaces !== undefined && (await readDescription(folder)).sha256 !== replaces) {
      throw new MoietyError("output", `the index in ${folder} was changed meanwhile: nothing was written; try again`);
    }
    await replaceIndex(folder, index, about);
  });
}

/** One process writes to a folder at a time; one that was killed while it wrote keeps nobody out. */
async function whileLocked(folder: string, work: () => Promise<void>): Promise<void> {
  const path = join(folder, lock);
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new MoietyError("output", `cannot write ${folder}: ${diskReason(error)}`, { cause: error });
      }
    }
    const writer = Number(await readFile(path, "utf8").catch(() => ""));
    if (isRunning(writer)) {
      throw new MoietyError(
        "output",
        `process ${writer} is writing the index in ${folder}: wait until it has finished`,
      );
    }
    await rm(path, { force: true });
  }
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function replaceIndex(folder: string, index: NeighbourIndex, about: IndexDescription): Promise<void> {
  const { lists, rows, squares, store, facts } = index;
  const old = await readdir(folder);
  const data = `lists-${nextNumber(old)}.bin`;
  const arrays: Sections = { ...lists, ...rows, squares };
  const names = Object.keys(kinds) as (keyof Sections)[];
  const stride = lists.centres.length / lists.prices.length;
  const rowBytes = facts.bytes ? stride : stride * 4;
  const hash = createHash("sha256");
  for (const name of names) hash.update(bytesOf(arrays[name]));
  await writeAtomically(join(folder, data), async (path) => {
    const file = await open(path, "w");
    try {
      for (const name of names) await file.write(bytesOf(arrays[name]));
      const piece = new Uint8Array(chunk * Math.max(rowBytes, stride * 4));
      for (let from = 0; from < facts.rows; from += chunk) {
        const to = Math.min(facts.rows, from + chunk);
        store.readRows(from, to, piece.subarray(0, (to - from) * rowBytes));
        await file.write(piece.subarray(0, (to - from) * rowBytes));
      }
      // Rows of numbers are the vectors; those of bytes need them beside.
      for (let from = 0; facts.bytes && from < facts.n; from += chunk) {
        const to = Math.min(facts.n, from + chunk);
        const numbers = new Float32Array(piece.buffer, 0, (to - from) * stride);
        for (let i = from; i < to; i++)
          store.readVector(i, numbers.subarray((i - from) * stride, (i - from + 1) * stride));
        await file.write(bytesOf(numbers));
      }
    } finally {
      await file.close();
    }
  });
  const json: IndexFile = { format, facts, ...about, data, stride, sha256: hash.digest("hex") };
  await writeAtomically(join(folder, description), (path) => writeFile(path, JSON.stringify(json)));
  for (const name of old.filter((each) => isData(each) || isUnfinished(each)))
    await rm(join(folder, name), { force: true });
}

/** Refuses a folder that an index cannot be written to: known before it is built. */
export async function checkFolder(folder: string): Promise<void> {
  const old = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [] as string[];
    const reason = error.code === "ENOTDIR" ? "it is a file; name a folder" : diskReason(error);
    throw new MoietyError("output", `cannot write an index to ${folder}: ${reason}`, { cause: error });
  });
  const foreign = old.some((name) => name !== description && !isData(name) && !name.startsWith("."));
  if (foreign && !old.includes(description)) {
    throw new MoietyError("output", `cannot write an index to ${folder}: it has other files; name a new folder`);
  }
}

/** What a process that was killed while it wrote has left behind. */
function isUnfinished(name: string): boolean {
  return name.startsWith(".") && name.endsWith(".part");
}

function isData(name: string): boolean {
  return /^lists-\d+\.bin$/.test(name);
}

function nextNumber(names: readonly string[]): number {
  return names.filter(isData).reduce((most, name) => Math.max(most, Number(name.slice(6, -4))), 0) + 1;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** An index in a folder, and a word that tells it from any other. Rows of a list are read from the file when a query first looks into it. */
export async function openIndex(
  folder: string,
  options: Pick<IndexOptions, "threads"> = {},
): Promise<{ index: NeighbourIndex; about: IndexDescription; version: string }> {
  let found = await readDescription(folder);
  // Another may have taken its place just then.
  if (!existsSync(join(folder, found.data))) found = await readDescription(folder);
  const { facts, data, stride, sha256, columns, id, names } = found;
  const file = openFile(join(folder, data));
  try {
    let at = 0;
    const hash = createHash("sha256");
    const arrays = Object.fromEntries(
      Object.entries(lengthsOf(facts, stride)).map(([name, length]) => {
        const numbers = new kinds[name as keyof Sections](length);
        readFully(file, bytesOf(numbers), at, folder);
        hash.update(bytesOf(numbers));
        at += numbers.byteLength;
        return [name, numbers];
      }),
    ) as unknown as Sections;
    const rowBytes = facts.bytes ? stride : stride * 4;
    const size = at + facts.rows * rowBytes + (facts.bytes ? facts.n * stride * 4 : 0);
    if (fstatSync(file).size < size) readFully(file, new Uint8Array(1), size - 1, folder);
    if (hash.digest("hex") !== sha256) {
      throw new MoietyError(
        "input",
        `the index in ${folder} is damaged: ${data} is not as it was written; build it again`,
      );
    }
    const store = new ListFile(file, folder, at, stride, facts, arrays);
    const index = NeighbourIndex.open(facts, arrays, arrays, arrays.squares, store, options);
    const about = { ...(columns ? { columns } : {}), ...(id !== undefined ? { id } : {}), ...(names ? { names } : {}) };
    return { index, about, version: sha256 };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

async function readDescription(folder: string): Promise<IndexFile> {
  const text = await readFile(join(folder, description), "utf8").catch((error: unknown) => {
    const what = `there is no index in ${folder}`;
    throw new MoietyError("input", `${what}: make one with moiety index build`, { cause: error });
  });
  try {
    const json: unknown = JSON.parse(text);
    if (isIndexFile(json)) return json;
  } catch {
    // Not JSON: the same advice.
  }
  throw new MoietyError(
    "input",
    `${join(folder, description)} is not an index that this version reads: build it again`,
  );
}

function isIndexFile(json: unknown): json is IndexFile {
  const { format: its, facts, data, stride } = json as Partial<IndexFile>;
  const counts = [facts?.n, facts?.dimensions, facts?.lists, facts?.rows, stride];
  const whole = counts.every((count) => Number.isInteger(count) && count! > 0);
  return its === format && whole && Array.isArray(facts?.measured?.settings) && isData(String(data));
}

function openFile(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    throw new MoietyError("input", `cannot read ${path}: ${diskReason(error)}`, { cause: error });
  }
}

function readFully(file: number, into: Uint8Array, at: number, folder: string): void {
  if (readSync(file, into, 0, into.length, at) === into.length) return;
  throw new MoietyError("input", `the index in ${folder} ends too soon: build it again`);
}

/** Rows and vectors in the file of an index. */
class ListFile implements VectorStore {
  private readonly rowBytes: number;
  /** Where each vector's numbers are. */
  private readonly places: Float64Array;

  constructor(
    private readonly file: number,
    private readonly folder: string,
    private readonly begin: number,
    private readonly stride: number,
    facts: IndexFacts,
    { vectors }: ListRows,
  ) {
    this.rowBytes = facts.bytes ? stride : stride * 4;
    const behind = begin + facts.rows * this.rowBytes;
    this.places = Float64Array.from({ length: facts.n }, (_, i) => behind + i * stride * 4);
    // Rows of numbers are the vectors.
    if (!facts.bytes)
      for (let row = 0; row < vectors.length; row++) this.places[vectors[row]] = begin + row * this.rowBytes;
  }

  readRows(from: number, to: number, into: Uint8Array): void {
    readFully(this.file, into.subarray(0, (to - from) * this.rowBytes), this.begin + from * this.rowBytes, this.folder);
  }

  readVector(vector: number, into: Float32Array): void {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, this.stride * 4);
    readFully(this.file, bytes, this.places[vector], this.folder);
  }

  close(): void {
    closeSync(this.file);
  }
}
