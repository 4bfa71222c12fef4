import { controlMethod, methods } from "../learning/catalogue.js";
import { differences, differenceWords } from "../learning/tally.js";
import type { LearningData, Trained, TrainResult } from "../learning/types.js";
import type { Classification } from "../metrics/index.js";
import { curvesSection, tradeOffSection } from "./classifier-plots.js";
import { columnsSection } from "./columns.js";
import { sitesSection } from "./federated-page.js";
import type { Sent } from "./federation.js";
import { formatCount, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { html, type Markup, name, shorten } from "./html/markup.js";
import { page } from "./html/page.js";
import { provenanceTable, sectionLinks, topLine, verdictHeader, wideTable } from "./html/parts.js";
import { aimOf, controlSentence, endOf, points, withInterval } from "./train.js";
import type { Tone } from "./verdict.js";

interface ClassifierReport {
  readonly trained: Trained;
  readonly data: LearningData;
  readonly command: string;
  readonly source: string;
  readonly made: string;
  /** Of a federation: what left each site. */
  readonly sites?: Readonly<Record<string, readonly Sent[]>>;
}

/** A classifier as one page that stands by itself: what it is worth, groups, trade-offs and learning curves. */
export function classifierPage({ trained, data, command, source, made, sites }: ClassifierReport): string {
  const { result } = trained;
  const { features } = result;
  const summary = `A classifier${aimOf(result)} of ${formatPeople(result.trained)}`;
  const links: [string, string][] = [
    ["models", "Models"],
    ["groups", "Groups"],
    ["tradeoffs", "Trade-offs"],
    ["curves", "Learning curves"],
    ...(features ? [["columns", "Columns"] as [string, string]] : []),
    ...(sites ? [["sites", "Sites"] as [string, string]] : []),
    ["provenance", "Settings"],
  ];
  return page(
    `${summary} · Moiety report`,
    html`${topLine(`${summary}, ${made}`)}
${header(result)}
${sectionLinks(links)}
${modelsSection(result)}
${groupsSection(result)}
${tradeOffSection(trained, data)}
${curvesSection(result, trained.controlCurve)}
${features ? columnsSection({ features, leftOut: [], ...result }) : undefined}
${sites ? sitesSection(sites) : undefined}
${provenance(result, { command, source, made })}`,
  );
}

/** What speaks against the model comes first; without that, whether it is fairer. */
function header(result: TrainResult): Markup {
  const { accuracy, auc, baseline, control, fairness, positiveRate, n, rounds, seconds, doubts, warnings } = result;
  const [first = verdictSentence(result), ...further] = doubts;
  const aimed = fairness === null ? undefined : (`${fairness}d` as const);
  return verdictHeader({
    ...standing(result),
    sentence: first,
    notes: [
      ...further,
      ...(doubts.length > 0 ? [verdictSentence(result)] : []),
      ...(aimed && result[aimed] !== null && result.fairer !== null ? [controlSentence(result)] : []),
      html`It predicts whether a person’s label is ${name(result.label.positive)}, and does not use the groups of ${name(result.protected)}.`,
      ...warnings.map((warning) => html`<b>Warning:</b> ${warning}.`),
    ],
    numbers: [
      [
        "Accuracy",
        formatShare(accuracy),
        `${formatShare(baseline.accuracy)} by always answering ${shorten(baseline.answer)}`,
      ],
      ["AUC", auc === null ? "–" : auc.toFixed(3), "0.5 is chance, 1 is perfect"],
      aimed
        ? [aimed.toUpperCase(), points(result[aimed]), `points, the control ${points(control[aimed])}`]
        : ["Fairness", "–", "nothing was asked for"],
      ["Says yes", formatShare(positiveRate), "of all people measured on"],
      ["Measured on", formatNumber(n), `people; learnt from ${formatNumber(result.trained)}`],
      [
        "Rounds",
        formatNumber(rounds),
        `${result.settled ? "settled" : "not settled"}, ${formatSeconds(seconds.total)}`,
      ],
    ],
  });
}

function standing({ useful, settled, fairer, ended }: TrainResult): { word: string; tone: Tone } {
  if (!useful) return { word: "Of no use as it is", tone: "bad" };
  if (!settled)
    return ended === "diverged" ? { word: "Diverged", tone: "bad" } : { word: "Not settled", tone: "doubtful" };
  if (fairer === null) return { word: "Measured", tone: "none" };
  return fairer
    ? { word: "Fairer than the control", tone: "good" }
    : { word: "No fairer than the control", tone: "bad" };
}

/** For whoever has never heard of these names. */
function verdictSentence(result: TrainResult): Markup {
  const { fairness, control, label } = result;
  if (result.algorithm === controlMethod.name || fairness === null) return html`${controlSentence(result)}`;
  const key = `${fairness}d` as const;
  const [own, other] = [result[key], control[key]];
  if (own === null || other === null) return html`${controlSentence(result)}`;
  const who = fairness === "eo" ? html`Of those whose label is ${name(label.positive)}, groups of` : html`Groups of`;
  const what = fairness === "ap" ? "a wrong answer" : "a yes";
  return html`${who} ${name(result.protected)} get ${what} at rates that differ by ${points(own)} points, from the highest to the lowest (${differenceWords[key].fairness} difference, ${key.toUpperCase()}); with a plain model that says yes as often, the control, they differ by ${points(other)}.`;
}

function modelsSection(result: TrainResult): Markup {
  const models: [string, Classification][] =
    result.algorithm === controlMethod.name
      ? [[controlMethod.name, result]]
      : [
          [result.algorithm, result],
          [controlMethod.name, result.fedavg],
          ["control", result.control],
        ];
  const interval = (model: Classification, key: keyof Classification["intervals"]) => {
    const { value, low, high } = model.intervals[key];
    if (value === null) return html`<td class="n">–</td>`;
    return html`<td class="n">${points(value)}<small>${points(low)} to ${points(high)}</small></td>`;
  };
  const keys = ["accuracy", "dpd", "eod", "apd", "positiveRate"] as const;
  const titles = ["Accuracy", "DPD", "EOD", "APD", "Says yes", "AUC"];
  return html`<section id="models"><h2>Accuracy and fairness</h2>
<p>In points, with 95% intervals below. Differences are between groups, the highest less the lowest:</p>
<dl class="terms">${differences.map((key) => html`<div><dt>${key.toUpperCase()}</dt><dd>${differenceWords[key].fairness} difference: ${differenceWords[key].share}</dd></div>`)}<div><dt>AUC</dt><dd>how often a person whose label is yes has a higher score than a person whose label is no</dd></div></dl>
${result.algorithm === controlMethod.name ? undefined : html`<p>The control is ${controlMethod.name}, the plain model, with one threshold for all people, moved until it says yes as often as this one: what it reaches is possible without any fairness method.</p>`}
${wideTable(
  "Accuracy and fairness",
  html`<tr><th scope="col">Model</th>${titles.map((title) => html`<th scope="col" class="n">${title}</th>`)}</tr>`,
  models.map(
    ([title, model]) =>
      html`<tr><th scope="row">${title}</th>${keys.map((key) => interval(model, key))}<td class="n">${model.auc === null ? "–" : model.auc.toFixed(3)}</td></tr>`,
  ),
)}</section>`;
}

function groupsSection({ perGroup, protected: attribute }: TrainResult): Markup {
  const heads = ["People", "Label yes", "Accuracy", "Yes", "Yes where label is yes", "Yes where label is no"];
  return html`<section id="groups"><h2>Group by group</h2>
<p>Of each group of ${name(attribute)}, among the people measured on, with 95% intervals: the fewer people, the wider.</p>
${wideTable(
  "Group by group",
  html`<tr><th scope="col">Group</th>${heads.map((head) => html`<th scope="col" class="n">${head}</th>`)}</tr>`,
  Object.entries(perGroup).map(
    ([group, rates]) =>
      html`<tr><th scope="row">${name(group)}</th><td class="n">${formatNumber(rates.people)}</td><td class="n">${formatNumber(rates.positives)}</td>${[
        rates.accuracy,
        rates.positiveRate,
        rates.truePositiveRate,
        rates.falsePositiveRate,
      ].map((rate) => rateCell(withInterval(rate)))}</tr>`,
  ),
)}</section>`;
}

/** The interval below the rate. */
function rateCell(text: string): Markup {
  const [rate, interval] = text.split(" (");
  return html`<td class="n">${rate}${interval === undefined ? undefined : html`<small>${interval.replace(")", "")}</small>`}</td>`;
}

function provenance(result: TrainResult, from: Pick<ClassifierReport, "command" | "source" | "made">): Markup {
  const { algorithm, version, seed, net, parameters, parties, skew, label, rounds, seconds, warnings } = result;
  const about = methods.find(({ name: each }) => each === algorithm);
  return html`<section id="provenance"><h2>Settings and provenance</h2>
${provenanceTable([
  ["Command", html`<code>${shorten(from.command, 2000)}</code>`],
  ["Source", html`<code>${shorten(from.source, 1000)}</code>`],
  ["Made", from.made],
  ["Version", `Moiety ${version}`],
  ["Algorithm", `${algorithm}${aimOf(result)}${about ? `: ${about.summary}` : ""}`],
  ["Paper", about?.paper],
  ["Net", `${net} with ${formatCount(parameters, "parameter", "parameters")}`],
  ["Parties", `${formatNumber(parties)}${skew === null ? "" : `, labels dealt unevenly (skew ${skew})`}`],
  ["Label", html`yes is ${name(label.positive)}, no is ${name(label.negative)}`],
  ["Protected", name(result.protected)],
  ["Seed", `${seed}; the same people, options and seed give the same model`],
  ["Rounds", `${formatNumber(rounds)}${endOf(result)}`],
  [
    "Time",
    `${formatSeconds(seconds.read)} reading, ${formatSeconds(seconds.train)} training, ${formatSeconds(seconds.total)} in all`,
  ],
  ["Warnings", warnings.length === 0 ? "none" : html`<ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`],
])}
<p class="aside">Fair here means that the stated share is much the same in every group, among the people measured on. It says nothing about whether the labels are fair, and nothing about groups that were not protected.</p></section>`;
}
