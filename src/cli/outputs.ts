import { realpath, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { MoietyError } from "../errors.js";
import type { ClassifierPrediction } from "../learning/model.js";
import {
  type Column,
  checkWritable,
  guarded,
  isParquet,
  type People,
  writeAtomically,
  writeLabels,
  writeTable,
} from "../table/index.js";

/** A file to be written at the end of a run, first under another name. */
export interface Output {
  readonly path: string;
  readonly write: (temporaryPath: string) => Promise<void>;
}

/** Before a long run: refuses what could not be written after it, and what would overwrite its own input. */
export async function checkOutputs(
  paths: readonly (string | undefined)[],
  inputs: readonly (string | undefined)[] = [],
): Promise<void> {
  const read = new Set(await Promise.all(inputs.filter((path) => path !== undefined).map(samePlace)));
  const written = new Set<string>();
  for (const path of paths) {
    if (path === undefined) continue;
    const place = await samePlace(path);
    if (read.has(place))
      throw new MoietyError("usage", `${path} is read, and may not be overwritten: name another file`);
    if (written.has(place)) throw new MoietyError("usage", `two results cannot both be written to ${path}`);
    written.add(place);
    await checkWritable(path);
  }
}

/** One name for one file, whatever links lead there. */
function samePlace(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** All of the files or none: each takes its place only when all have been written. */
export async function writeOutputs(outputs: readonly Output[]): Promise<void> {
  if (outputs.length === 0) return;
  const [first, ...rest] = outputs;
  await writeAtomically(first.path, async (temporary) => {
    await first.write(temporary);
    await writeOutputs(rest);
  });
}

export function labelsOutput(path: string, people: Pick<People, "sourceRows" | "ids">, labels: Uint16Array): Output {
  return tableOutput(path, (named) => writeLabels(named, people, labels));
}

/** Ids alone, one in each row. */
export function idsOutput(path: string, column: string, ids: readonly string[]): Output {
  const columns = [idColumn(path, column, ids)];
  return tableOutput(path, (named) => writeTable(named, { rows: ids.length, columns }));
}

/** Answers of a classifier: `row,prediction,score`, or by id. */
export function answersOutput(
  path: string,
  { sourceRows, ids, answers, scores }: ClassifierPrediction,
  classes: readonly [string, string],
): Output {
  const rows = sourceRows.length;
  const key: Column =
    ids === undefined
      ? { kind: "numeric", name: "row", values: Float64Array.from(sourceRows), missing: 0, notFinite: 0 }
      : idColumn(path, ids.column, ids.values);
  const columns: Column[] = [
    key,
    { kind: "text", name: "prediction", codes: Int32Array.from(answers), levels: classes, missing: 0 },
    { kind: "numeric", name: "score", values: scores, missing: 0, notFinite: 0 },
  ];
  return tableOutput(path, (named) => writeTable(named, { rows, columns }));
}

function idColumn(path: string, name: string, ids: readonly string[]): Column {
  const levels = isParquet(path) ? ids : ids.map(guarded);
  return { kind: "text", name, codes: Int32Array.from(ids, (_, at) => at), levels, missing: 0 };
}

function tableOutput(path: string, writeTo: (path: string) => Promise<void>): Output {
  return {
    path,
    async write(temporary) {
      // A terminal or a pipe is written to as it is.
      if (temporary === path) return writeTo(path);
      // The format goes by the name's ending, which may be a double one.
      const named = `${temporary}${/(\.[ct]sv)?\.[^.]*$/i.exec(path)?.[0] ?? ""}`;
      try {
        await writeTo(named);
        await rename(named, temporary);
      } catch (error) {
        await rm(named, { force: true });
        if (!(error instanceof MoietyError)) throw error;
        throw new MoietyError(error.code, error.message.replaceAll(named, path), { cause: error });
      }
    },
  };
}

export function jsonOutput(path: string, value: unknown): Output {
  return { path, write: (temporary) => writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`) };
}

export function textOutput(path: string, text: string): Output {
  return { path, write: (temporary) => writeFile(temporary, text) };
}
