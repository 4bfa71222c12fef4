import { costsOf } from "../algorithms/price-of-fairness.js";
import {
  type FeasiblePoint,
  placeOf,
  type SweepKnee,
  type SweepPoint,
  type SweepResult,
} from "../algorithms/sweep-types.js";
import { columnLines } from "./columns.js";
import { costName } from "./costs.js";
import {
  formatBeyond,
  formatCount,
  formatFixed,
  formatList,
  formatNumber,
  formatPeople,
  formatPrice,
  formatSeconds,
} from "./format.js";
import { decimal, say, told } from "./language.js";
import { privacySentences } from "./privacy.js";
import { type PrintedColumn, textTable } from "./table.js";
import { verdictWords } from "./verdict.js";

/** A sweep for the terminal: what every value costs, and in sentences where the curve bends. */
export function sweepReport(result: SweepResult, files: readonly string[]): string {
  const { algorithm, n, d, seed, points, knees, seconds } = result;
  const values = formatCount(points.length, "value", "values");
  const { total, read } = seconds;
  return [
    `${values} by ${algorithm}: ${formatPeople(n)}, ${formatCount(d, "dimension", "dimensions")}, seed ${seed}`,
    ...columnLines(result),
    "",
    sweepTable(result),
    "",
    ...kneeSentences(knees),
    ...priceSentence(points),
    ...refusals(points),
    ...(result.privacy ? privacySentences(result.privacy).slice(1) : []),
    `${formatSeconds(total)} in all, of which ${formatSeconds(read)} reading.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ].join("\n");
}

function sweepTable(result: SweepResult): string {
  const { asked, found } = sweepColumns(result);
  return textTable(result.points, [
    ...asked.map(([, title, text]): PrintedColumn<SweepPoint> => [title, text, "right"]),
    ...found.map(([, title, text], at): PrintedColumn<SweepPoint> => {
      const cell = (point: SweepPoint) => (point.feasible ? text(point) : at === 0 ? "not feasible" : "");
      return textColumns.includes(title) ? [title, cell] : [title, cell, "right"];
    }),
  ]);
}

const textColumns: readonly string[] = ["verdict", "knee"];

/** A column of a table of values: whether it says anything, its title, and what it says of each value. */
type ValueColumn<Point> = readonly [applies: boolean, title: string, text: (point: Point) => string];

/** What is shown of every value that was tried: what was asked for, and what was found where it is feasible. */
export function sweepColumns({ points, knees }: Pick<SweepResult, "points" | "knees">, withBalanceLoss = false) {
  const some = (applies: (point: FeasiblePoint) => boolean) => feasible(points).some(applies);
  const even = points.some(({ eta }) => eta !== null);
  const several = points.some(({ k }) => k !== points[0].k);
  const promised = some((point) => costsOf(point).unconstrained !== null);
  const judged = some(({ fair }) => fair !== null);
  const scored = some(({ silhouette }) => silhouette !== undefined);
  const orDash = (value: number | null | undefined, format: (value: number) => string) =>
    value === null || value === undefined ? "–" : format(value);
  const inWords = (along: readonly string[]) => along.map((each) => say`in ${each}`).join(", ");
  const threeDigits = (value: number) => formatFixed(value, 3);
  const range = (sizes: readonly number[]) =>
    say`${formatNumber(Math.min(...sizes))} to ${formatNumber(Math.max(...sizes))}`;
  const asked: ValueColumn<SweepPoint>[] = [
    [true, "k", ({ k }) => String(k)],
    [even, "balance", ({ eta }) => String(eta)],
    [points.some(({ delta }) => delta !== null), "delta", ({ delta }) => decimal(String(delta))],
  ];
  const found: ValueColumn<FeasiblePoint>[] = [
    [true, sweptCost(points), (point) => formatNumber(costsOf(point).cost)],
    [promised, "price", ({ price }) => orDash(price, formatPrice)],
    [promised && several, "unconstrained", (point) => orDash(costsOf(point).unconstrained, formatNumber)],
    [judged, "least balance", ({ balance }) => orDash(balance, threeDigits)],
    [judged, "people beyond", ({ maxViolation }) => formatBeyond(maxViolation)],
    [judged, "verdict", ({ verdict }) => (verdict === null ? "–" : told(verdictWords[verdict].toLowerCase()))],
    [scored, "silhouette", ({ silhouette }) => orDash(silhouette, threeDigits)],
    [scored, "Davies-Bouldin", ({ daviesBouldin }) => orDash(daviesBouldin, threeDigits)],
    [even || withBalanceLoss, "balance loss", ({ evenness }) => formatNumber(evenness.balanceLoss)],
    [true, "sizes", ({ sizes }) => range(sizes)],
    [knees.some(({ at }) => at !== null), "knee", (point) => inWords(kneesAt(point, knees))],
  ];
  return { asked: asked.filter(([applies]) => applies), found: found.filter(([applies]) => applies) };
}

/** What all values are compared by. */
export function sweptCost(points: readonly SweepPoint[]): string {
  return costName(feasible(points)[0] ?? {});
}

export function feasible(points: readonly SweepPoint[]): FeasiblePoint[] {
  return points.filter((point) => point.feasible);
}

/** Along what the curves through this value have their knee here. */
export function kneesAt({ k, eta, delta }: SweepPoint, knees: readonly SweepKnee[]): SweepKnee["along"][] {
  return knees
    .filter((knee) => knee.eta === eta)
    .filter((knee) => (knee.along === "k" ? knee.delta === delta && knee.at === k : knee.k === k && knee.at === delta))
    .map(({ along }) => along);
}

/** One sentence for all curves about which it is the same. */
export function kneeSentences(knees: readonly SweepKnee[]): string[] {
  const several = new Set(knees.map(({ eta }) => eta)).size > 1;
  const sentences = new Map<string, { start: string; why: string; what: string; values: (string | number)[] }>();
  for (const { along, at, k, eta, delta, reason } of knees) {
    const start = at === null ? say`No clear knee in ${along}` : say`Knee at ${along} ${at}`;
    const why = told(reason.replace(/^no clear knee: /, ""));
    // The last of what was asked for is listed, the rest is the same for all.
    const places = [["balance", several ? eta : null] as const, ["k", k] as const, ["delta", delta] as const].filter(
      ([, value]) => value !== null,
    );
    const [name, value] = places.at(-1) ?? ["", ""];
    const what = [...places.slice(0, -1).map((place) => place.join(" ")), name].join(", ");
    const key = JSON.stringify([start, why, what]);
    const { values } = sentences.get(key) ?? { values: [] };
    sentences.set(key, { start, why, what, values: [...values, value!] });
  }
  return Array.from(sentences.values(), ({ start, why, what, values }) => {
    return `${start}${what === "" ? "" : ` (${what} ${values.join(", ")})`}: ${why}.`;
  });
}

/** What the price is over; where k differs the table says it. */
function priceSentence(points: readonly SweepPoint[]): string[] {
  const references = new Set(points.map((point) => (point.feasible ? costsOf(point).unconstrained : null)));
  const [reference] = [...references].filter((cost) => cost !== null);
  if (reference === undefined || points.some(({ k }) => k !== points[0].k)) return [];
  if (points.every((point) => !point.feasible || point.price === null)) {
    return [
      `The unconstrained ${sweptCost(points)} is 0, over which there is no price: there are no more different people than clusters.`,
    ];
  }
  return [`The price is over the unconstrained ${sweptCost(points)} of ${formatNumber(reference)}.`];
}

function refusals(points: readonly SweepPoint[]): string[] {
  return points.flatMap((point) => (point.feasible ? [] : [`Not feasible at ${placeOf(point)}: ${point.reason}.`]));
}
