import type { Command } from "commander";
import { methodFor, methodOf, needOf } from "../algorithms/catalogue.js";
import { partOfPhase } from "../algorithms/part-of-phase.js";
import type { ClusterOptions, ClusterResult, PeopleClustering, Progress } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { clusterReport } from "../report/cluster.js";
import { isStandardOutput } from "../table/disk/index.js";
import type { People } from "../table/index.js";
import { addBoundsOptions, addNotionOptions } from "./bounds.js";
import { cardHelp, cardOutput } from "./card.js";
import { addColumnOptions, addLinkOptions, scannedDescription } from "./columns.js";
import { addReportOptions, pageOrigin, type ReportFlags } from "./command-line.js";
import { asFlags } from "./flags.js";
import {
  checkResults,
  filesOf,
  jsonText,
  labelsOutput,
  type Output,
  openOutput,
  outputHelp,
  type ResultFlags,
  textOutput,
  writeOutputs,
} from "./outputs.js";
import {
  addPlaceOptions,
  checkCostFlags,
  modelOfInit,
  type PlaceFlags,
  readPlaces,
  readScannedPlaces,
  unusedSeatColumns,
} from "./places.js";
import { addPrivacyOptions } from "./private.js";
import {
  addMemoryOption,
  checkEngineFlags,
  followScans,
  labelsTableHelp,
  scannedLabelsOutput,
  whereabouts,
  withScanner,
} from "./scanned.js";
import { addAlgorithmOption, addSearchOptions, readRequest, type SearchFlags, scanRequest } from "./search.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";
import { balance } from "./values.js";

interface ClusterFlags
  extends SearchFlags,
    PlaceFlags,
    ResultFlags,
    ReportFlags,
    Partial<Pick<ClusterOptions, "k">>,
    Pick<ClusterOptions, "delta" | "balance"> {
  readonly init?: string;
  readonly labelsTable?: string;
  readonly memory?: string;
  readonly inMemory?: boolean;
}

const example = `
Example:
  $ moiety generate people --n 20000 -o people.csv
  $ moiety cluster people.csv --k 5 --protect sex,ethnicity --id person --labels labels.csv --report report.html`;

export function define(command: Command, session: Session): void {
  const clusters = "the number of clusters (default: that of --seats, --capacity, --cost or of the model of --init)";
  command.argument("<source>", scannedDescription).option("-k, --k <number>", clusters);
  addAlgorithmOption(command);
  addLinkOptions(addColumnOptions(command));
  addNotionOptions(addBoundsOptions(command));
  addMemoryOption(addPlaceOptions(addSearchOptions(command, balance)));
  addPrivacyOptions(command)
    .optionsGroup("Results:")
    .option("--labels <file>", "write row,cluster (or id,cluster) as CSV or .parquet; - is standard output")
    .option("--output <file>", outputHelp("each person's cluster"))
    .option("--labels-table <name>", labelsTableHelp)
    .option("--model <file>", "write the model for moiety predict, assign and update, as JSON");
  addReportOptions(command)
    .option("--card <file>", cardHelp)
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: ClusterFlags) => run(source, flags, session));
}

