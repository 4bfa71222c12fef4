import { MoietyError } from "../errors.js";
import { classification } from "../metrics/index.js";
import { answersEvaluation } from "../report/answers.js";
import { isParquet, readTable, tableOfSource } from "../table/disk/index.js";
import { asLevels, attributeOf, type Column, type Table, withoutGuard } from "../table/index.js";
import { readingOf } from "./columns.js";
import type { EvaluateFlags } from "./evaluate.js";
import { defined, print, printJson, type Session, stopwatch, warn } from "./session.js";

/** Measures a classifier's answers, ours or anybody's: `row,prediction,score`, by row or by id; the score may be absent. */
export async function evaluateAnswers(
  source: string,
  flags: EvaluateFlags & { readonly label: string },
  session: Session,
): Promise<void> {
  const seconds = stopwatch();
  if (flags.protect?.length !== 1) {
    const advice = "give one, such as --protect sex, or an intersection, such as --protect 'sex*race'";
    throw new MoietyError("usage", `--protect names ${flags.protect?.length ?? 0} attributes: ${advice}`);
  }
  session.progress.say("reading");
  const named = flags.id === undefined ? [] : [flags.id];
  const table = await readTable(await tableOfSource(source), { ...readingOf(flags), text: named });
  const file = await readTable(flags.labels, { text: [...named, "prediction"] }).catch(async (error: unknown) => {
    if (error instanceof MoietyError && /prediction/.test(error.message)) {
      throw new MoietyError("input", `${flags.labels} has no column 'prediction': moiety predict writes one`);
    }
    throw error;
  });
  const read = seconds();
  const { readLabel } = await import("../learning/label.js");
  const label = readLabel(table, flags.label, defined({ positive: flags.positive }));
  const rows = rowsOf(table, file, flags);
  const answers = answersOf(file, label.classes, flags.labels);
  const scores = file.columns.find(({ name }) => name === "score");
  const attribute = attributeOf(table, flags.protect[0], rows, defined({ maxGroups: flags.maxGroups }));
  const measures = classification({
    scores: scores?.kind === "numeric" ? scores.values : answers,
    answers,
    labels: Uint8Array.from(rows, (row) => label.codes[row]),
    groups: attribute.groups,
    codes: attribute.codes,
  });
  session.progress.stop();
  const result = {
    ...measures,
    label: { negative: label.classes[0], positive: label.classes[1] },
    protected: attribute.name,
    seconds: { read, total: seconds() },
  };
  if (flags.json) printJson(result);
  else print(answersEvaluation(result));
  warn(table.warnings ?? []);
}

/** The row of the table that each answer is about. */
function rowsOf(table: Table, file: Table, { id, labels: path }: EvaluateFlags): Uint32Array {
  const column = (of: Table, name: string) => of.columns.find((each) => each.name === name);
  const strange = (count: number) => {
    const seen = `${path} has predictions for ${count} people who are not in the table of ${table.rows} rows`;
    return new MoietyError("input", `${seen}: use the answers about this very table`);
  };
  if (id !== undefined) {
    const [people, asked] = [column(table, id), column(file, id)];
    if (!people || !asked)
      throw new MoietyError("input", `--id names '${id}', which the table or ${path} does not have`);
    const [known, given] = [asLevels(people), asLevels(asked)];
    const rowOf = new Map<string, number>();
    known.codes.forEach((code, row) => {
      if (code >= 0) rowOf.set(known.levels[code], row);
    });
    const ids = isParquet(path) ? given.levels : given.levels.map(withoutGuard);
    const rows = Array.from(given.codes, (code) => rowOf.get(ids[code] ?? "") ?? -1);
    const strangers = rows.filter((row) => row < 0).length;
    if (strangers > 0) throw strange(strangers);
    return Uint32Array.from(rows);
  }
  const rows = column(file, "row");
  if (rows?.kind === "numeric") {
    const strangers = rows.values.filter((row) => !(Number.isInteger(row) && row >= 0 && row < table.rows)).length;
    if (strangers > 0) throw strange(strangers);
    return Uint32Array.from(rows.values);
  }
  if (file.rows !== table.rows) {
    const seen = `${path} has ${file.rows} answers without row numbers for a table of ${table.rows} rows`;
    throw new MoietyError("input", `${seen}: give one for each row, or a column 'row'`);
  }
  return Uint32Array.from({ length: table.rows }, (_, row) => row);
}

function answersOf(file: Table, classes: readonly [string, string], path: string): Uint8Array {
  const column = asLevels(file.columns.find(({ name }) => name === "prediction") as Column);
  const strange = column.levels.filter((level) => !classes.includes(level)).length;
  if (column.missing > 0 || strange > 0) {
    const seen = `${path} has ${column.missing} rows without a prediction and ${strange} unknown classes`;
    throw new MoietyError("input", `${seen}: predictions are '${classes[0]}' or '${classes[1]}'`);
  }
  return Uint8Array.from(column.codes, (code) => (column.levels[code] === classes[1] ? 1 : 0));
}
