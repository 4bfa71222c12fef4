import type { Command } from "commander";
import type { AssignResult, PeopleAssignment } from "../algorithms/assign.js";
import type { Model } from "../algorithms/model.js";
import { refusal } from "../algorithms/reach.js";
import { defined } from "../defined.js";
import { isEngineAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import { assignReport } from "../report/newcomers.js";
import type { Scanner } from "../scans/scanner.js";
import { isStandardOutput } from "../table/disk/index.js";
import type { ColumnsUsed } from "../table/index.js";
import { cardHelp, newcomersCardOutput } from "./card.js";
import { scannedDescription } from "./columns.js";
import { asFlags } from "./flags.js";
import { addNewcomerOptions, type NewcomerFlags, newcomerOptions, readClusters, readNewcomers } from "./newcomers.js";
import {
  checkResults,
  filesOf,
  jsonText,
  labelsOutput,
  type Output,
  onlineOutput,
  openOutput,
  outputHelp,
  textOutput,
  writeOutputs,
} from "./outputs.js";
import {
  addMemoryOption,
  checkEngineFlags,
  followScans,
  labelsTableHelp,
  scannedLabelsOutput,
  whereabouts,
  withScanner,
} from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

interface AssignFlags extends NewcomerFlags {
  readonly model: string;
  readonly togetherWith?: boolean;
  readonly online?: boolean;
  readonly updatedModel?: string;
  readonly card?: string;
  readonly output?: string;
  readonly labelsTable?: string;
  readonly memory?: string;
  readonly inMemory?: boolean;
}

const example = `
Example:
  $ moiety cluster people.csv --k 5 --protect sex --model model.json
  $ moiety assign newcomers.csv --model model.json --protect sex --labels newcomers-labels.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", scannedDescription)
    .requiredOption("--model <file>", "what moiety cluster --model has written, with --protect or with sizes")
    .option("--together-with", "bounds and sizes hold for the people of the model and the newcomers together")
    .option(
      "--online",
      "place newcomers one at a time, in the order of the rows, at once and for good; labels get a column `beyond`",
    )
    .option("--updated-model <file>", "write the model with the newcomers counted in it")
    .option("--card <file>", `with --updated-model: ${cardHelp}`);
  addMemoryOption(addNewcomerOptions(command))
    .option("--output <file>", outputHelp("each newcomer's cluster"))
    .option("--labels-table <name>", labelsTableHelp)
    .addHelpText("after", example)
    .action((source: string, flags: AssignFlags) => run(source, flags, session));
}

async function run(source: string, flags: AssignFlags, session: Session): Promise<void> {
  const where = await whereabouts(source, flags);
  if (where === "engine") return assignInEngine(source, flags, session);
  if (where === "stream") return assignStreamed(source, flags, session);
  const seconds = stopwatch();
  const { labels: file, online, togetherWith: together } = flags;
  const model = await readModel(source, flags);
  const asked = await newcomerOptions(flags);
  const besideSource = await openOutput(flags.output, source);
  session.progress.say("reading");
  const { table, used } = await readNewcomers(source, model, flags);
  const read = seconds();
  const { assign } = await import("../algorithms/assign.js");
  session.progress.say("placing");
  const found = await session.interruption.during((signal) =>
    assign(model, table, { ...asked, ...defined({ online, together }), signal }),
  );
  const clusters = { name: "cluster", values: found.labels };
  const beyond = found.excess ? [{ name: "beyond", values: found.excess }] : [];
  const labels = [
    ...(file === undefined ? [] : [labelsOf(file, found)]),
    ...besideSource(found, [clusters, ...beyond]),
  ];
  await conclude(flags, session, model, found, { source, used, labels, timed: () => ({ read, total: seconds() }) });
}

/** People who stay in their engine: it scans, and this process decides. */
async function assignInEngine(source: string, flags: AssignFlags, session: Session): Promise<void> {
  checkEngineFlags({ ...flags });
  const { connectPeople } = await import("../engines/connect.js");
  const { labelsTable } = flags;
  const { onScan, onEngine } = followScans(session, "connecting");
  const open = (signal: AbortSignal) =>
    connectPeople(source, { ...defined({ labelsTable }), signal, onProgress: onEngine });
  return assignScanning(source, flags, session, { onScan, open, instead: "add --in-memory" });
}

/** People who do not fit: they are read in chunks, again and again. */
async function assignStreamed(source: string, flags: AssignFlags, session: Session): Promise<void> {
  const { StreamedScanner } = await import("../engines/streamed/streamed-scanner.js");
  const { na, decimal, id, threads, memory } = flags;
  const { onScan, onRows } = followScans(session, "reading");
  const open = (signal: AbortSignal) =>
    StreamedScanner.open(source, { ...defined({ na, decimal, id, threads, memory }), onRows, signal });
  return assignScanning(source, flags, session, { onScan, open, instead: "allow more --memory" });
}

/** How people are scanned. */
interface Scanning extends Pick<ReturnType<typeof followScans>, "onScan"> {
  open(signal: AbortSignal): Promise<ScannerOfFlags>;
  /** What to do where they cannot be. */
  readonly instead: string;
}

type ScannerOfFlags = Scanner & { readonly warnings?: readonly string[]; drop?(table: string): Promise<void> };

async function assignScanning(
  source: string,
  flags: AssignFlags,
  session: Session,
  { open, onScan, instead }: Scanning,
): Promise<void> {
  const seconds = stopwatch();
  const { labels: file, labelsTable: table, togetherWith: together } = flags;
  if (flags.online) {
    throw new MoietyError("usage", `${refusal("online", "scanned", "--online")}: leave it out, or ${instead}`);
  }
  const model = await readModel(source, flags);
  const asked = await newcomerOptions(flags);
  const { assignScanned } = await import("../scans/assign.js");
  let read: number | undefined;
  const following: typeof onScan = (step) => {
    if (step.what !== "survey") read ??= seconds();
    onScan(step);
  };
  await session.interruption.during(async (signal) => {
    await withScanner(await open(signal), async (scanner) => {
      const options = { ...asked, ...defined({ together }), signal, onScan: following };
      const found = await assignScanned(scanner, model, options);
      if (table !== undefined) await found.writeLabels({ table, write: async () => undefined });
      const { everybody } = found;
      const used = { features: model.encodings.map(({ column }) => column), leftOut: everybody.leftOut };
      const labels = file === undefined ? [] : [scannedLabelsOutput(file, found)];
      const warnings = [...(scanner.warnings ?? []), ...found.result.warnings];
      const timed = () => ({ read: read ?? 0, total: seconds() });
      const result = { ...found.result, warnings };
      const written = { source, used, labels, timed, ...defined({ table }) };
      await conclude(flags, session, model, { ...found, result }, written).catch(async (error: unknown) => {
        if (table !== undefined) await scanner.drop?.(table);
        throw error;
      });
    });
  });
}

/** The model that newcomers join, where all that is to be written can be. */
async function readModel(source: string, flags: AssignFlags): Promise<Model> {
  const { labels, output, json, updatedModel, card } = flags;
  if (card !== undefined && updatedModel === undefined) {
    throw new MoietyError("usage", "--card is that of the model that --updated-model writes: name a file for it");
  }
  await checkResults(defined({ labels, output, model: updatedModel, card, json }), [
    isEngineAddress(source) ? undefined : source,
    flags.model,
  ]);
  const model = await readClusters(flags.model);
  if (updatedModel !== undefined && model.clusters) {
    const why = "a model of a private clustering has noisy counts only, and newcomers' counts have no noise";
    throw new MoietyError("usage", `${why}: leave --updated-model out`);
  }
  return model;
}

/** Writes the files that were asked for, and says what came of the batch. */
async function conclude(
  flags: AssignFlags,
  session: Session,
  given: Model,
  found: { readonly result: AssignResult; readonly model: Model },
  told: {
    readonly source: string;
    readonly used: ColumnsUsed;
    readonly labels: readonly Output[];
    readonly timed: () => { readonly read: number; readonly total: number };
    /** A table that was written. */
    readonly table?: string;
  },
): Promise<void> {
  const { updatedModel, labels: file, card } = flags;
  const outputs = [...told.labels];
  if (updatedModel !== undefined) {
    const model = { file: updatedModel, text: jsonText(found.model) };
    outputs.push(textOutput(model.file, model.text));
    const measured = { ...found.result, ...told.used };
    if (card !== undefined) outputs.push(await newcomersCardOutput(card, told.source, flags.model, model, measured));
  }
  await writeOutputs(outputs);
  session.progress.stop();
  const { lostCounts } = await import("../algorithms/model-promises.js");
  const lost = updatedModel === undefined ? [] : lostCounts(given, found.model);
  const warnings = [...found.result.warnings, ...lost].map(asFlags);
  const result = { ...found.result, ...told.used, warnings, seconds: told.timed() };
  const written = [...filesOf(outputs), ...(told.table === undefined ? [] : [`table ${told.table}`])];
  printResult(flags, result, assignReport(result, written), isStandardOutput(file));
  warn(warnings);
  if (result.fair === false) session.fail();
}

/** One at a time, who was placed beyond is told beside the cluster. */
function labelsOf(file: string, found: PeopleAssignment) {
  const { labels, excess } = found;
  return excess ? onlineOutput(file, found, labels, excess) : labelsOutput(file, found, labels);
}
