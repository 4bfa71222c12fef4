import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";

/** Whose log it is. Each stage of a job has one of its own. */
interface LoggedRun {
  readonly hash: string;
  readonly stage?: { readonly number: number } | undefined;
}

/** The log of a run up to a checkpoint: the results since the one before, under the position of each. */
export async function loadResults(
  store: Store,
  { position, ...logged }: LoggedRun & { readonly position: number | null },
): Promise<unknown[]> {
  if (position === null) return [];
  const folder = logFolder(logged);
  const positions = (await store.list(folder)).map((key) => Number(key.slice(folder.length))).sort((a, b) => a - b);
  const results: unknown[] = [];
  for (const at of positions) {
    if (at <= position) results.push(...((await readRecord<unknown[]>(store, `${folder}${at}`)) ?? []));
  }
  return results;
}

export function saveResults(
  store: Store,
  logged: LoggedRun,
  position: number,
  results: readonly unknown[],
): Promise<void> {
  return writeRecord(store, `${logFolder(logged)}${position}`, results);
}

/** Forgets the results before a position: of a training, each stands for all before it. */
export async function dropResults(store: Store, hash: string, before: number): Promise<void> {
  const positionOf = (key: string) => Number(key.slice(key.lastIndexOf("/") + 1));
  for (const key of await store.list(`jobs/${hash}/log/`)) if (positionOf(key) < before) await store.remove(key);
}

function logFolder({ hash, stage }: LoggedRun): string {
  return `jobs/${hash}/log/${stage?.number ?? 0}/`;
}
