import { appendFileSync, truncateSync } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { diskError, MoietyError } from "../../errors.js";
import type { Log } from "../log.js";
import { seal, unseal } from "./sealed.js";
import { checkKey, type Store, type WriteOptions } from "./types.js";

/** Endings of file names: a value, the one before it, one that was found damaged, and one that is being written. */
const present = ".now";
const past = ".before";
const spoilt = ".damaged";
const unfinished = ".part";
/** Makes names of unfinished files unique in this process. */
let serial = 0;

/**
 * One file for each value, with its digest in front: written under another name, brought to the disk, and only then renamed.
 * Values of earlier versions, whose files have the bare name and no digest, are read as they are.
 */
export class FileStore implements Store {
  /** Keys whose damage was found and logged: such a value is not kept as the one before. */
  private readonly damaged = new Set<string>();

  constructor(
    readonly folder: string,
    /** Logs every file that is found damaged, once. */
    private readonly say: Log = () => undefined,
  ) {}

  async read(key: string): Promise<Uint8Array | undefined> {
    return (await this.open(key, present)) ?? (await bytesOf(this.path(key)));
  }

  async before(key: string): Promise<Uint8Array | undefined> {
    return this.open(key, past);
  }

  async write(key: string, value: Uint8Array, { copy = false }: WriteOptions = {}): Promise<void> {
    const path = this.path(key);
    const beside = `${path}.${process.pid}-${serial++}${unfinished}`;
    try {
      await makeFolder(dirname(path));
      await writeFile(beside, seal(key, value), { mode: 0o600, flush: true });
      await this.keepOld(key, copy);
      await rename(beside, path + present);
      await rm(path, { force: true });
      await syncFolder(dirname(path));
      this.damaged.delete(key);
    } catch (error) {
      await rm(beside, { force: true }).catch(() => undefined);
      throw diskError(`cannot write ${path}${present}`, error);
    }
  }

  /** Synchronous: many small pieces are added while a run waits, and that is faster on this thread than on another one. */
  async append(key: string, value: Uint8Array): Promise<void> {
    const path = this.path(key) + present;
    const size = await stat(path).then(
      (file) => file.size,
      () => undefined,
    );
    // A value of an earlier version gets a digest first.
    if (size === undefined)
      return this.write(key, Buffer.concat([(await this.read(key)) ?? value.subarray(0, 0), value]));
    try {
      appendFileSync(path, value, { mode: 0o600 });
    } catch (error) {
      // A full disk may have written a part of it.
      truncateSync(path, size);
      throw diskError(`cannot write ${path}`, error);
    }
  }

  async remove(key: string): Promise<void> {
    for (const end of [past, present, ""]) await rm(this.path(key) + end, { force: true });
  }

  async list(prefix = ""): Promise<string[]> {
    const keys = (await this.files(prefix))
      .filter((name) => name.endsWith(present) || !/\.[^/]*$/.test(name))
      .map((name) => (name.endsWith(present) ? name.slice(0, -present.length) : name))
      .filter((key) => key.startsWith(prefix));
    return [...new Set(keys)].sort();
  }

  /** Removes what a killed process was writing. Only the folder's owner may, before it writes. */
  async tidy(): Promise<void> {
    for (const name of await this.files()) if (name.endsWith(unfinished)) await rm(join(this.folder, name));
  }

  /** Reads everything, so that damage is logged while there is still a backup. */
  async check(): Promise<void> {
    for (const key of await this.list()) await this.read(key).catch(() => undefined);
  }

  /** Reads only the folder that the prefix names: there may be many jobs. */
  private async files(prefix = ""): Promise<string[]> {
    const folder = join(this.folder, ...prefix.split("/").slice(0, -1));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        relative(this.folder, join(entry.parentPath ?? entry.path, entry.name))
          .split(sep)
          .join("/"),
      );
  }

  private async open(key: string, end: string): Promise<Uint8Array | undefined> {
    const path = this.path(key) + end;
    const bytes = await bytesOf(path);
    const value = bytes && unseal(key, bytes);
    if (!bytes || value) return value;
    const message = `${path} is damaged: its digest is not that of what it holds; restore it from a backup`;
    if (end === present && !this.damaged.has(key)) {
      this.damaged.add(key);
      this.say(message, "warning");
    }
    throw new MoietyError("failed", message, { told: "what is kept there of this job is damaged" });
  }

  /** Before a new value takes its place: with `copy` the present one becomes the one before, else there is none before it. */
  private async keepOld(key: string, copy: boolean): Promise<void> {
    const path = this.path(key);
    if (!copy) return rm(path + past, { force: true });
    // A damaged file stays for whoever investigates it.
    if (this.damaged.has(key)) return rename(path + present, path + spoilt);
    const beside = `${path}.${process.pid}-${serial++}${unfinished}`;
    try {
      await link(path + present, beside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    await rename(beside, path + past);
  }

  private path(key: string): string {
    return join(this.folder, ...checkKey(key).split("/"));
  }
}

async function bytesOf(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw diskError(`cannot read ${path}`, error);
  });
}

/** A folder's name has to reach the disk too, and so do those above it that were made with it. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let each = resolve(path); each.length >= resolve(first).length; each = dirname(each)) {
    await syncFolder(dirname(each));
  }
}

/** A new name, or another one, is there for good only when its folder is on the disk too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