async function run(source: string, flags: ClusterFlags, session: Session): Promise<void> {
  const where = await whereabouts(source, flags);
  if (where === "engine") return runInEngine(source, flags, session);
  if (where === "stream") return runStreamed(source, flags, session);
  const seconds = stopwatch();
  const { bounds, box, seats, capacity, cost, delta, balance } = flags;
  await checkResults(flags, [source, bounds, box, seats, capacity, cost, modelOfInit(flags.init)]);
  if (cost !== undefined) checkCostFlags({ ...flags });
  const besideSource = await openOutput(flags.output, source);
  const { people, options } = await readRequest(source, flags, session);
  const places = await readPlaces(people, flags);
  const read = seconds();

  const onProgress = session.progress.follow(lastPhase(flags), partOfPhase, flags.distance);
  const compareEpsilons = flags.report !== undefined;
  const clustering = await session.interruption.during(async (signal) => {
    const asked = { ...options, ...defined({ delta, balance, onProgress }), ...places, compareEpsilons, signal };
    if (cost !== undefined) return (await import("../algorithms/given-costs.js")).clusterAtCost(people, asked);
    const k = clustersOf(flags.k ?? (places.seats ?? places.from ?? places.capacity)?.length);
    return (await import("../algorithms/cluster.js")).cluster(people, { ...asked, k });
  });
  const labels = [
    ...(flags.labels === undefined ? [] : [labelsOutput(flags.labels, people, clustering.labels)]),
    ...besideSource(people, [{ name: "cluster", values: clustering.labels }]),
  ];
  const timed = () => ({ ...clustering.result.seconds, read, total: seconds() });
  await conclude(source, flags, session, { people, clustering, labels, timed });
}

/** How many clusters; `given` by --k, or by what has one row for each of them. */
function clustersOf(given: number | undefined): number {
  if (given !== undefined) return given;
  throw new MoietyError("usage", "--k is missing: give the number of clusters, such as --k 4");
}

/** People who stay in their engine: it scans, and this process decides. */
async function runInEngine(source: string, flags: ClusterFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  checkEngineFlags({ ...flags });
  await checkResults(flags, [flags.bounds, flags.seats, flags.capacity, modelOfInit(flags.init)]);
  const { columns, options } = await scanRequest(flags);
  const places = await readScannedPlaces(flags);
  const { clusterScanned } = await import("../scans/cluster.js");
  const { connectPeople } = await import("../engines/connect.js");
  const { delta, balance, labelsTable: table, labels: file } = flags;
  const k = clustersOf(flags.k ?? places.places?.rows ?? places.fromModel?.centres.length ?? places.capacity?.length);
  const { onScan, onEngine } = followScans(session);
  session.progress.say("connecting");
  await session.interruption.during(async (signal) => {
    const connected = await connectPeople(source, { ...defined({ labelsTable: table }), signal, onProgress: onEngine });
    await withScanner(connected, async (scanner) => {
      const asked = { ...options, ...defined({ delta, balance }), ...places, k, onScan, signal };
      const scanned = await clusterScanned(scanner, columns, asked);
      const { everybody, sample, clustering } = scanned;
      const labels = file === undefined ? [] : [scannedLabelsOutput(file, scanned)];
      const timed = () => ({ ...clustering.result.seconds, total: seconds() });
      const people = { ...sample, warnings: everybody.warnings };
      if (table !== undefined) await scanned.writeLabels({ table, write: async () => undefined });
      const found = { people, clustering, labels, timed, ...defined({ table }) };
      await conclude(source, flags, session, found).catch(async (error: unknown) => {
        if (table !== undefined) await scanner.drop(table);
        throw error;
      });
    });
  });
}

/** People who do not fit: they are read in chunks, again and again. */
async function runStreamed(source: string, flags: ClusterFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const { checkScannable } = await import("../scans/checks.js");
  const { cost: _, ...others } = flags;
  checkScannable(others, "streamed");
  await checkResults(flags, [source, flags.bounds, flags.seats, flags.capacity, modelOfInit(flags.init)]);
  const { columns, options } = await scanRequest(flags);
  const places = await readScannedPlaces(flags);
  const { clusterScanned } = await import("../scans/cluster.js");
  const { StreamedScanner } = await import("../engines/streamed/streamed-scanner.js");
  const { delta, balance, labels: file, na, decimal, id, threads, memory } = flags;
  const k = clustersOf(flags.k ?? places.places?.rows ?? places.fromModel?.centres.length ?? places.capacity?.length);
  const { onScan, onRows } = followScans(session);
  session.progress.say("reading");
  await session.interruption.during(async (signal) => {
    const streams = { ...defined({ na, decimal, id, threads, memory }), onRows, signal };
    await withScanner(await StreamedScanner.open(source, streams), async (scanner) => {
      const opened = seconds();
      const asked = { ...options, ...defined({ delta, balance }), ...places, k, onScan, signal };
      const scanned = await clusterScanned(scanner, columns, asked);
      const { everybody, sample, clustering } = scanned;
      const own = clustering.result.seconds;
      const timed = () => ({ ...own, read: opened + own.read, total: seconds() });
      const labels = file === undefined ? [] : [scannedLabelsOutput(file, scanned)];
      const people = { ...sample, warnings: [...scanner.warnings, ...everybody.warnings] };
      await conclude(source, flags, session, { people, clustering, labels, timed });
    });
  });
}

