import { rmSync } from "node:fs";
import { access, constants, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { diskReason, MoietyError } from "../../errors.js";

/** Files that are being written, so that an interrupted process can remove them on its way out. */
const unfinished = new Set<string>();
let serial = 0;

/**
 * Has `write` fill a file beside the target and then puts it in the target's place: whoever looks sees the old file or
 * the whole new one, never half of it, and a failure leaves nothing behind.
 */
export async function writeAtomically(path: string, write: (temporaryPath: string) => Promise<void>): Promise<void> {
  const target = await resolveTarget(path);
  if (target.special) {
    // A terminal or a pipe cannot be replaced, only written to.
    await write(target.path).catch((error: unknown) => {
      throw outputError(path, error);
    });
    return;
  }
  const temporary = join(dirname(target.path), `.${basename(target.path)}.${process.pid}-${serial++}.part`);
  unfinished.add(temporary);
  try {
    await write(temporary);
    const file = await open(temporary, "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target.path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw outputError(path, error);
  } finally {
    unfinished.delete(temporary);
  }
}

/** Removes what unfinished writes have left so far; for a process that is about to end on a signal. */
export function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { force: true });
  unfinished.clear();
}

/** Fails early, before a long run, when its result could not be written. */
export async function checkWritable(path: string): Promise<void> {
  const target = await resolveTarget(path);
  try {
    const exists = await stat(target.path).then(
      () => true,
      () => false,
    );
    if (exists) await access(target.path, constants.W_OK);
    if (!target.special) await access(dirname(target.path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw outputError(path, error);
  }
}

/** Follows links, so that a link stays one; refuses folders, and folders that do not exist. */
async function resolveTarget(path: string): Promise<{ path: string; special: boolean }> {
  let resolved = path;
  let special = false;
  try {
    const entry = await stat(path);
    if (entry.isDirectory()) throw cannotWrite(path, "it is a folder");
    special = !entry.isFile();
    if (!special) resolved = await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw outputError(path, error);
    const folder = await stat(dirname(path)).catch(() => undefined);
    if (folder === undefined) throw noFolder(path, error);
    if (!folder.isDirectory()) throw cannotWrite(path, `${dirname(path)} is not a folder`, error, "not a folder");
  }
  return { path: resolved, special };
}

function outputError(path: string, error: unknown): MoietyError {
  if (error instanceof MoietyError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return noFolder(path, error);
  if (code !== undefined) return cannotWrite(path, diskReason(error), error);
  // The engine that writes Parquet reports the system's words instead of its codes, and may quote data beside them.
  if (/no space left/i.test(message ?? "")) return cannotWrite(path, diskReason({ code: "ENOSPC" }));
  if (/permission denied/i.test(message ?? "")) return cannotWrite(path, diskReason({ code: "EACCES" }));
  return cannotWrite(path, diskReason({}));
}

function noFolder(path: string, cause: unknown): MoietyError {
  return cannotWrite(path, `there is no folder ${dirname(path)}`, cause, "there is no such folder");
}

function cannotWrite(path: string, why: string, cause?: unknown, told = why): MoietyError {
  return new MoietyError("output", `cannot write ${path}: ${why}`, { cause, told });
}
