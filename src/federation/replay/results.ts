import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";

/** Where the log of a run is kept. Each stage of a job has one of its own. */
function logFolder(job: string, stage: number): string {
  return `jobs/${job}/log/${stage}/`;
}

/** The log of a run up to a checkpoint: the results since the one before, under the position of each. */
export async function loadResults(store: Store, job: string, position: number | null, stage = 0): Promise<unknown[]> {
  if (position === null) return [];
  const folder = logFolder(job, stage);
  const positions = (await store.list(folder)).map((key) => Number(key.slice(folder.length))).sort((a, b) => a - b);
  const results: unknown[] = [];
  for (const at of positions) {
    if (at <= position) results.push(...((await readRecord<unknown[]>(store, `${folder}${at}`)) ?? []));
  }
  return results;
}

export function saveResults(
  store: Store,
  job: string,
  position: number,
  results: readonly unknown[],
  stage = 0,
): Promise<void> {
  return writeRecord(store, `${logFolder(job, stage)}${position}`, results);
}

/** Removes the results before a position: of a training, each stands for all before it. */
export async function dropResults(store: Store, job: string, before: number): Promise<void> {
  const positionOf = (key: string) => Number(key.slice(key.lastIndexOf("/") + 1));
  for (const key of await store.list(`jobs/${job}/log/`)) if (positionOf(key) < before) await store.remove(key);
}
