import { costsOf } from "../algorithms/price-of-fairness.js";
import type { SweepPoint, SweepResult } from "../algorithms/sweep-types.js";
import { columnsSection } from "./columns.js";
import { capitalised } from "./costs.js";
import { formatCount, formatNumber, formatPeople, formatPrice, formatSeconds } from "./format.js";
import { html, type Markup } from "./html/markup.js";
import {
  type PageSection,
  type Provenance,
  provenanceSection,
  reportPage,
  section,
  verdictHeader,
  wideTable,
} from "./html/parts.js";
import { ownerNotice } from "./html/privacy.js";
import { heard, say, told } from "./language.js";
import type { ReportParts } from "./report.js";
import { speaking } from "./speaking.js";
import { feasible, kneeSentences, sweepColumns, sweptCost } from "./sweep.js";
import { alongDelta, alongEta, alongK, tickNumber } from "./sweep-curves.js";
import { verdictWords } from "./verdict.js";

/** A sweep as one page that needs nothing else: knees, plots, and every value in a table. */
export function sweepPage(result: SweepResult, from: Provenance = {}): string {
  return speaking(from.language, () => {
    const { summary, opening, sections } = sweepParts(result, from);
    return reportPage(summary, from.made, opening, sections);
  });
}

/** The same part by part, for pages that show it in a frame of their own. */
export function sweepParts(result: SweepResult, from: Provenance = {}): ReportParts {
  return speaking(from.language, () => partsOf(result, from));
}

function partsOf(result: SweepResult, from: Provenance): ReportParts {
  const { n, points } = result;
  const several = (pick: (point: SweepPoint) => unknown) => new Set(points.map(pick)).size > 1;
  const [etas, deltas, ks] = [several(({ eta }) => eta), several(({ delta }) => delta), several(({ k }) => k)];
  const word = deltas ? say`What fairness costs` : etas ? say`What even sizes cost` : say`What more clusters bring`;
  const summary = say`${formatCount(points.length, "value", "values")} tried on ${formatPeople(n)}`;
  const opening = html`${ownerNotice(result, "costs and verdicts")}\n${header(result, word)}`;
  const sections = [
    etas ? alongEta(result) : undefined,
    deltas ? alongDelta(result) : undefined,
    ks ? alongK(result) : undefined,
    valuesSection(result),
    columnsSection(result),
    provenance(result, from),
  ].filter((section) => section !== undefined);
  return { summary, opening, sections };
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
    word: told(verdictWords[verdict].toLowerCase()),
    why: told(meanings[verdict]),
    count: reached.filter((point) => point.verdict === verdict).length,
  }));
  const fair = reached.filter((point) => point.fair).length;
  const prices = reached.flatMap(({ price }) => (price === null ? [] : [price]));
  const costs = reached.map((point) => costsOf(point).cost);
  const [first, ...further] = kneeSentences(knees);
  const extremes = (values: readonly number[], format: (value: number) => string): [string, string] =>
    values.length === 0
      ? ["–", say`nothing was promised`]
      : [format(Math.min(...values)), say`at least; ${format(Math.max(...values))} at most`];
  const judged = reached.some(({ fair }) => fair !== null);
  return verdictHeader({
    tone: "none",
    word,
    sentence: first ?? say`${formatCount(reached.length, "value", "values")} of ${points.length} can be had.`,
    notes: [
      ...further,
      ...verdicts
        .filter(({ count }) => count > 0)
        .map(({ word, why, count }) => `${formatCount(count, "value is", "values are")} ${word}: ${why}.`),
    ],
    warnings,
    numbers: [
      ["People", formatNumber(n), formatCount(d, "dimension", "dimensions")],
      ["Values", formatNumber(points.length), say`${formatNumber(points.length - reached.length)} not feasible`],
      [
        "Fair",
        judged ? formatNumber(fair) : "–",
        judged ? say`of ${formatNumber(reached.length)}, within ${formatPeople(tolerance)}` : say`nothing protected`,
      ],
      ["Price", ...extremes(prices, formatPrice)],
      [capitalised(sweptCost(points)), ...extremes(costs, tickNumber)],
      ["Time", formatSeconds(seconds.total), say`${formatSeconds(seconds.read)} reading`],
    ],
  });
}

function provenance(result: SweepResult, from: Provenance): PageSection {
  const { algorithm, seed, tolerance } = result;
  return provenanceSection(from, result, [
    ["Algorithm", algorithm],
    ["Seed", say`${seed}; the same people, options and seed give the same values`],
    ["Tolerance", say`${formatPeople(tolerance)} in each group and cluster`],
  ]);
}

function valuesSection(result: SweepResult): PageSection {
  const { asked, found } = sweepColumns(result, true);
  const titles = [...asked, ...found].map(([, title]) => html`<th scope="col" class="n">${told(title)}</th>`);
  const number = (text: string) => html`<td class="n">${text}</td>`;
  const row = (point: SweepPoint) =>
    html`<tr>${asked.map(([, , text]) => number(text(point)))}${
      point.feasible
        ? found.map(([, , text]) => number(text(point)))
        : html`<td colspan="${found.length}">not feasible: ${heard(point.reason)}</td>`
    }</tr>`;
  const table = wideTable("Every value", html`<tr>${titles}</tr>`, result.points.map(row));
  return section("values", "Values", "Every value", table);
}
