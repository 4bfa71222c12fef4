import { closeSync, openSync, readSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diskReason, MoietyError } from "../errors.js";
import { writeAtomically } from "../table/disk/index.js";
import { none } from "./job.js";
import type { VectorStore } from "./list-search.js";
import { NeighbourIndex } from "./neighbour-index.js";
import type { IndexFacts, IndexOptions, Lists } from "./types.js";

/** What index.json says beside the facts. */
export interface IndexDescription {
  /** The columns that the dimensions were read from. */
  readonly columns?: readonly string[];
  /** The column that names vectors, and their names; without it they have the numbers of their rows. */
  readonly id?: string;
  readonly names?: readonly string[];
}

interface IndexFile extends IndexDescription {
  readonly format: "moiety-index/1";
  readonly facts: IndexFacts;
  /** The file beside it with all numbers, in the order of `sections`, and after them the rows of lists, and of bytes the vectors. */
  readonly data: string;
  readonly sections: readonly { readonly name: keyof Sections; readonly bytes: number }[];
  readonly stride: number;
}

/** Everything but rows and vectors, as arrays. */
type Sections = Lists & { readonly squares: Float32Array };

const kinds = {
  shift: Float64Array,
  centres: Float32Array,
  prices: Float32Array,
  labels: Uint32Array,
  copies: Uint32Array,
  steps: Float32Array,
  squares: Float32Array,
} as const;

const description = "index.json";

/** So many rows are written at a time. */
const chunk = 16_384;

/**
 * Writes an index to a folder: one file of all numbers, and index.json, which names it. An index that is there already is in use until the
 * new index.json takes the place of the old one; then the old numbers are removed.
 */
export async function writeIndex(folder: string, index: NeighbourIndex, about: IndexDescription): Promise<void> {
  const { lists, squares, store, facts } = index;
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new MoietyError("output", `cannot write ${folder}: ${diskReason(error)}`, { cause: error });
  });
  const old = await readdir(folder);
  const foreign = old.find((name) => name !== description && !isData(name) && !name.startsWith("."));
  if (foreign !== undefined && !old.includes(description)) {
    throw new MoietyError("output", `cannot write an index to ${folder}: it has other files; name a new folder`);
  }
  const data = `lists-${nextNumber(old)}.bin`;
  const arrays: Sections = { ...lists, squares };
  const names = Object.keys(kinds) as (keyof Sections)[];
  const stride = lists.centres.length / lists.prices.length;
  const rowBytes = facts.bytes ? stride : stride * 4;
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
  const sections = names.map((name) => ({ name, bytes: arrays[name].byteLength }));
  const json: IndexFile = { format: "moiety-index/1", facts, ...about, data, sections, stride };
  await writeAtomically(join(folder, description), (path) => writeFile(path, JSON.stringify(json)));
  for (const name of old.filter(isData)) await rm(join(folder, name), { force: true });
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

/** An index in a folder. Rows of a list are read from the file when a query first looks into it. */
export async function openIndex(
  folder: string,
  options: Pick<IndexOptions, "threads"> = {},
): Promise<{ index: NeighbourIndex; about: IndexDescription }> {
  const { facts, data, sections, stride, columns, id, names } = await readDescription(folder);
  const file = openFile(join(folder, data));
  try {
    let at = 0;
    const arrays = Object.fromEntries(
      sections.map(({ name, bytes }) => {
        const buffer = new Uint8Array(bytes);
        readFully(file, buffer, at, folder);
        at += bytes;
        return [name, new kinds[name](buffer.buffer)];
      }),
    ) as unknown as Sections;
    const store = new ListFile(file, folder, at, stride, facts, arrays);
    const index = NeighbourIndex.open(facts, arrays, arrays.squares, store, options);
    const about = { ...(columns ? { columns } : {}), ...(id !== undefined ? { id } : {}), ...(names ? { names } : {}) };
    return { index, about };
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
    const json = JSON.parse(text) as IndexFile;
    if (json.format === "moiety-index/1") return json;
  } catch {
    // Not JSON: the same advice.
  }
  throw new MoietyError(
    "input",
    `${join(folder, description)} is not an index that this version reads: build it again`,
  );
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
    { labels, copies, prices }: Lists,
  ) {
    this.rowBytes = facts.bytes ? stride : stride * 4;
    const next = new Uint32Array(prices.length + 1);
    const count = (list: number) => void (list !== none && next[list + 1]++);
    labels.forEach(count);
    copies.forEach(count);
    for (let m = 0; m < prices.length; m++) next[m + 1] += next[m];
    const behind = begin + facts.rows * this.rowBytes;
    this.places = Float64Array.from(labels, (list, i) => {
      if (facts.bytes) return behind + i * stride * 4;
      const row = next[list]++;
      if (copies[i] !== none) next[copies[i]]++;
      return begin + row * this.rowBytes;
    });
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
