import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { SqlEngine } from "./engine.js";

const prefix = "moiety_work";
/** The tables of a run elsewhere that nobody has dropped after so many seconds are nobody's any more. */
const longestRun = 2 * 24 * 3600;

const here = createHash("md5").update(hostname()).digest("hex").slice(0, 8);
const began = Math.floor(Date.now() / 1000);

/** The name of a working table: it says which process made it, and when that began. */
export function workingTable(part: string): string {
  return [prefix, here, process.pid, began, part].join("_");
}

/** Drops what runs that ended badly have left in an engine where working tables stay. */
export async function dropLeftovers(engine: SqlEngine): Promise<void> {
  if (!engine.dialect.workingStays) return;
  for (const name of (await engine.tables()).filter(isLeftover)) {
    await engine.run(`DROP TABLE IF EXISTS ${engine.dialect.quote(name)}`);
  }
}

function isLeftover(name: string): boolean {
  const [, host, pid, time] = new RegExp(`^${prefix}_([0-9a-f]{8})_(\\d+)_(\\d+)_`).exec(name) ?? [];
  if (host === undefined) return false;
  if (host !== here) return Number(time) < began - longestRun;
  return Number(pid) !== process.pid && !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
