import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { defined } from "../defined.js";
import { isEngineAddress } from "../engines/address.js";
import { diskError, MoietyError } from "../errors.js";
import type { Card } from "../federation/consent/card.js";
import { readingOnCard, tableOnCard } from "../federation/consent/card-columns.js";
import { collectAtOnce } from "../federation/garbage-collector.js";
import type { PartyAlignment, PartyOptions, PartyResult, PartySummary } from "../federation/party/options.js";
import { objectionToScans } from "../federation/party/scanned-cards.js";
import { siteReport } from "../report/federation.js";
import { describeSource, readTable, tableOfSource, withPixels, writeAtomically } from "../table/disk/index.js";
import { preparePeople } from "../table/index.js";
import {
  addReadingOptions,
  type ReadingFlags,
  readColumns,
  readIds,
  readingOf,
  readSpellings,
  scannedDescription,
} from "./columns.js";
import { timeNow } from "./command-line.js";
import { readText } from "./input-files.js";
import { addKitOption, loadKit, withState } from "./kits.js";
import { siteLedger } from "./ledger.js";
import { addLogOptions, type LogFlags, logTo } from "./logging.js";
import { idsOutput, jsonOutput, labelsOutput, textOutput, writeOutputs } from "./outputs.js";
import { addPageOptions, localPorts, loginOf, type PageFlags, whileShown } from "./pages.js";
import type { Session } from "./session.js";

interface PartyFlags extends ReadingFlags, LogFlags, PageFlags {
  readonly kit: string;
  readonly data: string;
  readonly policy?: string;
  readonly state?: string;
  readonly results?: string;
  readonly threads?: number;
  readonly publishPolicy?: boolean;
}

const example = `
Example:
  $ moiety party --kit kits/bank-a --data accounts.parquet --policy policy.yaml
  $ moiety party --kit kits/bank-b --data 'postgres://moiety@db/bank?table=accounts'`;

export function define(command: Command, session: Session): void {
  addKitOption(command, "this site").requiredOption(
    "--data <source>",
    `${scannedDescription}, which stay there; or a folder of pictures with a people.csv`,
  );
  const options = addLogOptions(addReadingOptions(command))
    .option("--policy <file>", "what this site allows (default: policy.yaml in the kit)")
    .option(
      "--publish-policy",
      "let analysts read the policy, signed, before they submit a job; the coordinator reads it too",
    )
    .option("--state <folder>", "folder for state that survives restarts (default: state in the kit)")
    .option("--results <folder>", "where labels and summaries of jobs go (default: results in the kit)")
    .option("--threads <number>", "number of threads; labels do not depend on it (default: the number of cores)");
  addPageOptions(options)
    .addHelpText("after", example)
    .action((flags: PartyFlags) => run(flags, session));
}

async function run(flags: PartyFlags, session: Session): Promise<void> {
  collectAtOnce();
  const ports = localPorts(flags);
  const [{ kitFiles }, { diallingOf }, { PartyService }, { parsePolicy }, { RecentLines }] = await Promise.all([
    import("../federation/identity/kit.js"),
    import("../federation/transport/endpoints.js"),
    import("../federation/party/service.js"),
    import("../federation/consent/policy.js"),
    import("../pages/recent-lines.js"),
  ]);
  const kit = await loadKit(flags.kit, "party");
  const policyFile = flags.policy ?? join(flags.kit, kitFiles.policy);
  // What is wrong with the files is said now, and not when a job comes.
  parsePolicy(await readText("policy", policyFile), policyFile);
  const inEngine = isEngineAddress(flags.data);
  const data = inEngine ? flags.data : await tableOfSource(flags.data);
  if (inEngine) await checkEngine(data, flags);
  else await describeSource(data);
  const clock = () => Date.now();
  const said = logTo(process.stderr, kit.name, flags);
  const lines = new RecentLines(clock);
  const log = lines.of(said);
  const login = await loginOf(flags, log);
  const resultsFolder = flags.results ?? join(flags.kit, "results");
  const folderOf = (job: string) => join(resultsFolder, job.slice(0, 12));
  const options = {
    kit,
    dialling: diallingOf(kit),
    ids: ({ id, normalise }) => readIds(data, id!, { ...flags, ...defined({ normalise }) }),
    people: async (part, card, common, linked) => {
      const { train } = card;
      const columns = readingOnCard(part, card, linked);
      if (inEngine) return (await import("../engines/sql-rows.js")).peopleInEngine(data, columns);
      if (train?.images) {
        const named = await readTable(data, { ...readingOf(flags), text: part.features });
        const { table, pixels } = await withPixels(named, part.features[0], data, train.imageShape!);
        return preparePeople(table, { ...columns, features: pixels });
      }
      const table = await readColumns(data, { ...columns, ...readingOf(flags) });
      return preparePeople(tableOnCard(table, card, common), columns);
    },
    ...(inEngine ? { objection: objectionToScans } : {}),
    policy: async () => {
      const text = await readText("policy", policyFile).catch(() => undefined);
      // The coordinator is told what is wrong with it, but not where the file is.
      return text === undefined ? undefined : parsePolicy(text, "the site's policy");
    },
    publishesPolicy: flags.publishPolicy ?? false,
    random: randomBytes,
    clock,
    ledger: await siteLedger(kit, flags.state),
    threads: flags.threads ?? availableParallelism(),
    log,
    onResult: async (result) => {
      const folder = folderOf(result.job);
      await makeFolder(folder);
      const asSpelt = await ownSpelling(data, result.card, flags);
      const what =
        "common" in result ? await writeCommon(folder, result, asSpelt) : await writeResult(folder, result, asSpelt);
      // The same is in the summary; a log in JSON has one object on each line.
      if (flags.log !== "json") process.stderr.write(`${siteReport(kit.name, result.part.journal)}\n`);
      log(`job ${result.job.slice(0, 12)}: ${what} in ${folder}`);
    },
    onSummary: async (summary) => {
      const folder = folderOf(summary.job);
      await writeSummary(folder, summary);
      log(`job ${summary.job.slice(0, 12)}: the result of all sites and the report are in ${folder}`);
    },
  } satisfies Omit<PartyOptions, "store" | "audit">;
  // A damaged ledger only refuses private jobs; all others go on.
  await options.ledger.standing().catch((error: Error) => log(error.message, "warning"));
  await withState(kit, flags.state, log, (store, audit) =>
    session.interruption.during(async (signal) => {
      const service = new PartyService({ ...options, store, audit });
      const folders = { stateFolder: store.folder, resultsFolder };
      const shown = {
        log,
        page: async (port: number) =>
          (await import("../pages/site-page.js")).serveSite({
            ...{ kit, service, audit, lines, policyFile, port, login },
            ...folders,
          }),
        monitored: async () => (await import("../pages/metrics.js")).monitoredSite(kit, service),
      };
      await whileShown(ports, shown, () => service.serve(signal));
      throw new MoietyError("cancelled", "stopped; what was done so far is kept, and a restart goes on from there");
    }),
  );
}

