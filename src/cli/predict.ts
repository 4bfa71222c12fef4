import type { Command } from "commander";
import { isClassifier } from "../learning/format.js";
import { clusterSizes } from "../metrics/index.js";
import { answersReport, predictReport } from "../report/predict.js";
import { isStandardOutput, readImages, readTable, tableOfSource } from "../table/disk/index.js";
import type { ColumnsUsed, MissingRule, Table } from "../table/index.js";
import { addReadingOptions, missingRule, type ReadingFlags, readingOf, sourceDescription } from "./columns.js";
import { readJson } from "./json.js";
import { answersOutput, checkResults, filesOf, labelsOutput, writeOutputs } from "./outputs.js";
import { defined, print, printJson, type Session, stopwatch, warn } from "./session.js";

interface PredictFlags extends ReadingFlags {
  readonly model: string;
  readonly labels: string;
  readonly id?: string;
  readonly missing?: MissingRule;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety cluster people.csv --k 5 --model model.json
  $ moiety predict newcomers.csv --model model.json --labels newcomers-labels.csv`;

/** A classifier's model: the answers and the probabilities of a yes. */
async function runClassifier(source: string, flags: PredictFlags, session: Session, json: unknown): Promise<void> {
  const seconds = stopwatch();
  const { classifierColumns, classify, parseClassifier } = await import("../learning/model.js");
  const model = parseClassifier(json, flags.model);
  session.progress.say("reading");
  const path = await tableOfSource(source);
  const named = flags.id === undefined ? [] : [flags.id];
  const images = model.input.kind === "images" ? [model.input.column] : [];
  const table = await readTable(path, {
    ...readingOf(flags),
    columns: [...classifierColumns(model), ...named],
    text: [...named, ...images],
  });
  const pictures = images[0] === undefined ? undefined : await readImages(table, images[0], path);
  const read = seconds();
  session.progress.say("predicting");
  const prediction = await classify(model, table, defined({ id: flags.id, missing: flags.missing, pictures }));
  const { answers, warnings } = prediction;
  const used = modelColumns(classifierColumns(model), table);
  const classes = [model.label.negative, model.label.positive] as const;
  const outputs = [answersOutput(flags.labels, prediction, classes)];
  await writeOutputs(outputs);
  session.progress.stop();
  const yes = answers.reduce((count, answer) => count + answer, 0);
  const { provenance, label, net } = model;
  const result = {
    algorithm: provenance.algorithm,
    net,
    n: answers.length,
    ...used,
    label,
    positives: yes,
    positiveRate: answers.length === 0 ? 0 : yes / answers.length,
    seconds: { read, total: seconds() },
    warnings,
  };
  if (flags.json) printJson(result);
  else print(answersReport(result, filesOf(outputs)), isStandardOutput(flags.labels));
  warn(warnings);
}

/** A model says which columns it looks at. */
function modelColumns(features: readonly string[], { unread = [] }: Table): ColumnsUsed {
  return { features, leftOut: unread.map((column) => ({ column, why: "not in the model" })) };
}

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", sourceDescription)
    .requiredOption("--model <file>", "what moiety cluster --model, or train --model, has written")
    .requiredOption(
      "--labels <file>",
      "write row,cluster or row,prediction,score (or id,…) as CSV or .parquet; - is standard output",
    )
    .option("--id <name>", "the column that names people")
    .option("--missing <rule>", "error, drop or mean (default: error)", missingRule);
  addReadingOptions(command)
    .option("--json", "print the result as JSON")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action((source: string, flags: PredictFlags) => run(source, flags, session));
}

async function run(source: string, flags: PredictFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  await checkResults({ labels: flags.labels, ...defined({ json: flags.json }) }, [source, flags.model]);
  // Loaded here, so that --help and wrong usage need not wait for it.
  const json = await readJson("model", flags.model);
  if (isClassifier(json)) return runClassifier(source, flags, session, json);
  const { parseModel, predict } = await import("../algorithms/model.js");
  const model = parseModel(json, flags.model);
  session.progress.say("reading");
  const named = flags.id === undefined ? [] : [flags.id];
  const columns = [...model.encodings.map(({ column }) => column), ...named];
  const table = await readTable(source, { ...readingOf(flags), columns, text: named });
  const read = seconds();
  session.progress.say("predicting");
  const prediction = await predict(model, table, defined({ id: flags.id, missing: flags.missing }));
  const outputs = [labelsOutput(flags.labels, prediction, prediction.labels)];
  await writeOutputs(outputs);
  session.progress.stop();

  const { labels, warnings } = prediction;
  const { k, provenance } = model;
  const sizes = clusterSizes(labels, k);
  const result = {
    algorithm: provenance.algorithm,
    n: labels.length,
    ...modelColumns(
      model.encodings.map(({ column }) => column),
      table,
    ),
    k,
    sizes,
    seconds: { read, total: seconds() },
    warnings,
  };
  if (flags.json) printJson(result);
  else print(predictReport(result, filesOf(outputs)), isStandardOutput(flags.labels));
  warn(warnings);
}
