import { defined } from "../defined.js";
import { readSource } from "../engines/read-source.js";
import { MoietyError } from "../errors.js";
import { namesOf } from "../learning/classes.js";
import { classifications } from "../metrics/index.js";
import { answersEvaluation } from "../report/answers.js";
import { isParquet, readTable, tableOfSource } from "../table/disk/index.js";
import {
  asLevels,
  attributeOf,
  type Column,
  checkOnePerRow,
  type NumericColumn,
  type Table,
  withoutGuard,
} from "../table/index.js";
import { readingOf, someAttributes } from "./columns.js";
import type { EvaluateFlags } from "./evaluate.js";
import { rowFinder } from "./labelled.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

/** Measures a classifier's answers, ours or anybody's: `row,prediction,score`, by row or by id; the score may be absent. */
export async function evaluateAnswers(
  source: string,
  flags: EvaluateFlags & { readonly label: string },
  session: Session,
): Promise<void> {
  const seconds = stopwatch();
  const protect = someAttributes(flags.protect);
  session.progress.say("reading");
  const named = flags.id === undefined ? [] : [flags.id];
  const table = await readSource(await tableOfSource(source), { ...readingOf(flags), text: named });
  const file = await readTable(flags.labels, { text: [...named, "prediction"] }).catch((error: unknown) => {
    if (!(error instanceof MoietyError && /prediction/.test(error.message))) throw error;
    throw new MoietyError("input", `${flags.labels} has no column 'prediction': moiety predict writes one`);
  });
  const read = seconds();
  const { readLabel } = await import("../learning/label.js");
  const label = readLabel(table, flags.label, defined({ positive: flags.positive }));
  const rows = rowsOf(table, file, flags);
  const answers = answersOf(file, label.classes, flags.labels);
  const scores = file.columns.find(({ name }) => name === "score");
  const attributes = protect.map((spec) => attributeOf(table, spec, rows, defined({ maxGroups: flags.maxGroups })));
  const measures = classifications(attributes, {
    scores: scores?.kind === "numeric" ? scores.values : answers,
    answers,
    labels: Uint8Array.from(rows, (row) => label.codes[row]),
    classes: label.classes,
  });
  session.progress.stop();
  const result = {
    ...measures,
    label: namesOf(label.classes),
    protected: attributes.map(({ name }) => name).join(", "),
    seconds: { read, total: seconds() },
  };
  printResult(flags, result, answersEvaluation(result));
  warn(table.warnings ?? []);
}

/** The row of the table that each answer is about. */
function rowsOf(table: Table, file: Table, { id, labels: path }: EvaluateFlags): Uint32Array {
  const column = (of: Table, name: string) => of.columns.find((each) => each.name === name);
  const row = column(file, "row");
  if (id === undefined && row?.kind !== "numeric") {
    checkOnePerRow(`${path} has ${file.rows} answers`, file.rows, table.rows);
    return Uint32Array.from({ length: table.rows }, (_, each) => each);
  }
  const rowOf = rowFinder(table, id === undefined ? (row as NumericColumn).values : idsIn(id), id);
  const rows = Array.from({ length: file.rows }, (_, answer) => rowOf(answer));
  const unknown = rows.filter((each) => each === undefined).length;
  if (unknown === 0) return Uint32Array.from(rows as number[]);
  const seen = `${path} has predictions for ${unknown} people who are not in the table of ${table.rows} rows`;
  throw new MoietyError("input", `${seen}: use the answers about this very table`);

  function idsIn(name: string): string[] {
    const asked = column(file, name);
    if (!asked || !column(table, name)) {
      throw new MoietyError("input", `--id names '${name}', which the table or ${path} does not have`);
    }
    const { codes, levels } = asLevels(asked);
    const ids = isParquet(path) ? levels : levels.map(withoutGuard);
    return Array.from(codes, (code) => ids[code] ?? "");
  }
}

function answersOf(file: Table, classes: readonly string[], path: string): Uint8Array {
  const column = asLevels(file.columns.find(({ name }) => name === "prediction") as Column);
  const unknown = column.levels.filter((level) => !classes.includes(level)).length;
  if (column.missing > 0 || unknown > 0) {
    const seen = `${path} has ${column.missing} rows without a prediction and ${unknown} unknown classes`;
    const names = classes.map((name) => `'${name}'`);
    throw new MoietyError("input", `${seen}: predictions are ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`);
  }
  const places = column.levels.map((level) => classes.indexOf(level));
  return Uint8Array.from(column.codes, (code) => places[code]);
}
