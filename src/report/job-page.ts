import { defined } from "../defined.js";
import type { FetchedAlignment, FetchedResult, FetchedTraining } from "../federation/analyst/client.js";
import { forReport } from "../federation/results/training.js";
import { classifierPage } from "./classifier-page.js";
import { renderAlignmentReport, renderFederatedReport } from "./federated-page.js";
import { type Language, say } from "./language.js";
import { speaking } from "./speaking.js";

/** The report of a job's result, whatever the job made. */
export function jobPage(
  fetched: FetchedResult | FetchedTraining | FetchedAlignment,
  made: string,
  language?: Language,
): string {
  const { card } = fetched;
  if ("alignment" in fetched) return renderAlignmentReport({ result: fetched.alignment, card, made, language });
  if ("result" in fetched) {
    return renderFederatedReport({ result: fetched.result, history: fetched.facts.history, card, made, language });
  }
  const { training, facts } = fetched;
  const sites = card.parties.map(({ name }) => name).join(", ");
  const source = speaking(language, () => say`job ${training.job} at ${sites}`);
  const command = JSON.stringify(card);
  return classifierPage({
    ...forReport(card, facts),
    command,
    source,
    made,
    sites: training.sites,
    ...defined({ language }),
  });
}
