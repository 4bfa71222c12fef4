import { costsOf } from "../algorithms/price-of-fairness.js";
import {
  type FeasiblePoint,
  placeOf,
  type SweepKnee,
  type SweepPoint,
  type SweepResult,
  type SweepValue,
} from "../algorithms/sweep-types.js";
import { capitalised, costName } from "./costs.js";
import { formatNumber, formatPrice } from "./format.js";
import { html } from "./html/markup.js";
import { type PageSection, section } from "./html/parts.js";
import { type PlotLine, plotFigure } from "./html/plot.js";
import { say, spokenLocale, told } from "./language.js";
import { feasible, kneesAt, sweptCost } from "./sweep.js";

/** More lines than this in one plot cannot be told apart. */
const mostLines = 8;

/** The feasible values as lines: those of one name are one line, and those without a y are left out. Of many names some are chosen. */
function linesBy(
  { points, knees }: SweepResult,
  lineOf: (point: SweepPoint) => string,
  place: (point: FeasiblePoint) => { readonly x: number; readonly y: number | null },
  along?: SweepKnee["along"],
) {
  const names = unique(points, lineOf);
  const lines = choose(names).map((name): PlotLine => {
    const own = feasible(points).filter((point) => lineOf(point) === name);
    const placed = own.flatMap((point) => {
      const { x, y } = place(point);
      const ringed = along !== undefined && kneesAt(point, knees).includes(along);
      return y === null ? [] : [{ x, y, note: noteOf(point), ringed, value: placeOf(point) }];
    });
    return { name, points: placed };
  });
  return { names, lines };
}

/** Hard evenness stands at 0, which no eta may be. */
export function alongEta(result: SweepResult): PageSection {
  const { points } = result;
  const { names, lines } = linesBy(
    result,
    ({ k, delta }) => nameOf({ k, eta: null, delta }),
    (point) => ({ x: degree(point), y: point.price ?? 0 }),
  );
  const body = html`<p>A balance of 0.8 minimises 0.8 × ${sweptCost(points)} + 0.2 × the sum of (size − n/k)²; hard promises sizes that differ by one at most.${left(names, "k and delta")}</p>
${plotFigure({
  title: "Cost against the balance, one line for each k and delta; all values are in the table",
  xTitle: "balance: how little uneven sizes weigh (left is more even)",
  yTitle: say`Price: ${sweptCost(points)} over the unconstrained`,
  formatX: (eta) => (eta === 0 ? say`hard` : String(eta)),
  formatY: tickPrice,
  lines,
  missing: nowhere(points, degree),
  fromZero: true,
})}`;
  return section("evenness", "Evenness", "Evenness and cost", body);
}

function degree({ eta }: SweepPoint): number {
  return typeof eta === "number" ? eta : 0;
}

export function alongDelta(result: SweepResult): PageSection {
  const { points } = result;
  const priced = points.some((point) => point.feasible && point.price !== null);
  const { names, lines } = linesBy(
    result,
    ({ k, eta }) => nameOf({ k, eta, delta: null }),
    (point) => ({ x: point.delta!, y: priced ? point.price : costsOf(point).cost }),
    "delta",
  );
  const body = html`<p>With a delta of 0.2 every group has between 80% and 125% of its share in every cluster. The smaller the delta, the fairer the clusters, and the more they cost.${left(names, "k and balance")}</p>
${plotFigure({
  title: "Cost against delta, one line for each k; all values are in the table",
  xTitle: "delta: how far shares may be from the overall shares (left is fairer)",
  yTitle: priced ? say`Price: ${sweptCost(points)} over the unconstrained` : capitalised(sweptCost(points)),
  formatX: formatNumber,
  formatY: priced ? tickPrice : tickNumber,
  lines,
  ring: "knee",
  missing: nowhere(points, ({ delta }) => delta),
  fromZero: priced,
})}`;
  return section("fairness", "Fairness", "Fairness and cost", body);
}

export function alongK(result: SweepResult): PageSection {
  const { points } = result;
  const cost = sweptCost(points);
  const { names, lines } = linesBy(
    result,
    ({ eta, delta }) => nameOf({ eta, delta }) || cost,
    (point) => ({ x: point.k, y: costsOf(point).cost }),
    "k",
  );
  const free = new Map(points.flatMap((point) => (point.feasible ? [[point.k, costsOf(point).unconstrained]] : [])));
  const reference = Array.from(free).flatMap(([k, free]) =>
    k == null || free == null
      ? []
      : [{ x: k, y: free, note: say`k ${k}, unconstrained: ${cost} ${formatNumber(free)}` }],
  );
  const meaning =
    cost === "SSE"
      ? say`SSE is the sum of squared distances to the clusters’ means`
      : say`Distances are Manhattan ones to the clusters’ medians`;
  const body = html`<p>${meaning}: less is tighter. Without promises more clusters are always tighter; with them nearly always. A knee is where more of them stop paying.${left(names, "balance and delta")}</p>
${plotFigure({
  title: say`${capitalised(cost)} against the number of clusters; all values are in the table`,
  xTitle: "k: the number of clusters",
  yTitle: capitalised(cost),
  formatX: formatNumber,
  formatY: tickNumber,
  lines: reference.length > 0 ? [...lines, { name: "unconstrained", points: reference, reference: true }] : lines,
  ring: "knee",
  missing: nowhere(points, ({ k }) => k),
})}`;
  return section("clusters", "Clusters", "Clusters and cost", body);
}

function unique<T>(points: readonly SweepPoint[], pick: (point: SweepPoint) => T): T[] {
  return [...new Set(points.map(pick))];
}

/** Values at which nothing is feasible. */
function nowhere(points: readonly SweepPoint[], pick: (point: SweepPoint) => number | null): number[] {
  const found = new Set(feasible(points).map(pick));
  return unique(points, pick).filter((value) => value !== null && !found.has(value)) as number[];
}

/** As many lines as can be told apart, evenly chosen, both ends among them. */
function choose<T>(values: readonly T[]): T[] {
  if (values.length <= mostLines) return [...values];
  const at = Array.from({ length: mostLines }, (_, i) => Math.round((i * (values.length - 1)) / (mostLines - 1)));
  return at.map((index) => values[index]);
}

function left(values: readonly unknown[], what: string): string {
  return values.length > mostLines
    ? say` Of ${values.length} values of ${told(what)} the plot shows ${mostLines}.`
    : "";
}

/** Beside an axis there is room for a few letters. */
function tickPrice(price: number): string {
  return formatPrice(price).replace(/[.,]0(\s?%)$/, "$1");
}

export function tickNumber(value: number): string {
  if (Math.abs(value) < 1e6) return formatNumber(value);
  return value.toLocaleString(spokenLocale(), { notation: "compact", maximumFractionDigits: 2 });
}

/** What was asked for, in words. */
function nameOf({ k, eta, delta }: Partial<SweepValue>): string {
  return [
    ...(k == null ? [] : [`k ${k}`]),
    ...(eta == null ? [] : [say`balance ${eta}`]),
    ...(delta == null ? [] : [say`delta ${delta}`]),
  ].join(", ");
}

function noteOf(point: FeasiblePoint): string {
  const { price } = point;
  return `${nameOf(point)}: ${costName(point)} ${formatNumber(costsOf(point).cost)}${price === null ? "" : `, ${formatPrice(price)}`}`;
}
