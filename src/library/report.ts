import { languages } from "../report/language.js";
import { type ReportInput, renderReport as render } from "../report/report.js";
import { guarded } from "./guard.js";
import { type AnyLabels, byPerson } from "./labels.js";
import { choice, type OptionRules, options, text } from "./rules.js";
import { clustering, people } from "./things.js";

type ReportRequest = Omit<ReportInput, "clustering"> & {
  readonly clustering: Omit<ReportInput["clustering"], "labels"> & { readonly labels: AnyLabels };
};
const report: OptionRules<ReportRequest> = {
  people,
  clustering,
  command: text,
  source: text,
  made: text,
  language: choice(...languages),
};

/** A clustering as one self-contained HTML page. */
export const renderReport = guarded(
  "renderReport",
  ({ people: whom, clustering: shown, ...from }: ReportRequest): string =>
    render({ people: whom, clustering: { ...shown, labels: byPerson(shown.labels, whom) }, ...from }),
  { request: options(report, ["people", "clustering"]) },
);
