import { type CurveValues, type Difference, differences } from "../learning/tally.js";
import type { CurvePoint, LearningData, Trained, TrainResult } from "../learning/types.js";
import { type Classification, classification, thresholdFor } from "../metrics/index.js";
import { columnsSection } from "./columns.js";
import { sitesSection } from "./federated-page.js";
import type { Sent } from "./federation.js";
import { formatCount, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { html, type Markup, name } from "./html/markup.js";
import { type PlotLine, plotSvg } from "./sweep-plot.js";
import { sweepStyle } from "./sweep-style.js";
import { aimOf, controlSentence, points, withInterval } from "./train.js";

interface ClassifierReport {
  readonly trained: Trained;
  readonly data: LearningData;
  readonly command: string;
  readonly source: string;
  readonly made: string;
  /** Of a federation: what left each site. */
  readonly sites?: Readonly<Record<string, readonly Sent[]>>;
}

const titles: Record<Difference, string> = {
  dpd: "demographic parity difference (DPD)",
  eod: "equal opportunity difference (EOD)",
  apd: "accuracy parity difference (APD)",
};
const meanings: Record<Difference, string> = {
  dpd: "between the shares of the groups that get a yes",
  eod: "between the shares that get a yes among those whose label is yes",
  apd: "between the shares that get a wrong answer",
};

/** A classifier as one page that stands by itself: verdict, groups, trade-offs and learning curves. */
export function classifierPage({ trained, data, command, source, made, sites }: ClassifierReport): string {
  const { result } = trained;
  const { algorithm, fairness, net, n, parties, rounds, version, seed, seconds, warnings } = result;
  const aim = fairness === null ? "without fairness" : aimOf(result);
  const facts = `${formatPeople(result.trained)} of ${formatCount(parties, "party", "parties")} to learn from, ${formatPeople(n)} to measure on. ${net} with ${formatCount(result.parameters, "parameter", "parameters")}, ${formatCount(rounds, "round", "rounds")}.`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>A classifier and its groups</title><style>${sweepStyle}</style></head>
<body><main><header><h1>A classifier ${aim}, by ${algorithm}</h1>
<p>${facts}</p><p>It answers whether somebody’s label is ${name(result.label.positive)}. ${groupCount(data)}</p>
${result.doubts.map((doubt) => html`<p><strong>${doubt}</strong></p>`)}
<p><strong>${controlSentence(result)}</strong></p></header>
${warnings.length > 0 ? html`<section><h2>Warnings</h2><ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul></section>` : ""}
${modelsSection(result)}
${groupsSection(result)}
${differences.map((difference) => tradeOff(trained, data, difference))}
${curvesSection(result, trained.controlCurve)}
${result.features ? columnsSection({ features: [], leftOut: [], ...result }) : ""}
${sites ? sitesSection(sites) : ""}
<footer><p>${source}: ${command}</p><p>Moiety ${version}, seed ${seed}, ${formatSeconds(seconds.total)}, ${made}</p></footer></main></body></html>
`;
  return page.text;
}

function groupCount({ attribute }: LearningData): Markup {
  return html`Groups are those of ${name(attribute.name)}, of which there are ${attribute.groups.length}; the model does not see them.`;
}

function modelsSection(result: TrainResult): Markup {
  const models: [string, Classification][] = [
    [result.algorithm, result],
    ["fedavg", result.fedavg],
    ["control", result.control],
  ];
  const cell = (text: string) => html`<td class="n">${text}</td>`;
  const interval = (model: Classification, key: keyof Classification["intervals"]) => {
    const { value, low, high } = model.intervals[key];
    if (value === null) return cell("–");
    return html`<td class="n">${points(value)}<small>${points(low)} to ${points(high)}</small></td>`;
  };
  const keys = ["accuracy", "dpd", "eod", "apd", "positiveRate"] as const;
  return html`<section><h2>How right, and how fair</h2>
<p>In points, with 95% intervals. The control is the plain model with one threshold for everybody, moved until it says yes as often as this one: what it reaches could be had without any fairness.</p>
<div class="wide"><table><thead><tr><th scope="col">model</th>${["accuracy", "DPD", "EOD", "APD", "says yes"].map((title) => html`<th scope="col" class="n">${title}</th>`)}<th scope="col" class="n">AUC</th></tr></thead>
<tbody>${models.map(([title, model]) => html`<tr><td>${title}</td>${keys.map((key) => interval(model, key))}${cell(model.auc === null ? "–" : model.auc.toFixed(3))}</tr>`)}</tbody></table></div></section>`;
}

function groupsSection({ perGroup }: TrainResult): Markup {
  const heads = ["people", "label yes", "right", "yes", "yes where label is yes", "yes where label is no"];
  return html`<section><h2>Group by group</h2><div class="wide"><table><thead><tr><th scope="col">group</th>${heads.map((head) => html`<th scope="col" class="n">${head}</th>`)}</tr></thead>
<tbody>${Object.entries(perGroup).map(
    ([group, rates]) =>
      html`<tr><td>${name(group)}</td><td class="n">${formatNumber(rates.people)}</td><td class="n">${formatNumber(rates.positives)}</td>${[rates.accuracy, rates.positiveRate, rates.truePositiveRate, rates.falsePositiveRate].map((rate) => html`<td class="n">${withInterval(rate)}</td>`)}</tr>`,
  )}</tbody></table></div></section>`;
}

/** Thresholds at which this model and the plain one say yes to nobody, to everybody, and to shares between. */
const rates = Array.from({ length: 51 }, (_, i) => 0.02 * i);

/** The most accuracy that each model reaches with no more than a difference, by moving its one threshold. */
function tradeOff({ scores, controlScores, result }: Trained, data: LearningData, difference: Difference): Markup {
  const measure = (of: Float32Array, threshold: number) =>
    classification({
      scores: of,
      threshold,
      labels: data.test.labels,
      groups: data.attribute.groups,
      codes: data.test.groups,
    });
  const line = (title: string, of: Float32Array): PlotLine => ({
    name: title,
    points: frontier(
      [0, ...rates.map((rate) => thresholdFor(of, rate))]
        .map((threshold) => measure(of, threshold))
        .flatMap((model) => pointOf(title, model, difference)),
    ),
  });
  const asTrained = (title: string, model: Classification): PlotLine => ({
    points: pointOf(`${title} as trained`, model, difference).map((point) => ({ ...point, mark: "as trained" })),
  });
  const own = asTrained(result.algorithm, result);
  const lines: PlotLine[] = [
    line(result.algorithm, scores),
    ...(result.algorithm === "fedavg" ? [] : [{ ...line("fedavg", controlScores), reference: true }]),
    { ...own, like: 0 },
    ...(result.algorithm === "fedavg" ? [] : [{ ...asTrained("fedavg", result.fedavg), reference: true }]),
  ];
  if (own.points.length === 0) return html``;
  return html`<section><h2>Accuracy against ${difference.toUpperCase()}</h2>
<p>The ${titles[difference]} is ${meanings[difference]}, the highest group less the lowest. Each line is one model: the most accuracy that one threshold for everybody reaches with no more than that difference. Up and to the left is better; where a line begins, the model says the same to nearly everybody.</p>
<figure>${plotSvg({
    title: `Accuracy against ${titles[difference]}`,
    xTitle: `${difference.toUpperCase()}, points`,
    yTitle: "accuracy",
    formatX: (value) => String(Number(value.toPrecision(4))),
    formatY: (value) => `${Number(value.toPrecision(4))}%`,
    lines,
    missing: [],
    measured: true,
  })}</figure></section>`;
}

/** From the smallest difference on, whatever is more accurate than all before. */
function frontier<Point extends { readonly x: number; readonly y: number }>(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || b.y - a.y);
  let best = Number.NEGATIVE_INFINITY;
  return sorted.filter(({ y }) => {
    if (y <= best) return false;
    best = y;
    return true;
  });
}

function pointOf(title: string, model: Classification, difference: Difference) {
  const x = model[difference];
  if (x === null) return [];
  const note = `${title}: ${formatShare(model.accuracy)} right, ${difference.toUpperCase()} ${points(x)}, says yes to ${formatShare(model.positiveRate)}`;
  return [{ x: 100 * x, y: 100 * model.accuracy, note }];
}

function curvesSection(result: TrainResult, control: readonly CurvePoint[]): Markup {
  const plots: [string, keyof CurveValues][] = [
    ["accuracy", "accuracy"],
    ["DPD", "dpd"],
    ["EOD", "eod"],
    ["APD", "apd"],
    ["loss", "loss"],
  ];
  const draw = ([title, key]: [string, keyof CurveValues]) => {
    const factor = key === "loss" ? 1 : 100;
    const line = (label: string, curve: readonly CurvePoint[], of: "train" | "test"): PlotLine => ({
      name: label,
      points: curve.map((point) => ({
        x: point.round,
        y: factor * point[of][key],
        note: `${label}, round ${point.round}: ${(factor * point[of][key]).toFixed(2)}`,
      })),
    });
    return html`<figure>${plotSvg({
      title: `${title} by round`,
      xTitle: "round",
      yTitle: key === "loss" ? "mean cross-entropy" : `${title}, points`,
      formatX: String,
      formatY: (value) => String(Number(value.toPrecision(4))),
      lines: [
        line("measured", result.curve, "test"),
        line("learnt from", result.curve, "train"),
        ...(result.algorithm === "fedavg" ? [] : [{ ...line("fedavg", control, "test"), reference: true }]),
      ],
      missing: [],
    })}</figure>`;
  };
  return html`<section><h2>Learning curves</h2><p>After each round: of the people to measure on, of those to learn from, and of fedavg on the people to measure on.</p>${plots.map(draw)}</section>`;
}
