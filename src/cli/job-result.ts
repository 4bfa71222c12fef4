import { methodOf } from "../algorithms/catalogue.js";
import { MoietyError } from "../errors.js";
import type {
  AnalystClient,
  FetchedAlignment,
  FetchedResult,
  FetchedTraining,
  SentLabels,
} from "../federation/analyst/client.js";
import { alignmentReport, federatedReport, siteReport } from "../report/federation.js";
import { formatList } from "../report/format.js";
import { trainReport } from "../report/train.js";
import { isStandardOutput } from "../table/disk/index.js";
import { cardOutput } from "./card.js";
import { timeNow } from "./command-line.js";
import {
  checkResults,
  filesOf,
  labelsOutput,
  type Output,
  type ResultFlags,
  textOutput,
  writeOutputs,
} from "./outputs.js";
import { printResult, type Session, warn } from "./session.js";

/** What of a job's result is written and printed. */
interface ShownResult {
  /** As --json prints it. */
  readonly result: object;
  /** The labels, or the model. */
  readonly outputs: readonly Output[];
  report(files: readonly string[]): string;
  readonly warnings: readonly string[];
  /** The job did its work, and the answer is no. */
  readonly failed: boolean;
}

/** Fetches, writes and prints the result of a job. */
export async function writeJobResult(
  client: AnalystClient,
  id: string,
  flags: ResultFlags,
  session: Session,
): Promise<void> {
  await checkResults(flags);
  const fetched = await client.fetch(id);
  const shown =
    "training" in fetched
      ? trainingOf(fetched, flags)
      : "alignment" in fetched
        ? alignmentOf(fetched, flags)
        : clustersOf(fetched, flags);
  const outputs = [...shown.outputs];
  if (flags.report !== undefined) {
    const { jobPage } = await import("../report/job-page.js");
    outputs.push(textOutput(flags.report, jobPage(fetched, timeNow(), flags.language)));
  }
  if (flags.card !== undefined) {
    if (!("training" in fetched)) throw new MoietyError("usage", "--card is for trainings: this job has no model");
    const { training, model } = fetched;
    const { classifierCard } = await import("../report/classifier-card.js");
    const written = flags.model === undefined ? undefined : { file: flags.model, text: model! };
    const sites = `job ${id} of ${formatList(Object.keys(training.sites))}`;
    outputs.push(await cardOutput(flags.card, sites, written, (origin) => classifierCard(training, origin)));
  }
  await writeOutputs(outputs);
  printResult(flags, shown.result, shown.report(filesOf(outputs)), isStandardOutput(flags.labels));
  warn(shown.warnings);
  if (shown.failed) session.fail();
}

function clustersOf({ result, labels }: FetchedResult, flags: ResultFlags): ShownResult {
  if (flags.model !== undefined) throw new MoietyError("usage", "--model is for trainings: this job has clusters");
  return {
    result,
    outputs: flags.labels === undefined ? [] : [labelsOutput(flags.labels, ...peopleOf(labels))],
    report: (files) => federatedReport(result, files),
    warnings: result.warnings,
    failed: result.fair === false && methodOf(result.algorithm).promises.groups,
  };
}

/** How many people the sites have in common, and what left each of them: no id. */
function alignmentOf({ alignment }: FetchedAlignment, flags: ResultFlags): ShownResult {
  if (flags.labels !== undefined || flags.model !== undefined) {
    const flag = flags.labels === undefined ? "--model" : "--labels";
    const why = "the common ids are only in each site's own results";
    throw new MoietyError("usage", `${flag} does not apply to an alignment: ${why}`);
  }
  return {
    result: alignment,
    outputs: [],
    report: (files) => alignmentReport(alignment, files),
    warnings: [],
    failed: false,
  };
}

function trainingOf({ training, model }: FetchedTraining, flags: ResultFlags): ShownResult {
  if (flags.labels !== undefined) {
    const advice = "fetch the classifier with --model, and use moiety predict";
    throw new MoietyError("usage", `--labels is for clusters: ${advice}`);
  }
  if (flags.model !== undefined && model === undefined) throw keptFromAnalysts("model");
  const { sites } = training;
  return {
    result: training,
    outputs: flags.model === undefined ? [] : [textOutput(flags.model, model!)],
    report: (files) => {
      const sent = Object.entries(sites).flatMap(([site, messages]) => ["", siteReport(site, messages)]);
      return [trainReport(training, files), ...sent].join("\n");
    },
    warnings: flags.json ? [...training.doubts, ...training.warnings] : training.warnings,
    failed: training.ended === "diverged",
  };
}

function peopleOf(labels: SentLabels | undefined) {
  if (!labels) throw keptFromAnalysts("labels");
  const clusters = Uint16Array.from(labels.clusters);
  const people =
    "ids" in labels
      ? { sourceRows: new Uint32Array(clusters.length), ids: { column: labels.column, values: labels.ids } }
      : { sourceRows: Uint32Array.from(labels.rows) };
  return [people, clusters] as const;
}

function keptFromAnalysts(what: "labels" | "model"): MoietyError {
  const advice = `--${what} needs ${what}: [parties, analyst] in the job`;
  return new MoietyError(
    "usage",
    `this job's card keeps ${what === "model" ? "the model" : what} from analysts: ${advice}`,
  );
}
