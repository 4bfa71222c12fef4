import { MoietyError } from "../errors.js";
import type { AnalystClient, SentLabels } from "../federation/analyst/client.js";
import { federatedReport } from "../report/federation.js";
import { checkOutputs, labelsOutput, type Output, textOutput, writeOutputs } from "./outputs.js";
import { print, printJson, type Session, warn } from "./session.js";

interface ResultFlags {
  readonly labels?: string;
  readonly report?: string;
  readonly json?: boolean;
}

/** Fetches, writes and prints the result of a job. */
export async function writeJobResult(
  client: AnalystClient,
  id: string,
  flags: ResultFlags,
  session: Session,
): Promise<void> {
  await checkOutputs([flags.labels, flags.report]);
  const { result, facts, card, labels } = await client.result(id);
  const outputs: Output[] = [];
  if (flags.labels !== undefined) outputs.push(labelsOutput(flags.labels, ...peopleOf(labels)));
  if (flags.report !== undefined) {
    const { renderFederatedReport } = await import("../report/federated-page.js");
    const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
    outputs.push(textOutput(flags.report, renderFederatedReport({ result, history: facts.history, card, made })));
  }
  await writeOutputs(outputs);
  const files = outputs.map(({ path }) => path);
  if (flags.json) printJson(result);
  else print(federatedReport(result, files, true));
  warn(result.warnings);
  if (result.fair === false && result.algorithm === "f3km") session.fail();
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
