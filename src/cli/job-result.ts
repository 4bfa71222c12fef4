import { methodOf } from "../algorithms/catalogue.js";
import { MoietyError } from "../errors.js";
import type { AnalystClient, FetchedAlignment, FetchedTraining, SentLabels } from "../federation/analyst/client.js";
import { alignmentReport, federatedReport, siteReport } from "../report/federation.js";
import { trainReport } from "../report/train.js";
import { isStandardOutput } from "../table/disk/index.js";
import {
  checkResults,
  filesOf,
  labelsOutput,
  type Output,
  type ResultFlags,
  textOutput,
  writeOutputs,
} from "./outputs.js";
import { print, printJson, type Session, warn } from "./session.js";

/** Fetches, writes and prints the result of a job. */
export async function writeJobResult(
  client: AnalystClient,
  id: string,
  flags: ResultFlags,
  session: Session,
): Promise<void> {
  await checkResults(flags);
  const fetched = await client.fetch(id);
  if ("training" in fetched) return writeTraining(fetched, flags, session);
  if ("alignment" in fetched) return writeAlignment(fetched, flags);
  if (flags.model !== undefined) throw new MoietyError("usage", "--model is for trainings: this job has clusters");
  const { result, facts, card, labels } = fetched;
  const outputs: Output[] = [];
  if (flags.labels !== undefined) outputs.push(labelsOutput(flags.labels, ...peopleOf(labels)));
  if (flags.report !== undefined) {
    const { renderFederatedReport } = await import("../report/federated-page.js");
    const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
    outputs.push(textOutput(flags.report, renderFederatedReport({ result, history: facts.history, card, made })));
  }
  await writeOutputs(outputs);
  if (flags.json) printJson(result);
  else print(federatedReport(result, filesOf(outputs), true), isStandardOutput(flags.labels));
  warn(result.warnings);
  if (result.fair === false && methodOf(result.algorithm).promises.groups) session.fail();
}

/** How many people the sites have in common, and what left each of them: no id. */
async function writeAlignment({ alignment, card }: FetchedAlignment, flags: ResultFlags): Promise<void> {
  if (flags.labels !== undefined || flags.model !== undefined) {
    const flag = flags.labels === undefined ? "--model" : "--labels";
    throw new MoietyError(
      "usage",
      `${flag} does not apply to an alignment: the common ids are only in each site's own results`,
    );
  }
  const outputs: Output[] = [];
  if (flags.report !== undefined) {
    const { renderAlignmentReport } = await import("../report/federated-page.js");
    const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
    outputs.push(textOutput(flags.report, renderAlignmentReport({ result: alignment, card, made })));
  }
  await writeOutputs(outputs);
  if (flags.json) printJson(alignment);
  else print(alignmentReport(alignment, filesOf(outputs)));
}

/** A classifier instead of clusters. */
async function writeTraining(fetched: FetchedTraining, flags: ResultFlags, session: Session): Promise<void> {
  const { training, facts, card, model } = fetched;
  if (flags.labels !== undefined) {
    throw new MoietyError(
      "usage",
      "--labels is for clusters: fetch the classifier with --model, and use moiety predict",
    );
  }
  const outputs: Output[] = [];
  if (flags.model !== undefined) {
    if (model === undefined) {
      throw new MoietyError(
        "usage",
        "this job's card keeps the model from analysts: --model needs model: [parties, analyst] in the job",
      );
    }
    outputs.push(textOutput(flags.model, model));
  }
  if (flags.report !== undefined) {
    const { classifierPage } = await import("../report/classifier-page.js");
    const { forReport } = await import("../federation/results/training.js");
    const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const source = `job ${training.job} at ${card.parties.map(({ name }) => name).join(", ")}`;
    const { sites } = training;
    outputs.push(
      textOutput(
        flags.report,
        classifierPage({ ...forReport(card, facts), command: JSON.stringify(card), source, made, sites }),
      ),
    );
  }
  await writeOutputs(outputs);
  const files = filesOf(outputs);
  if (flags.json) printJson(training);
  else
    print(
      [
        trainReport(training, files),
        ...Object.entries(training.sites).flatMap(([site, sent]) => ["", siteReport(site, sent)]),
      ].join("\n"),
    );
  warn(flags.json ? [...training.doubts, ...training.warnings] : training.warnings);
  if (training.ended === "diverged") session.fail();
}

function peopleOf(labels: SentLabels | undefined) {
  if (!labels) {
    throw new MoietyError(
      "usage",
      "this job's card keeps labels from analysts: --labels needs labels: [parties, analyst] in the job",
    );
  }
  const clusters = Uint16Array.from(labels.clusters);
  const people =
    "ids" in labels
      ? { sourceRows: new Uint32Array(clusters.length), ids: { column: labels.column, values: labels.ids } }
      : { sourceRows: Uint32Array.from(labels.rows) };
  return [people, clusters] as const;
}
