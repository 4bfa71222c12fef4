import type { Command } from "commander";
import { defaultDelta, type ExplicitBounds, freeBounds } from "../constraints/bounds.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { clusterMeans, evaluate, type NotionJudgement } from "../metrics/index.js";
import { evaluationReport } from "../report/evaluation.js";
import type { Scanner } from "../scans/scanner.js";
import { readLabels, tableOfSource } from "../table/disk/index.js";
import {
  asLevels,
  joinLabels,
  originOf,
  type People,
  parseProtected,
  preparePeople,
  type Table,
} from "../table/index.js";
import { evaluateAnswers } from "./answers.js";
import { addBoundsOptions, addNotionOptions, type BoundsFlags, type NotionFlags, readBounds } from "./bounds.js";
import {
  addColumnOptions,
  addLinkOptions,
  type ColumnFlags,
  checkInputs,
  readColumns,
  scannedDescription,
} from "./columns.js";
import { keepLabelled } from "./labelled.js";
import { readClusters } from "./newcomers.js";
import { addMemoryOption, checkEngineFlags, followScans, whereabouts, withScanner } from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

export interface EvaluateFlags extends ColumnFlags, BoundsFlags, NotionFlags {
  readonly model?: string;
  readonly label?: string;
  readonly positive?: string;
  readonly labels: string;
  readonly labelsTable?: string;
  readonly truth?: string;
  readonly k?: number;
  readonly memory?: string;
  readonly inMemory?: boolean;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety evaluate adult.csv --labels answers.csv --label income --protect sex
  $ moiety evaluate people.csv --labels labels.csv --id person --protect sex,ethnicity`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", scannedDescription)
    .option("--labels <file>", "row,cluster or id,cluster, or one cluster for each row")
    .option("--labels-table <name>", "people in an engine: the table there with their id and cluster")
    .option("--label <name>", "the column that a classifier has learnt: measures row,prediction,score instead")
    .option(
      "--positive <class>",
      "the positive class, all others being its no (default: the last of two in sort order; of more, every class is compared)",
    )
    .option("--truth <name>", "a column of known classes: adds ARI and AMI")
    .option("-k, --k <number>", "the number of clusters (default: the largest label plus one)");
  addLinkOptions(addColumnOptions(command));
  addMemoryOption(command);
  addNotionOptions(addBoundsOptions(command))
    .option(
      "--model <file>",
      "social, individual: the centres that people are served from (default: the clusters' means)",
    )
    .optionsGroup("Results:")
    .option("--json", "print the metrics as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: EvaluateFlags) => run(source, flags, session));
}

async function run(source: string, flags: EvaluateFlags, session: Session): Promise<void> {
  const where = await whereabouts(await tableOfSource(source), flags);
  if (where === "engine") return evaluateInEngine(source, flags, session);
  if (flags.labels === undefined) throw new MoietyError("usage", "--labels is missing: name the file of labels");
  const seconds = stopwatch();
  checkInputs("--labels", source, flags.labels);
  if (flags.label !== undefined) return evaluateAnswers(source, { ...flags, label: flags.label }, session);
  if (where === "stream") return evaluateStreamed(source, flags, session);
  const explicit = await readBounds(flags.bounds);
  session.progress.say("reading");
  const truthColumn = flags.truth === undefined ? [] : [flags.truth];
  const whole = await readColumns(source, flags, truthColumn);
  const file = await readLabels(flags.labels, defined({ id: flags.id }));
  const { table, labels: labelled, warnings } = keepLabelled(flags.labels, whole, file, flags.id);
  const people = preparePeople(table, {
    ...flags,
    exclude: [...(flags.exclude ?? []), ...unclaimed(truthColumn, flags, table)],
  });
  const labels = joinLabels(people, labelled);
  const truth = truthColumn.map((name) => classes(name, table, people))[0];
  // Loaded here, so that --help and wrong usage need not wait for it.
  const { resolveBounds } = await import("../constraints/resolve-bounds.js");
  const { atomFacts } = await import("../algorithms/atoms.js");
  const asked = { delta: flags.delta ?? defaultDelta, bounds: explicit };
  const { bounds: _, ...others } = flags;
  const k = flags.k ?? labels.reduce((most, label) => Math.max(most, label), 0) + 1;
  const judged = await judgementOf(people, labels, { ...others, k, ...defined({ bounds: explicit }) }, session);
  const bounds = judged ? people.attributes.map(freeBounds) : resolveBounds(people.attributes, asked);
  const read = seconds();

  session.progress.say("measuring");
  const measures = evaluate({
    people,
    labels,
    bounds,
    tolerance: flags.tolerance ?? atomFacts(people)?.largest ?? 1,
    ...defined({ k: flags.k, truth }),
  });
  session.progress.stop();
  const used = originOf(people);
  const leftOut = used.leftOut.filter(({ column }) => column !== flags.truth);
  const result = {
    ...measures,
    ...judged,
    method: "in-memory",
    ...used,
    leftOut,
    warnings: [...warnings, ...people.warnings],
    seconds: { read, total: seconds() },
  };
  printResult(flags, result, evaluationReport(result));
  warn(result.warnings);
}

/** By another notion than bounds of shares: around the centres of a model, or the clusters' means. Undefined for shares. */
async function judgementOf(
  people: People,
  labels: Uint16Array,
  flags: Omit<EvaluateFlags, "bounds"> & { readonly k: number; readonly bounds?: ExplicitBounds },
  session: Session,
): Promise<NotionJudgement | undefined> {
  const { notionOf } = await import("../algorithms/settle-notion.js");
  const { dimensions } = people;
  const notion = notionOf(people, flags.k, flags);
  const about = notion?.name === "social" || notion?.name === "individual";
  if (flags.model !== undefined && !about) {
    throw new MoietyError("usage", "--model is for --notion social and individual: leave it out");
  }
  if (!notion) return undefined;
  session.progress.say("measuring");
  const { judgeNotion } = await import("../algorithms/judge-notion.js");
  const { centresFor } = await import("../algorithms/places.js");
  const centres =
    flags.model === undefined
      ? clusterMeans(dimensions, labels, flags.k)
      : centresFor(people, await readClusters(flags.model));
  if (centres.length !== flags.k) {
    throw new MoietyError(
      "usage",
      `the model has ${centres.length} clusters, and the labels ${flags.k}: give the model of these labels`,
    );
  }
  return session.interruption.during((signal) => judgeNotion(people, { labels, centres }, notion, signal));
}

/** People who stay in their engine, with labels in a table of it. */
async function evaluateInEngine(source: string, flags: EvaluateFlags, session: Session): Promise<void> {
  const { labelsTable, id, truth, label, labels } = flags;
  checkEngineFlags({ ...flags });
  if (labelsTable === undefined || [truth, label, labels].some((given) => given !== undefined)) {
    const advice = "name it with --labels-table, and leave --labels, --label and --truth out";
    throw new MoietyError("usage", `the labels of people in an engine are a table there: ${advice}`);
  }
  const { connectPeople, labelColumn } = await import("../engines/connect.js");
  const labelled = { table: labelsTable, id: id as string };
  const { onEngine: onProgress } = followScans(session, "measuring");
  return evaluateScanning(flags, session, labelColumn, (signal) =>
    connectPeople(source, { labelled, signal, onProgress }),
  );
}

/** People who do not fit: they are read in chunks, beside their labels. */
async function evaluateStreamed(source: string, flags: EvaluateFlags, session: Session): Promise<void> {
  const { checkScannable } = await import("../scans/checks.js");
  checkScannable(flags, "streamed");
  const { StreamedScanner } = await import("../engines/streamed/streamed-scanner.js");
  const { labelledColumns } = await import("../engines/streamed/labelled.js");
  const { onRows } = followScans(session, "measuring");
  const { na, decimal, id, memory, labels: path } = flags;
  const reading = { ...defined({ na, decimal, id, memory }), labelled: { path, ...defined({ id }) }, onRows };
  const columns = { ...flags, id: id ?? labelledColumns.row };
  return evaluateScanning(columns, session, labelledColumns.cluster, (signal) =>
    StreamedScanner.open(source, { ...reading, signal }),
  );
}

async function evaluateScanning(
  flags: EvaluateFlags,
  session: Session,
  clusterColumn: string,
  open: (signal: AbortSignal) => Promise<Scanner & { readonly warnings?: readonly string[] }>,
): Promise<void> {
  const seconds = stopwatch();
  const { delta, k, tolerance, model, notion, represent, inClusters } = flags;
  if (model !== undefined)
    throw new MoietyError("usage", "--model is for --notion social and individual: leave it out");
  const bounds = await readBounds(flags.bounds);
  const { evaluateScanned } = await import("../scans/evaluate.js");
  await session.interruption.during(async (signal) => {
    await withScanner(await open(signal), async (scanner) => {
      const asked = defined({ bounds, delta, k, tolerance, notion, represent, inClusters });
      const { warnings: own, ...measures } = await evaluateScanned(scanner, flags, clusterColumn, asked);
      session.progress.stop();
      const warnings = [...(scanner.warnings ?? []), ...own];
      const result = { ...measures, method: scanner.method, warnings, seconds: { read: 0, total: seconds() } };
      printResult(flags, result, evaluationReport(result));
      warn(warnings);
    });
  });
}

/** Known classes are no feature, unless somebody says so. */
function unclaimed(
  names: readonly string[],
  { features = [], exclude = [], categorical = [], protect = [], id }: EvaluateFlags,
  { columns }: Table,
): string[] {
  const known = new Set(columns.map(({ name }) => name));
  const parts = protect.flatMap((name) => parseProtected(name, (column) => known.has(column)));
  const claimed = new Set([...features, ...exclude, ...categorical, ...parts.map(({ column }) => column), id]);
  return names.filter((name) => !claimed.has(name));
}

function classes(name: string, table: Table, people: People): Int32Array {
  // preparePeople has named the column if it is unknown, and reading has if columns were chosen.
  const column = asLevels(table.columns.find((known) => known.name === name)!);
  const codes = Int32Array.from(people.sourceRows, (row) => column.codes[row]);
  const missing = codes.reduce((count, code) => count + (code < 0 ? 1 : 0), 0);
  if (missing > 0) {
    const advice = "leave those rows out of the labels";
    throw new MoietyError("input", `--truth ${name} has ${missing} missing values: ${advice}, or fill them in`);
  }
  return codes;
}