/** What came of a run. */
interface Conclusion {
  /** Everybody, or a sample of them. */
  readonly people: People;
  readonly clustering: PeopleClustering;
  readonly labels: readonly Output[];
  readonly timed: () => ClusterResult["seconds"];
  /** A table that was written. */
  readonly table?: string;
}

/** Writes the files that were asked for, and says what came of the run. */
async function conclude(source: string, flags: ClusterFlags, session: Session, found: Conclusion): Promise<void> {
  const { people, clustering, table } = found;
  const { delta, protect } = flags;
  const idle = delta !== undefined && protect === undefined ? ["--delta does nothing without --protect"] : [];
  const unused = await unusedSeatColumns(flags, people);
  const warnings = [...new Set([...idle, ...unused, ...people.warnings, ...clustering.result.warnings].map(asFlags))];
  /** The result with the time that has passed until now. */
  const timed = () => ({ ...clustering.result, warnings, seconds: found.timed() });
  const outputs: Output[] = [...found.labels];
  let model: { readonly file: string; readonly text: string } | undefined;
  if (flags.model !== undefined) {
    const { toModel } = await import("../algorithms/model.js");
    model = { file: flags.model, text: jsonText(toModel(people, clustering)) };
    outputs.push(textOutput(model.file, model.text));
  }
  if (flags.card !== undefined) {
    const { clusterCard } = await import("../report/cluster-card.js");
    outputs.push(await cardOutput(flags.card, source, model, (origin) => clusterCard(timed(), origin)));
  }
  if (flags.report !== undefined) {
    session.progress.say("drawing");
    const { renderReport } = await import("../report/report.js");
    const described = { ...clustering, result: timed() };
    outputs.push(
      textOutput(flags.report, renderReport({ people, clustering: described, ...pageOrigin(source, flags) })),
    );
  }
  if (outputs.length > 0) session.progress.say("writing");
  await writeOutputs(outputs);
  session.progress.stop();

  const result = timed();
  const written = [...filesOf(outputs), ...(table === undefined ? [] : [`table ${table}`])];
  printResult(flags, result, clusterReport(result, written), isStandardOutput(flags.labels));
  warn(warnings);
  // A method that promises groups nothing only measures what --protect names.
  const { promises, notion } = methodOf(result.algorithm);
  const unfair = result.fair === false && (promises.groups || notion !== undefined);
  if (unfair || result.sizesKept === false) session.fail();
}

/** The phase in which the run ends: only there can the time that is left be told. */
function lastPhase(flags: ClusterFlags): Progress["phase"] {
  const { algorithm, split, splitBy, minSize, maxSize, balance, notion } = flags;
  const groups = flags.protect !== undefined || notion === "individual";
  const rows = split === "rows" || splitBy !== undefined;
  const need = needOf({ ...flags, groups, rows });
  const usual = notion === "social" || notion === "individual" ? notion : need;
  const { phases, options } = algorithm === undefined ? methodFor(usual) : methodOf(algorithm);
  const even = [minSize, maxSize, balance, options.balance?.default].some((given) => given !== undefined);
  return phases.findLast((phase) => (phase === "fair" ? groups : phase === "even" ? even : true)) ?? "descent";
}
