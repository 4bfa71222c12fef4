import { realpath, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defined } from "../defined.js";
import { isEngineAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import type { PeopleAnswers } from "../learning/model.js";
import type { Language } from "../report/language.js";
import {
  type ColumnBeside,
  checkFormat,
  checkWritable,
  isParquet,
  isStandardInput,
  isStandardOutput,
  openBeside,
  writeAtomically,
  writeLabels,
  writeTable,
} from "../table/disk/index.js";
import { type Column, guarded, type NumericColumn, type People } from "../table/index.js";

/** A file to be written at the end of a run, first under another name. */
export interface Output {
  readonly path: string;
  readonly write: (temporaryPath: string) => Promise<void>;
}

/** The files that a command is asked to write. */
export interface ResultFlags {
  readonly labels?: string;
  readonly output?: string;
  readonly model?: string;
  readonly report?: string;
  readonly language?: Language;
  readonly card?: string;
  readonly json?: boolean;
}

/** For a command that writes labels: only these may go to standard output, and nothing else does then. */
export async function checkResults(
  { labels, output, model, report, card, json }: ResultFlags,
  inputs: readonly (string | undefined)[] = [],
): Promise<void> {
  const toOutput = isStandardOutput(labels);
  if (toOutput && json) {
    const seen = `--labels ${labels} and --json both write to standard output`;
    throw new MoietyError("usage", `${seen}: name a file for labels`);
  }
  await checkOutputs([toOutput ? undefined : labels, output, model, report, card], inputs);
  if (labels !== undefined) await checkFormat("labels", labels);
  if (output !== undefined) await checkFormat("output", output);
}

/** Before a long run: refuses what could not be written after it, and what would overwrite its own input. */
export async function checkOutputs(
  paths: readonly (string | undefined)[],
  inputs: readonly (string | undefined)[] = [],
): Promise<void> {
  const files = inputs.filter((path) => path !== undefined && !isStandardInput(path)) as string[];
  const read = new Set(await Promise.all(files.map(samePlace)));
  const written = new Set<string>();
  for (const path of paths) {
    if (path === undefined) continue;
    if (path === "-")
      throw new MoietyError("usage", "only --labels can go to standard output: name a file instead of -");
    const place = await samePlace(path);
    if (read.has(place))
      throw new MoietyError("usage", `${path} is read, and may not be overwritten: name another file`);
    if (written.has(place)) throw new MoietyError("usage", `two results cannot both be written to ${path}`);
    written.add(place);
    await checkWritable(path);
  }
}

/** One path for one file, whatever links lead there. */
function samePlace(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** All of the files or none: each takes its place only when all have been written, standard output last of them. */
export async function writeOutputs(outputs: readonly Output[]): Promise<void> {
  if (outputs.length === 0) return;
  const isLast = ({ path }: Output) => (isStandardOutput(path) ? 1 : 0);
  const [first, ...rest] = [...outputs].sort((a, b) => isLast(a) - isLast(b));
  if (isStandardOutput(first.path)) return first.write(first.path);
  await writeAtomically(first.path, async (temporary) => {
    await first.write(temporary);
    await writeOutputs(rest);
  });
}

/** The files that a report says were written. */
export function filesOf(outputs: readonly Output[]): string[] {
  return outputs.map(({ path }) => path).filter((path) => !isStandardOutput(path));
}

export function labelsOutput(
  path: string,
  people: Pick<People, "sourceRows" | "ids">,
  labels: Uint16Array,
  column = "cluster",
): Output {
  return tableOutput(path, (named) => writeLabels(named, people, labels, column));
}

/** The help of `--output`; `what` is the column that comes beside the source's. */
export function outputHelp(what: string): string {
  return `write the source's own columns, as they are there, and ${what} beside them, as CSV or .parquet (files only)`;
}

/** For a command that writes the source's rows once more: opens the source for that before it is read. */
export async function openOutput(path: string | undefined, source: string): Promise<SourceOutput> {
  if (path === undefined) return () => [];
  if (isEngineAddress(source)) {
    throw new MoietyError("usage", "--output is for files: use --labels, and join them by --id");
  }
  const beside = await openBeside(source);
  return ({ sourceRows }, findings) => [tableOutput(path, (named) => beside.write(named, sourceRows, findings))];
}

/** The file that was asked for, if any. */
export type SourceOutput = (people: Pick<People, "sourceRows">, findings: readonly ColumnBeside[]) => Output[];

/** Ids alone, one in each row. */
export function idsOutput(path: string, column: string, ids: readonly string[]): Output {
  const columns = [idColumn(path, column, ids)];
  return tableOutput(path, (named) => writeTable(named, { rows: ids.length, columns }));
}

/** Answers of a classifier: `row,prediction,score`, or by id; of more than two classes a score for each. */
export function answersOutput(path: string, { sourceRows, ids, answers, scores, classes }: PeopleAnswers): Output {
  // Of two classes the score is that of a yes; of more each has its own.
  const named = classes.length === 2 ? ["score"] : classes.map((name) => `score_${name}`);
  const columns = named.map((name, at) => {
    const own = Float64Array.from(answers, (_, person) => scores[person * named.length + at]);
    return numericColumn(name, own);
  });
  return byPersonOutput(path, { sourceRows, ...defined({ ids }) }, [
    { kind: "text", name: "prediction", codes: Int32Array.from(answers), levels: classes, missing: 0 },
    ...columns,
  ]);
}

/** Clusters of people who came one at a time: `row,cluster,beyond`, or by id. */
export function onlineOutput(
  path: string,
  people: Pick<People, "sourceRows" | "ids">,
  labels: Uint16Array,
  excess: Float64Array,
): Output {
  const columns = [numericColumn("cluster", Float64Array.from(labels)), numericColumn("beyond", excess)];
  return byPersonOutput(path, people, columns);
}

function byPersonOutput(path: string, people: Pick<People, "sourceRows" | "ids">, facts: readonly Column[]): Output {
  const { sourceRows, ids } = people;
  const key = ids ? idColumn(path, ids.column, ids.values) : numericColumn("row", Float64Array.from(sourceRows));
  return tableOutput(path, (named) => writeTable(named, { rows: sourceRows.length, columns: [key, ...facts] }));
}

function numericColumn(name: string, values: NumericColumn["values"]): Column {
  return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
}

export function idColumn(path: string, name: string, ids: readonly string[]): Column {
  const levels = isParquet(path) ? ids : ids.map(guarded);
  return { kind: "text", name, codes: Int32Array.from(ids, (_, at) => at), levels, missing: 0 };
}

export function tableOutput(path: string, writeTo: (path: string) => Promise<void>): Output {
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
  return textOutput(path, jsonText(value));
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function textOutput(path: string, text: string): Output {
  return { path, write: (temporary) => writeFile(temporary, text) };
}
