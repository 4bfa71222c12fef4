import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { MoietyError } from "../../errors.js";
import { damaged, decoderOf, type TextEncoding } from "../formats.js";

/** Folders of copies, which go when the process does, by whatever way it leaves. */
const folders = new Set<string>();
let removing = false;
const copies = new Map<string, Promise<string>>();

/** What messages call it, and what it is called on the command line. */
export const standardInput = "standard input";
const inputNames = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

export function isStandardInput(source: string): boolean {
  return inputNames.includes(source);
}

/**
 * A copy of what can be read only once, a pipe or standard input: a table is looked at several times. There is one for
 * the whole life of the process.
 */
export function copyOfPipe(source: string): Promise<string> {
  const input = isStandardInput(source);
  const key = input ? standardInput : source;
  const copy = copies.get(key) ?? copyOf(key, () => (input ? process.stdin : createReadStream(source)));
  copies.set(key, copy);
  return copy;
}

/** Does `work` with a copy of a text in UTF-8, the only encoding that the engine reads, and removes it. */
export async function withUtf8<T>(
  source: { readonly path: string; readonly gzip: boolean; readonly name: string },
  encoding: TextEncoding,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const decode = decoderOf(source.name, encoding);
  const copy = await copyOf(source.name, () => {
    const file = createReadStream(source.path, { highWaterMark: 1 << 20 });
    const bytes: AsyncIterable<Buffer> = source.gzip ? file.pipe(createGunzip()) : file;
    return Readable.from(decoded(bytes, decode));
  });
  try {
    return await work(copy);
  } finally {
    await removeFolder(join(copy, ".."));
  }
}

async function* decoded(bytes: AsyncIterable<Buffer>, decode: (part: Buffer) => string): AsyncIterable<Buffer> {
  for await (const part of bytes) yield Buffer.from(decode(part), "utf8");
}

async function copyOf(name: string, open: () => NodeJS.ReadableStream): Promise<string> {
  if (!removing) process.once("exit", removeFolders);
  removing = true;
  const folder = await mkdtemp(join(tmpdir(), "moiety-"));
  folders.add(folder);
  const path = join(folder, "table");
  try {
    await pipeline(open(), createWriteStream(path, { mode: 0o600 }));
    return path;
  } catch (error) {
    await removeFolder(folder);
    throw copyError(name, error);
  }
}

/** Whether a write failed for want of room, as the system says it by a code and the engine in words. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined) return ["ENOSPC", "EDQUOT", "EFBIG"].includes(code);
  return /no space left|file too large|disk quota|max_temp_directory_size/i.test(message ?? "");
}

/** That a temporary file does not fit, and what to do; `why` names sizes where they are known. */
export function noRoom(what: string, why = "no room"): MoietyError {
  const advice = "make room there, or let TMPDIR name another folder";
  return new MoietyError("failed", `${why} for ${what} in ${tmpdir()}: ${advice}`);
}

function copyError(name: string, error: unknown): MoietyError {
  if (error instanceof MoietyError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isDiskFull(error)) return noRoom(`a copy of ${name}`);
  if (/^Z_/.test(code ?? "")) return damaged(name, "gzip", { cause: error });
  const what = syscall === "write" ? `copy ${name} to ${tmpdir()}` : `read ${name}`;
  return new MoietyError("input", `cannot ${what}: ${code ?? "unknown error"}`, { cause: error });
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  folders.delete(folder);
}

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
