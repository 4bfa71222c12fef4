import type { SqlEngine } from "./engine.js";

/** Pauses in milliseconds before a lost connection is opened again: a server that restarts needs a while. */
const pauses = [0, 500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/** Runs work once more where the connection is lost meanwhile, after `restore` has put back what went with it. */
export async function again<T>(engine: SqlEngine, work: () => Promise<T>, restore?: () => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!engine.lost) throw error;
    await reconnect(engine);
    await restore?.();
    return work();
  }
}

async function reconnect(engine: SqlEngine): Promise<void> {
  for (const [attempt, pause] of pauses.entries()) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      return await engine.reconnect();
    } catch (error) {
      if (attempt === pauses.length - 1) throw error;
    }
  }
}
