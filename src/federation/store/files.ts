import { appendFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { MoietyError } from "../../errors.js";
import { checkKey, type Store } from "./types.js";

const unfinished = /\.part$/;
let serial = 0;

/** One file for each value: written beside its place, brought to the disk, and only then renamed. */
export class FileStore implements Store {
  constructor(readonly folder: string) {}

  async read(key: string): Promise<Uint8Array | undefined> {
    return readFile(this.path(key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new MoietyError("failed", `cannot read ${this.path(key)}: ${error.code}`, { cause: error });
    });
  }

  async write(key: string, value: Uint8Array): Promise<void> {
    const path = this.path(key);
    const beside = `${path}.${process.pid}-${serial++}.part`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(beside, "w", 0o600);
      try {
        await file.writeFile(value);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(beside, { force: true }).catch(() => undefined);
      throw unwritten(path, error);
    }
  }

  /** Many small pieces come this way, while somebody waits: on this thread that is faster than on another one. */
  async append(key: string, value: Uint8Array): Promise<void> {
    const path = this.path(key);
    try {
      appendFileSync(path, value, { mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unwritten(path, error);
      await this.write(key, value);
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { force: true });
  }

  async list(prefix = ""): Promise<string[]> {
    // Only the folder that the prefix names is looked at: there may be many jobs.
    const folder = join(this.folder, ...prefix.split("/").slice(0, -1));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile() && !unfinished.test(entry.name))
      .map((entry) =>
        relative(this.folder, join(entry.parentPath ?? entry.path, entry.name))
          .split(sep)
          .join("/"),
      )
      .filter((key) => key.startsWith(prefix))
      .sort();
  }

  private path(key: string): string {
    return join(this.folder, ...checkKey(key).split("/"));
  }
}

function unwritten(path: string, error: unknown): MoietyError {
  const { code } = error as NodeJS.ErrnoException;
  return new MoietyError("output", `cannot write ${path}: ${code === "ENOSPC" ? "disk full" : code}`, { cause: error });
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
