import { constants, createReadStream } from "node:fs";
import { access, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { MoietyError } from "../../errors.js";
import {
  beginsAsGzip,
  beginsAsJson,
  beginsAsParquet,
  damaged,
  emptyFile,
  type FileFormat,
  formatOf,
  sniffedBytes,
} from "../formats.js";
import { nearestName } from "../suggest.js";
import { copyOfPipe, isStandardInput, standardInput } from "./spool.js";

export type Source = { readonly kind: "query"; readonly sql: string } | FileSource;

export interface FileSource extends FileFormat {
  readonly path: string;
  /** What messages call it. */
  readonly name: string;
}

const looksLikeQuery = /^[\s(]*(select|with|from)\s/i;

/** What a source names: a query, or a file that exists, can be read and is of a known format. A pipe is copied. */
export async function openSource(source: string): Promise<Source> {
  if (isStandardInput(source)) return openCopy(source, standardInput);
  const entry = await stat(source).catch((error: NodeJS.ErrnoException) => error);
  if (entry instanceof Error) {
    if (looksLikeQuery.test(source)) return { kind: "query", sql: source.trim().replace(/;+\s*$/, "") };
    if (entry.code === "ENOENT" || entry.code === "ENOTDIR") {
      throw new MoietyError("input", `no such file: ${oneLine(source)}${await similarFile(source)}`);
    }
    throw new MoietyError("input", `cannot read ${oneLine(source)}: ${entry.code ?? "unknown error"}`);
  }
  if (entry.isDirectory()) {
    const advice = "name a file in it, or use a query such as FROM 'folder/*.parquet'";
    throw new MoietyError("input", `${source} is a folder, not a table; ${advice}`);
  }
  try {
    await access(source, constants.R_OK);
  } catch {
    throw new MoietyError("input", `cannot read ${source}: no permission`);
  }
  if (!entry.isFile()) return openCopy(source, source);
  if (entry.size === 0) throw emptyFile(source);
  return { ...formatOf(source), path: source, name: source };
}

/** A pipe has no name that tells its format, but what comes out of it does. */
async function openCopy(source: string, name: string): Promise<FileSource> {
  const path = await copyOfPipe(source);
  const start = await firstBytes(path, sniffedBytes);
  if (start.length === 0) throw new MoietyError("input", `${name} is empty: nothing came in`);
  if (beginsAsParquet(start)) return { kind: "parquet", path, gzip: false, name };
  const gzip = beginsAsGzip(start);
  const text = (gzip ? await firstUnzipped({ path, name }, sniffedBytes) : start).toString("utf8");
  return { kind: beginsAsJson(text) ? "json" : "csv", path, gzip, name };
}

/** The first bytes of a file, for telling text from something else and for the header of a CSV. */
export async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(count);
    let filled = 0;
    while (filled < count) {
      const { bytesRead } = await file.read(buffer, filled, count - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

/** The first bytes of what a gzip file holds. */
export async function firstUnzipped({ path, name }: Pick<FileSource, "path" | "name">, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let filled = 0;
  const file = createReadStream(path);
  try {
    for await (const part of file.pipe(createGunzip())) {
      parts.push(part as Buffer);
      filled += (part as Buffer).length;
      if (filled >= count) break;
    }
  } catch (cause) {
    throw damaged(name, "gzip", { cause });
  } finally {
    file.destroy();
  }
  return Buffer.concat(parts).subarray(0, count);
}

async function similarFile(path: string): Promise<string> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const name = basename(path);
  // people.csv.gz is people.csv to many who type it.
  const longer = names.find((known) => known.startsWith(`${name}.`));
  const nearest = longer ?? nearestName(name, names);
  if (nearest === undefined) return "";
  return `; did you mean '${path === name ? nearest : join(folder, nearest)}'?`;
}

/** A mistyped query ends up here too; a message has one line. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
