import type { Command } from "commander";
import { defined } from "../defined.js";
import { readSource } from "../engines/read-source.js";
import { MoietyError } from "../errors.js";
import { isClassifier } from "../learning/format.js";
import { clusterSizes } from "../metrics/index.js";
import { type PredictFacts, predictReport } from "../report/predict.js";
import type { ScannedPrediction } from "../scans/predict.js";
import type { LabelSink, Scanner } from "../scans/scanner.js";
import { isStandardOutput, readImages, streamLabels, tableOfSource } from "../table/disk/index.js";
import { type ColumnsUsed, type MissingRule, parseProtected, type Table } from "../table/index.js";
import { addReadingOptions, missingRule, type ReadingFlags, readingOf, scannedDescription } from "./columns.js";
import { readJson } from "./input-files.js";
import {
  answersOutput,
  checkResults,
  filesOf,
  labelsOutput,
  type Output,
  tableOutput,
  writeOutputs,
} from "./outputs.js";
import {
  addMemoryOption,
  checkEngineFlags,
  followScans,
  labelsTableHelp,
  whereabouts,
  withScanner,
} from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";
import { protectList } from "./values.js";

interface PredictFlags extends ReadingFlags {
  readonly model: string;
  readonly labels: string;
  readonly labelsTable?: string;
  readonly id?: string;
  readonly protect?: readonly string[];
  readonly missing?: MissingRule;
  readonly memory?: string;
  readonly inMemory?: boolean;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety cluster people.csv --k 5 --model model.json
  $ moiety predict newcomers.csv --model model.json --labels newcomers-labels.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", scannedDescription)
    .requiredOption("--model <file>", "what moiety cluster --model, or train --model, has written")
    .option(
      "--labels <file>",
      "write row,cluster or row,prediction,score (or id,…; of several classes a score for each) as CSV or .parquet; - is standard output",
    )
    .option("--labels-table <name>", labelsTableHelp)
    .option("--id <name>", "the column that names people")
    .option(
      "--protect <names>",
      "say how unfair the answer is to these groups; it does not depend on them",
      protectList,
    )
    .option("--missing <rule>", "error, drop or mean (default: error)", missingRule);
  addMemoryOption(addReadingOptions(command))
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: PredictFlags) => run(source, flags, session));
}

async function run(source: string, flags: PredictFlags, session: Session): Promise<void> {
  const path = await tableOfSource(source);
  const where = await whereabouts(path, flags);
  if (where === "engine") return predictInEngine(source, flags, session);
  if (flags.labels === undefined) throw new MoietyError("usage", "where do the labels go? Name a file with --labels");
  const seconds = stopwatch();
  await checkResults({ labels: flags.labels, ...defined({ json: flags.json }) }, [source, flags.model]);
  if (where === "stream") return predictStreamed(path, flags, session);
  const json = await readJson("model", flags.model);
  if (isClassifier(json) && flags.protect) {
    throw new MoietyError("usage", "--protect is for models of clusters: measure a classifier with moiety evaluate");
  }
  const model = isClassifier(json) ? await classifierIn(json, flags) : await clustersIn(json, flags);
  session.progress.say("reading");
  const named = flags.id === undefined ? [] : [flags.id];
  const groups = (flags.protect ?? []).flatMap((each) => parseProtected(each).map(({ column }) => column));
  const table = await readSource(path, {
    ...readingOf(flags),
    columns: [...new Set([...model.columns, ...named, ...groups])],
    text: [...named, ...model.images],
  }).catch(model.explain);
  const read = seconds();
  session.progress.say("predicting");
  const leftOut = (table.unread ?? []).map((column) => ({ column, why: "not in the model" }));
  const { output, warnings, facts } = await model.predict(table, path, { features: model.columns, leftOut });
  await writeOutputs([output]);
  session.progress.stop();
  const result = { ...facts, method: "in-memory", seconds: { read, total: seconds() }, warnings };
  printResult(flags, result, predictReport(result, filesOf([output])), isStandardOutput(flags.labels));
  warn(warnings);
}

/** People who stay in their engine: it looks for the nearest centres. */
async function predictInEngine(source: string, flags: PredictFlags, session: Session): Promise<void> {
  const { labels: file, labelsTable: table } = flags;
  checkEngineFlags({ ...flags });
  if ((file === undefined) === (table === undefined)) {
    throw new MoietyError(
      "usage",
      "where do the labels go? Name either a table with --labels-table or a file with --labels",
    );
  }
  await checkResults(defined({ labels: file, json: flags.json }), [flags.model]);
  const { connectPeople } = await import("../engines/connect.js");
  const { onEngine } = followScans(session, "predicting");
  return predictScanning(flags, session, (signal) =>
    connectPeople(source, { ...defined({ labelsTable: table }), signal, onProgress: onEngine }),
  );
}

