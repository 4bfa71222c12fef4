import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { link, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { diskReason, failed, MoietyError } from "../../errors.js";
import type { Log } from "../log.js";

/** The process that owns a folder. */
interface Owner {
  readonly pid: number;
  /** When the process began, in clock ticks since the machine started; null where the system does not say. */
  readonly began: string | null;
  /** Where the pid is unique: this boot of this machine, or this container on it. */
  readonly place: string;
}

export interface Lock {
  /** Rejects when another process has taken the folder over: this one may not write there any more. */
  readonly lost: Promise<never>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Milliseconds between an owner's heartbeats, which touch its file. */
  readonly beat?: number;
  readonly log?: Log;
}

/** Heartbeats that an owner elsewhere may miss before it counts as dead: a loaded machine misses one or two. */
const mostMissed = 4;
const suffix = ".lock";

/**
 * One folder has one owner. Each owner makes a file with the next number, which the file system gives to one process only;
 * the highest number counts, and a higher one is made only when its process is dead. On the same machine that is known at
 * once, by the pid and the time when the process began, since pids are reused; of an owner in another container or on
 * another machine it is known by the heartbeats, for which a newcomer waits a little.
 */
export async function lockFolder(
  folder: string,
  { beat = 2000, log = () => undefined }: LockOptions = {},
): Promise<Lock> {
  const self = present();
  const own = join(folder, `${randomUUID()}.claim`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(own, JSON.stringify(self), { mode: 0o600 });
    const number = await take(folder, own, self, { beat, log });
    const path = fileOf(folder, number);
    const { lost, stop } = keepAlive(folder, path, beat);
    // A process that exits removes its file, so that nobody has to wait for its heartbeats.
    const leave = () => rmSync(path, { force: true });
    process.once("exit", leave);
    lost.catch(() => process.off("exit", leave));
    const release = async () => {
      stop();
      process.off("exit", leave);
      await rm(path, { force: true });
    };
    return { lost, release };
  } catch (error) {
    if (error instanceof MoietyError) throw error;
    throw new MoietyError("output", `cannot take the folder ${folder}: ${diskReason(error)}`, { cause: error });
  } finally {
    await rm(own, { force: true });
  }
}

async function take(folder: string, own: string, self: Owner, { beat, log }: Required<LockOptions>): Promise<number> {
  for (;;) {
    const highest = Math.max(0, ...(await numbers(folder)));
    if (highest > 0) await checkDead(fileOf(folder, highest), self, folder, { beat, log });
    try {
      await link(own, fileOf(folder, highest + 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      continue;
    }
    const all = await numbers(folder);
    // Another process that saw the same dead owner was faster, and has taken a higher number.
    if (Math.max(...all) > highest + 1) {
      await rm(fileOf(folder, highest + 1), { force: true });
      continue;
    }
    for (const each of all) if (each <= highest) await rm(fileOf(folder, each), { force: true });
    return highest + 1;
  }
}

/** Throws "usage" while the owner of a lock is alive. */
async function checkDead(
  path: string,
  self: Owner,
  folder: string,
  { beat, log }: Required<LockOptions>,
): Promise<void> {
  const owner = await ownerIn(path);
  const refused = new MoietyError(
    "usage",
    `${folder} is in use by another process${owner ? ` (pid ${owner.pid})` : ""}: stop it first, or name another folder with \`state\``,
  );
  if (owner?.place === self.place) {
    const began = beginningOf(owner.pid);
    if (began === undefined) return;
    if (began !== null && owner.began !== null) {
      if (began === owner.began) throw refused;
      return;
    }
  }
  const before = await lastBeat(path);
  if (before === undefined) return;
  log(`waiting to see whether the last owner of ${folder} is alive`);
  for (let waited = 0; waited < mostMissed; waited++) {
    await new Promise((resolve) => setTimeout(resolve, beat));
    const now = await lastBeat(path);
    if (now !== undefined && now !== before) throw refused;
  }
}

function keepAlive(folder: string, path: string, beat: number): { lost: Promise<never>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const now = new Date();
      utimes(path, now, now).catch((error: NodeJS.ErrnoException) => {
        // A disk that fails for a while is no new owner.
        if (error.code !== "ENOENT") return;
        clearInterval(timer);
        reject(failed(`another process has taken over ${folder}: this one stops`));
      });
    }, beat);
    timer.unref();
  });
  return { lost, stop: () => clearInterval(timer) };
}

async function numbers(folder: string): Promise<number[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix));
  return names.map((name) => Number(name.slice(0, -suffix.length))).filter(Number.isSafeInteger);
}

function fileOf(folder: string, number: number): string {
  return join(folder, `${number}${suffix}`);
}

/** Undefined where the file is gone or damaged: then the heartbeats decide. */
async function ownerIn(path: string): Promise<Owner | undefined> {
  try {
    const { pid, began, place } = JSON.parse(await readFile(path, "utf8"));
    return Number.isSafeInteger(pid) && typeof place === "string" ? { pid, began, place } : undefined;
  } catch {
    return undefined;
  }
}

async function lastBeat(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

function present(): Owner {
  return { pid: process.pid, began: beginningOf(process.pid) ?? null, place: placeOf() };
}

/** Undefined where there is no such process, null where there is one of unknown age. */
function beginningOf(pid: number): string | null | undefined {
  try {
    // The second field, the program's name, may hold spaces and brackets; the 22nd is the time.
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    try {
      process.kill(pid, 0);
      return null;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM" ? null : undefined;
    }
  }
}

function placeOf(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
