import { appendFileSync, truncateSync } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { diskReason, MoietyError } from "../../errors.js";
import { seal, unseal } from "./sealed.js";
import { checkKey, type Store, type WriteOptions } from "./types.js";

/** The ends of files' names: a value, the one before it, one that was found damaged, and one that is being written. */
const present = ".now";
const past = ".before";
const spoilt = ".damaged";
const unfinished = ".part";
let serial = 0;

/**
 * One file for each value, behind its digest: written beside its place, brought to the disk, and only then renamed.
 * Values of earlier versions, whose files have the bare name and no digest, are read as they are.
 */
export class FileStore implements Store {
  /** Found damaged, and said so: not worth keeping as the value before. */
  private readonly damaged = new Set<string>();

  constructor(
    readonly folder: string,
    /** Told of every file that is found damaged, once, whatever becomes of it. */
    private readonly say: (line: string) => void = () => undefined,
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
      const file = await open(beside, "w", 0o600);
      try {
        await file.writeFile(seal(key, value));
        await file.sync();
      } finally {
        await file.close();
      }
      await this.keepOld(key, copy);
      await rename(beside, path + present);
      await rm(path, { force: true });
      await syncFolder(dirname(path));
      this.damaged.delete(key);
    } catch (error) {
      await rm(beside, { force: true }).catch(() => undefined);
      throw unwritten(path + present, error);
    }
  }

  /** Many small pieces come this way, while somebody waits: on this thread that is faster than on another one. */
  async append(key: string, value: Uint8Array): Promise<void> {
    const path = this.path(key) + present;
    const size = await stat(path).then(
      (file) => file.size,
      () => undefined,
    );
    // What earlier versions have begun gets a digest first.
    if (size === undefined)
      return this.write(key, Buffer.concat([(await this.read(key)) ?? value.subarray(0, 0), value]));
    try {
      appendFileSync(path, value, { mode: 0o600 });
    } catch (error) {
      // A full disk may have taken a part of it.
      truncateSync(path, size);
      throw unwritten(path, error);
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

  /** Takes away what a killed process was writing. For the folder's owner alone, before it writes. */
  async tidy(): Promise<void> {
    for (const name of await this.files()) if (name.endsWith(unfinished)) await rm(join(this.folder, name));
  }

  /** Looks at everything, also at what nobody asks for: damage is said while there is a backup. */
  async check(): Promise<void> {
    for (const key of await this.list()) await this.read(key).catch(() => undefined);
  }

  /** Only the folder that the prefix names is looked at: there may be many jobs. */
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
      this.say(message);
    }
    throw new MoietyError("failed", message, { told: "what is kept there of this job is damaged" });
  }

  /** Before a value takes its place: the one that is there becomes the one before, or there is none before it. */
  private async keepOld(key: string, copy: boolean): Promise<void> {
    const path = this.path(key);
    if (!copy) return rm(path + past, { force: true });
    // Whoever looks into it will want to see it.
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
    const why = diskReason(error);
    throw new MoietyError("output", `cannot read ${path}: ${why}`, { cause: error, told: why });
  });
}

/** What a store throws when a value cannot be brought to the disk. */
function unwritten(path: string, error: unknown): MoietyError {
  const why = diskReason(error);
  return new MoietyError("output", `cannot write ${path}: ${why}`, { cause: error, told: why });
}

/** A folder's name has to reach the disk too, and so do those above it that were made with it. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let each = resolve(path); each.length >= resolve(first).length; each = dirname(each)) {
    await syncFolder(dirname(each));
  }
}

/** A rename has happened for good only when its folder is on the disk too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