/** People who do not fit: they are read in chunks. */
async function predictStreamed(source: string, flags: PredictFlags, session: Session): Promise<void> {
  const { StreamedScanner } = await import("../engines/streamed/streamed-scanner.js");
  const { onRows } = followScans(session, "predicting");
  const { na, decimal, id, memory } = flags;
  return predictScanning(flags, session, (signal) =>
    StreamedScanner.open(source, { ...defined({ na, decimal, id, memory }), onRows, signal }),
  );
}

async function predictScanning(
  flags: PredictFlags,
  session: Session,
  open: (signal: AbortSignal) => Promise<Scanner & { readonly warnings?: readonly string[] }>,
): Promise<void> {
  const seconds = stopwatch();
  const { labels: file, labelsTable: table, id, missing, protect } = flags;
  const json = await readJson("model", flags.model);
  const { parseModel } = await import("../algorithms/model.js");
  const { predictScanned } = await import("../scans/predict.js");
  await session.interruption.during(async (signal) => {
    await withScanner(await open(signal), async (scanner) => {
      if (isClassifier(json)) {
        const { intoMemory } = await import("../scans/checks.js");
        const advice = `${intoMemory(scanner.method)}, or use a model of clusters`;
        throw new MoietyError("usage", `a classifier's people have to be in memory: ${advice}`);
      }
      const model = parseModel(json, flags.model);
      const told = (sink: LabelSink) => predictScanned(scanner, model, defined({ id, missing, protect }), sink);
      let found: ScannedPrediction | undefined;
      const outputs =
        file === undefined
          ? []
          : [
              tableOutput(file, (named) =>
                streamLabels(named, id, async (sink) => {
                  found = await told(sink);
                }),
              ),
            ];
      if (table !== undefined) found = await told({ table, write: async () => undefined });
      await writeOutputs(outputs);
      const { warnings: own, ...facts } = found as ScannedPrediction;
      session.progress.stop();
      const { k, provenance, encodings } = model;
      const warnings = [...(scanner.warnings ?? []), ...own];
      const result = {
        algorithm: provenance.algorithm,
        method: scanner.method,
        ...facts,
        features: encodings.map(({ column }) => column),
        k,
        seconds: { read: 0, total: seconds() },
        warnings,
      };
      const written = [...filesOf(outputs), ...(table === undefined ? [] : [`table ${table}`])];
      printResult(flags, result, predictReport(result, written), isStandardOutput(file));
      warn(warnings);
    });
  });
}

/** A model of either kind, ready for the people of a table. */
interface LoadedModel {
  /** The columns that it looks at. */
  readonly columns: readonly string[];
  /** Those of them that name pictures. */
  readonly images: readonly string[];
  /** Throws a failure to read these columns again, with what the model needs them for. */
  explain(error: unknown): never;
  predict(
    table: Table,
    path: string,
    used: ColumnsUsed,
  ): Promise<{ output: Output; warnings: readonly string[]; facts: PredictFacts }>;
}

async function clustersIn(json: unknown, flags: PredictFlags): Promise<LoadedModel> {
  const { parseModel, predict } = await import("../algorithms/model.js");
  const model = parseModel(json, flags.model);
  return {
    columns: model.encodings.map(({ column }) => column),
    images: [],
    explain: (error) => {
      throw error;
    },
    predict: async (table, _, used) => {
      const { id, missing, protect } = flags;
      const prediction = await predict(model, table, defined({ id, missing, protect }));
      const { labels, warnings, fairness } = prediction;
      const { k, provenance } = model;
      const sizes = clusterSizes(labels, k);
      const facts = { algorithm: provenance.algorithm, n: labels.length, ...used, k, ...fairness, sizes };
      return { output: labelsOutput(flags.labels, prediction, labels), warnings, facts };
    },
  };
}

/** The answers of a classifier, and the probabilities of a yes. */
async function classifierIn(json: unknown, flags: PredictFlags): Promise<LoadedModel> {
  const { classifierColumns, classify, explainNeed, parseClassifier } = await import("../learning/model.js");
  const model = parseClassifier(json, flags.model);
  const images = model.input.kind === "images" ? [model.input.column] : [];
  return {
    columns: classifierColumns(model),
    images,
    explain: (error) => {
      throw explainNeed(model, error);
    },
    predict: async (table, path, used) => {
      const pictures = images[0] === undefined ? undefined : await readImages(table, images[0], path);
      const prediction = await classify(model, table, defined({ id: flags.id, missing: flags.missing, pictures }));
      const { answers, classes, warnings } = prediction;
      const { provenance, label, net } = model;
      const n = answers.length;
      const counts = classes.map((_, each) => answers.reduce((count, answer) => count + (answer === each ? 1 : 0), 0));
      const positives = counts[1];
      const counted =
        classes.length === 2
          ? { positives, positiveRate: n === 0 ? 0 : positives / n }
          : { answers: Object.fromEntries(classes.map((name, each) => [name, counts[each]])) };
      const facts = { algorithm: provenance.algorithm, net, n, ...used, label, ...counted };
      const output = answersOutput(flags.labels, prediction);
      return { output, warnings, facts };
    },
  };
}
