import type { FeasiblePoint, SweepPoint, SweepResult } from "../algorithms/sweep-types.js";
import { columnsSection } from "./columns.js";
import { formatBeyond, formatCount, formatNumber, formatPeople, formatPrice, formatSeconds } from "./format.js";
import { html, type Markup, shorten } from "./html/markup.js";
import { page } from "./html/page.js";
import { provenanceTable, sectionLinks, topLine, verdictHeader, wideTable } from "./html/parts.js";
import { ownerNotice } from "./html/privacy.js";
import type { Provenance } from "./html/provenance.js";
import { kneeSentences } from "./sweep.js";
import { alongDelta, alongEta, alongK, feasible, tickNumber } from "./sweep-curves.js";
import { verdictWords } from "./verdict.js";

/** A sweep as one page that stands by itself: knees, plots, and every value in a table. */
export function sweepPage(result: SweepResult, from: Provenance = {}): string {
  const { n, points } = result;
  const several = (pick: (point: SweepPoint) => unknown) => new Set(points.map(pick)).size > 1;
  const [etas, deltas, ks] = [several(({ eta }) => eta), several(({ delta }) => delta), several(({ k }) => k)];
  const links: [string, string][] = [
    ...(etas ? [["evenness", "Evenness"] as [string, string]] : []),
    ...(deltas ? [["fairness", "Fairness"] as [string, string]] : []),
    ...(ks ? [["clusters", "Clusters"] as [string, string]] : []),
    ["values", "Values"],
    ["columns", "Columns"],
    ["provenance", "Settings"],
  ];
  const summary = `${formatCount(points.length, "value", "values")} tried on ${formatPeople(n)}`;
  return page(
    `${summary} · Moiety report`,
    html`${topLine(`${summary}${from.made === undefined ? "" : `, ${from.made}`}`)}
${ownerNotice(result, "costs and verdicts")}
${header(result, deltas ? "What fairness costs" : etas ? "What even sizes cost" : "What more clusters bring")}
${sectionLinks(links)}
${etas ? alongEta(result) : undefined}
${deltas ? alongDelta(result) : undefined}
${ks ? alongK(result) : undefined}
${valuesSection(points)}
${columnsSection(result)}
${provenance(result, from)}`,
  );
}

/** What is not plainly fair, and why. */
const meanings = {
  unfair: "more people beyond a bound than are tolerated, or sizes that were not kept",
  "fair-without-meaning": "the tolerance is as much as whole bounds ask for in some cluster",
  "fair-to-rounding": "a group is beyond a bound, within the tolerance",
} as const;

function header({ n, d, points, knees, tolerance, seconds, warnings }: SweepResult, word: string): Markup {
  const reached = feasible(points);
  const verdicts = (["unfair", "fair-without-meaning", "fair-to-rounding"] as const).map((verdict) => ({
    word: verdictWords[verdict].toLowerCase(),
    why: meanings[verdict],
    count: reached.filter((point) => point.verdict === verdict).length,
  }));
  const fair = reached.filter((point) => point.fair).length;
  const prices = reached.flatMap(({ price }) => (price === null ? [] : [price]));
  const costs = reached.map(({ sse }) => sse);
  const [first, ...further] = kneeSentences(knees);
  const extremes = (values: readonly number[], format: (value: number) => string): [string, string] =>
    values.length === 0
      ? ["–", "nothing was promised"]
      : [format(Math.min(...values)), `at least; ${format(Math.max(...values))} at most`];
  const judged = reached.some(({ fair }) => fair !== null);
  return verdictHeader({
    tone: "none",
    word,
    sentence: first ?? `${formatCount(reached.length, "value", "values")} of ${points.length} can be had.`,
    notes: [
      ...further,
      ...verdicts
        .filter(({ count }) => count > 0)
        .map(({ word, why, count }) => `${formatCount(count, "value is", "values are")} ${word}: ${why}.`),
      ...warnings.map((warning) => html`<b>Warning:</b> ${warning}.`),
    ],
    numbers: [
      ["People", formatNumber(n), formatCount(d, "dimension", "dimensions")],
      ["Values", formatNumber(points.length), `${formatNumber(points.length - reached.length)} not feasible`],
      [
        "Fair",
        judged ? formatNumber(fair) : "–",
        judged ? `of ${formatNumber(reached.length)}, within ${formatPeople(tolerance)}` : "nothing protected",
      ],
      ["Price", ...extremes(prices, formatPrice)],
      ["SSE", ...extremes(costs, tickNumber)],
      ["Time", formatSeconds(seconds.total), `${formatSeconds(seconds.read)} reading`],
    ],
  });
}

function provenance(result: SweepResult, { command, source, made }: Provenance): Markup {
  const { algorithm, version, seed, tolerance, warnings } = result;
  return html`<section id="provenance"><h2>Settings and provenance</h2>
${provenanceTable([
  ["Command", command === undefined ? undefined : html`<code>${shorten(command, 2000)}</code>`],
  ["Source", source === undefined ? undefined : html`<code>${shorten(source, 1000)}</code>`],
  ["Made", made],
  ["Version", `Moiety ${version}`],
  ["Algorithm", algorithm],
  ["Seed", `${seed}; the same people, options and seed give the same values`],
  ["Tolerance", `${formatPeople(tolerance)} in each group and cluster`],
  ["Warnings", warnings.length === 0 ? "none" : html`<ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`],
])}</section>`;
}

type PointColumn = readonly [string, (point: FeasiblePoint) => string];

function valuesSection(points: readonly SweepPoint[]): Markup {
  const some = (there: (point: FeasiblePoint) => boolean) => feasible(points).some(there);
  const asked: (readonly [string, (point: SweepPoint) => string])[] = [
    ["k", ({ k }) => String(k)],
    ...(points.some(({ eta }) => eta !== null) ? ([["balance", ({ eta }: SweepPoint) => String(eta)]] as const) : []),
    ...(points.some(({ delta }) => delta !== null)
      ? ([["delta", ({ delta }: SweepPoint) => String(delta)]] as const)
      : []),
  ];
  const columns: PointColumn[] = [
    ["SSE", ({ sse }) => formatNumber(sse)],
    ...(some(({ price }) => price !== null)
      ? [["price", ({ price }) => (price === null ? "–" : formatPrice(price))] as PointColumn]
      : []),
    ["sizes", ({ sizes }) => `${formatNumber(Math.min(...sizes))} to ${formatNumber(Math.max(...sizes))}`],
    ["balance loss", ({ evenness }) => formatNumber(evenness.balanceLoss)],
    ...(some(({ fair }) => fair !== null)
      ? ([
          ["least balance", ({ balance }) => balance?.toFixed(3) ?? "–"],
          ["people beyond", ({ maxViolation }) => formatBeyond(maxViolation)],
          ["verdict", ({ verdict }) => (verdict === null ? "–" : verdictWords[verdict].toLowerCase())],
        ] as PointColumn[])
      : []),
  ];
  const titles = [...asked, ...columns].map(([title]) => html`<th scope="col" class="n">${title}</th>`);
  const row = (point: SweepPoint) =>
    html`<tr>${asked.map(([, cell]) => html`<td class="n">${cell(point)}</td>`)}${
      point.feasible
        ? columns.map(([, cell]) => html`<td class="n">${cell(point)}</td>`)
        : html`<td colspan="${columns.length}">not feasible: ${point.reason}</td>`
    }</tr>`;
  return html`<section id="values"><h2>Every value</h2>
${wideTable("Every value", html`<tr>${titles}</tr>`, points.map(row))}</section>`;
}