/** The people are found, and options that only files have are refused. */
async function checkEngine(source: string, flags: PartyFlags): Promise<void> {
  if (flags.na !== undefined || flags.decimal !== undefined) {
    throw new MoietyError("usage", "--na and --decimal are for files: values in an engine have types; leave them out");
  }
  const { connectPeople } = await import("../engines/connect.js");
  await (await connectPeople(source)).close();
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error) => {
    throw diskError(`cannot write ${folder}`, error);
  });
}

/** Ids as this site's own files have them. */
type AsSpelt = (ids: readonly string[]) => readonly string[];

async function ownSpelling(data: string, { id, normalise }: Card, flags: ReadingFlags): Promise<AsSpelt> {
  if (id === undefined || !normalise) return (ids) => ids;
  const { spelt } = await readSpellings(data, id, { ...flags, normalise });
  return (ids) => ids.map((each) => spelt.get(each)!);
}

/** Returns what the folder holds now, in words. */
async function writeResult(folder: string, result: PartyResult, asSpelt: AsSpelt): Promise<string> {
  const { card, people, labels, part, alignment, whole, model } = result;
  const { sourceRows, ids } = people;
  const named = ids && card.normalise ? { column: ids.column, values: asSpelt(ids.values) } : ids;
  if (!card.train)
    await writeOutputs([labelsOutput(join(folder, "labels.csv"), { sourceRows, ...defined({ ids: named }) }, labels)]);
  if (model) await writeAtomically(join(folder, "model.json"), (temporary) => writeFile(temporary, model));
  await writeOwn(folder, { ...part, ...(alignment ? { alignment } : {}), ...whole });
  if (!card.train) return "labels and summary are";
  return model ? "model and summary are" : "summary is";
}

/** Of an alignment: the ids that all sites hold. */
async function writeCommon(folder: string, result: PartyAlignment, asSpelt: AsSpelt): Promise<string> {
  const { card, common, part, alignment } = result;
  await writeOutputs([idsOutput(join(folder, "common.csv"), card.id!, asSpelt(common))]);
  await writeOwn(folder, { party: part.party, alignment, journal: part.journal });
  return "the common ids and the summary are";
}

/** What this site knows of the job by itself. */
function writeOwn(folder: string, summary: object): Promise<void> {
  const text = `${JSON.stringify(summary, null, 2)}\n`;
  return writeAtomically(join(folder, "summary.json"), (temporary) => writeFile(temporary, text, { mode: 0o600 }));
}

/** What the sites told each other, as an analyst would get it. */
async function writeSummary(folder: string, { result, card, history }: PartySummary): Promise<void> {
  const { renderAlignmentReport, renderFederatedReport } = await import("../report/federated-page.js");
  await makeFolder(folder);
  const made = timeNow();
  const page =
    "common" in result
      ? renderAlignmentReport({ result, card, made })
      : renderFederatedReport({ result, history, card, made });
  await writeOutputs([jsonOutput(join(folder, "result.json"), result), textOutput(join(folder, "report.html"), page)]);
}
