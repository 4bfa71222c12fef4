import { type FeasiblePoint, placeOf, type SweepPoint, type SweepResult } from "../algorithms/sweep-types.js";
import { columnsSection } from "./columns.js";
import { formatBeyond, formatCount, formatNumber, formatPeople, formatPrice, formatSeconds } from "./format.js";
import { html, type Markup } from "./html/markup.js";
import { kneeSentences } from "./sweep.js";
import { type PlotLine, plotSvg } from "./sweep-plot.js";
import { sweepStyle } from "./sweep-style.js";
import { verdictWords } from "./verdict.js";

/** More lines than this in one plot cannot be told apart. */
const mostLines = 8;

/** A sweep as one page that stands by itself: plots, knees, and every value in a table. */
export function sweepPage(result: SweepResult): string {
  const { algorithm, version, seed, n, d, tolerance, points, knees, seconds, warnings } = result;
  const ks = [...new Set(points.map(({ k }) => k))];
  const deltas = [...new Set(points.map(({ delta }) => delta))];
  const etas = etasOf(points);
  const sections = [
    ...(etas.length > 1 ? [alongEta(result)] : []),
    ...(deltas.length > 1 ? [alongDelta(result, ks)] : []),
    ...(ks.length > 1 ? [alongK(result, deltas)] : []),
  ];
  const settings = `${algorithm}, seed ${seed}, tolerance ${tolerance}, Moiety ${version}, ${formatSeconds(seconds.total)}`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What promises cost</title><style>${sweepStyle}</style></head>
<body><main><header><h1>${deltas.length > 1 ? "What fairness costs" : etas.length > 1 ? "What even sizes cost" : "What more clusters bring"}</h1>
<p>${formatPeople(n)}, ${formatCount(d, "dimension", "dimensions")}, ${formatCount(points.length, "value", "values")} tried.</p>
${kneeSentences(knees).map((sentence) => html`<p><strong>${sentence}</strong></p>`)}</header>
${sections}
<section><h2>Every value</h2>${valuesTable(points)}</section>
${columnsSection(result)}
${warnings.length > 0 ? html`<section><h2>Warnings</h2><ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul></section>` : ""}
<footer><p>${settings}</p></footer></main></body></html>
`;
  return page.text;
}

/** All alike stands at 0, which no eta may be. */
function alongEta({ points }: SweepResult): Markup {
  const places = [...new Set(points.map(({ k, delta }) => placeOf({ k, eta: null, delta })))];
  const lines = choose(places).map((name): PlotLine => {
    const own = feasible(points, ({ k, delta }) => placeOf({ k, eta: null, delta }) === name);
    return {
      name,
      points: own.map((point) => ({ x: degree(point), y: point.price ?? 0, note: noteOf(point) })),
    };
  });
  const plot = plotSvg({
    title: "Cost against the balance, one line for each k and delta",
    xTitle: "balance: how little uneven sizes weigh (left is more even)",
    yTitle: "price: SSE over the unconstrained",
    formatX: (eta) => (eta === 0 ? "hard" : String(eta)),
    formatY: tickPrice,
    lines,
    missing: nowhere(points, degree),
    fromZero: true,
  });
  return html`<section><h2>Evenness and cost</h2>
<p>A balance of 0.8 minimises 0.8 × SSE + 0.2 × the sum of (size − n/k)²; hard promises sizes that differ by one at most.${left(places, "k and delta")}</p>
<figure>${plot}</figure></section>`;
}

function degree({ eta }: SweepPoint): number {
  return typeof eta === "number" ? eta : 0;
}

function alongDelta({ points, knees }: SweepResult, ks: readonly number[]): Markup {
  const priced = points.some((point) => point.feasible && point.price !== null);
  const curves = etasOf(points).flatMap((eta) => ks.map((k) => ({ k, eta, delta: null })));
  const lines = choose(curves).map((curve): PlotLine => {
    const { k, eta } = curve;
    return {
      name: placeOf(curve),
      points: feasible(points, (point) => point.k === k && point.eta === eta).map((point) => ({
        x: point.delta!,
        y: priced ? point.price! : point.sse,
        note: noteOf(point),
        ...(knees.some((knee) => knee.along === "delta" && knee.k === k && knee.eta === eta && knee.at === point.delta)
          ? { mark: "knee" }
          : {}),
      })),
    };
  });
  const plot = plotSvg({
    title: "Cost against delta, one line for each k",
    xTitle: "delta: how far shares may be from those of everybody (left is fairer)",
    yTitle: priced ? "price: SSE over the unconstrained" : "SSE",
    formatX: String,
    formatY: priced ? tickPrice : tickNumber,
    lines,
    missing: nowhere(points, ({ delta }) => delta),
    fromZero: priced,
  });
  return html`<section><h2>Fairness and cost</h2>
<p>With a delta of 0.2 every group has between 80% and 125% of its share in every cluster. The smaller the delta, the fairer the clusters, and the more they cost.${left(curves, "k and balance")}</p>
<figure>${plot}</figure></section>`;
}

function alongK({ points, knees }: SweepResult, deltas: readonly (number | null)[]): Markup {
  const curves = etasOf(points).flatMap((eta) => deltas.map((delta) => ({ eta, delta })));
  const lines = choose(curves).map(({ eta, delta }): PlotLine => {
    const name = [eta === null ? [] : `balance ${eta}`, delta === null ? [] : `delta ${delta}`].flat().join(", ");
    return {
      name,
      points: feasible(points, (point) => point.delta === delta && point.eta === eta).map((point) => ({
        x: point.k,
        y: point.sse,
        note: noteOf(point),
        ...(knees.some((knee) => knee.along === "k" && knee.delta === delta && knee.eta === eta && knee.at === point.k)
          ? { mark: "knee" }
          : {}),
      })),
    };
  });
  const free = new Map(points.flatMap((point) => (point.feasible ? [[point.k, point.unconstrainedSse]] : [])));
  const reference = Array.from(free).flatMap(([k, sse]) =>
    k == null || sse == null ? [] : [{ x: k, y: sse, note: `k ${k}, unconstrained: SSE ${formatNumber(sse)}` }],
  );
  const plot = plotSvg({
    title: "SSE against the number of clusters",
    xTitle: "k: the number of clusters",
    yTitle: "SSE",
    formatX: String,
    formatY: tickNumber,
    lines: reference.length > 0 ? [...lines, { name: "unconstrained", points: reference, reference: true }] : lines,
    missing: nowhere(points, ({ k }) => k),
  });
  return html`<section><h2>Clusters and cost</h2>
<p>SSE is the sum of squared distances to the clusters’ means: less is tighter. Without promises more clusters are always tighter; with them nearly always. A knee is where more of them stop paying.${left(curves, "balance and delta")}</p>
<figure>${plot}</figure></section>`;
}

function etasOf(points: readonly SweepPoint[]) {
  return [...new Set(points.map(({ eta }) => eta))];
}

function feasible(points: readonly SweepPoint[], wanted: (point: SweepPoint) => boolean): FeasiblePoint[] {
  return points.filter((point) => point.feasible).filter(wanted);
}

/** Values at which nothing is feasible. */
function nowhere(points: readonly SweepPoint[], pick: (point: SweepPoint) => number | null): number[] {
  const found = new Set(feasible(points, () => true).map(pick));
  return [...new Set(points.map(pick))].filter((value) => value !== null && !found.has(value)) as number[];
}

/** As many lines as can be told apart, evenly chosen, both ends among them. */
function choose<T>(values: readonly T[]): T[] {
  if (values.length <= mostLines) return [...values];
  const at = Array.from({ length: mostLines }, (_, i) => Math.round((i * (values.length - 1)) / (mostLines - 1)));
  return at.map((index) => values[index]!);
}

function left(values: readonly unknown[], what: string): string {
  return values.length > mostLines ? ` Of ${values.length} values of ${what} the plot shows ${mostLines}.` : "";
}

/** Beside an axis there is room for a few letters. */
function tickPrice(price: number): string {
  return formatPrice(price).replace(/\.0%$/, "%");
}

function tickNumber(value: number): string {
  if (Math.abs(value) < 1e6) return formatNumber(value);
  return value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 2 });
}

function noteOf(point: FeasiblePoint): string {
  const { sse, price } = point;
  return `${placeOf(point)}: SSE ${formatNumber(sse)}${price === null ? "" : `, ${formatPrice(price)}`}`;
}

function valuesTable(points: readonly SweepPoint[]): Markup {
  const cell = (text: string | undefined) => html`<td class="n">${text ?? "–"}</td>`;
  const row = (point: SweepPoint) => {
    const start = html`<td class="n">${point.k}</td>${cell(point.eta?.toString())}${cell(point.delta?.toString())}`;
    if (!point.feasible) return html`<tr>${start}<td colspan="7">not feasible: ${point.reason}</td></tr>`;
    const { sse, price, sizes, evenness, balance, maxViolation, verdict } = point;
    const range = `${formatNumber(Math.min(...sizes))} to ${formatNumber(Math.max(...sizes))}`;
    return html`<tr>${start}${cell(formatNumber(sse))}${cell(price === null ? undefined : formatPrice(price))}${cell(range)}${cell(formatNumber(evenness.balanceLoss))}${cell(balance?.toFixed(3))}${cell(formatBeyond(maxViolation))}<td>${verdict === null ? "–" : verdictWords[verdict].toLowerCase()}</td></tr>`;
  };
  const titles = ["k", "balance", "delta", "SSE", "price", "sizes", "balance loss", "least balance", "people beyond"];
  return html`<div class="wide"><table><thead><tr>${titles.map((title) => html`<th scope="col" class="n">${title}</th>`)}<th scope="col">verdict</th></tr></thead>
<tbody>${points.map(row)}</tbody></table></div>`;
}
