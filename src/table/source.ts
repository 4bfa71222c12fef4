import { constants } from "node:fs";
import { access, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MoietyError } from "../errors.js";
import { notATable } from "./engine.js";
import { nearestName } from "./suggest.js";

export type Source =
  | { readonly kind: "query"; readonly sql: string }
  | { readonly kind: "csv" | "parquet" | "json"; readonly path: string; readonly gzip: boolean };

const looksLikeQuery = /^[\s(]*(select|with|from)\s/i;

/** What a source names: a query, or a file that exists, can be read and is of a known format. */
export async function openSource(source: string): Promise<Source> {
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
  if (entry.size === 0) throw new MoietyError("input", `${source} is an empty file`);
  const name = basename(source).toLowerCase();
  if (/\.(parquet|pq)$/.test(name)) return { kind: "parquet", path: source, gzip: false };
  if (/\.(json|ndjson|jsonl)(\.gz)?$/.test(name)) return { kind: "json", path: source, gzip: name.endsWith(".gz") };
  return { kind: "csv", path: source, gzip: name.endsWith(".gz") };
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

/** The usual ways in which a file that is called a CSV is none. */
export function checkText(path: string, start: Buffer): void {
  if (start.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))) {
    throw notATable(path, "it is gzip; let its name end in .gz");
  }
  if (start.subarray(0, 4).toString("latin1") === "PAR1")
    throw notATable(path, "it is Parquet; let its name end in .parquet");
  if (start[0] === 0xff && start[1] === 0xfe) throw notATable(path, "it is UTF-16; save it as UTF-8 and try again");
  if (start.includes(0)) throw notATable(path, "it holds binary data");
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
