import type { FetchedAlignment, FetchedResult, FetchedTraining } from "../federation/analyst/client.js";
import { forReport } from "../federation/results/training.js";
import { classifierPage } from "./classifier-page.js";
import { renderAlignmentReport, renderFederatedReport } from "./federated-page.js";

/** The report of a job's result, whatever the job made. */
export function jobPage(fetched: FetchedResult | FetchedTraining | FetchedAlignment, made: string): string {
  const { card } = fetched;
  if ("alignment" in fetched) return renderAlignmentReport({ result: fetched.alignment, card, made });
  if ("result" in fetched) {
    return renderFederatedReport({ result: fetched.result, history: fetched.facts.history, card, made });
  }
  const { training, facts } = fetched;
  const source = `job ${training.job} at ${card.parties.map(({ name }) => name).join(", ")}`;
  const command = JSON.stringify(card);
  return classifierPage({ ...forReport(card, facts), command, source, made, sites: training.sites });
}
