import {
  type FeasiblePoint,
  placeOf,
  type SweepKnee,
  type SweepPoint,
  type SweepResult,
} from "../algorithms/sweep-types.js";
import { columnLines } from "./columns.js";
import {
  formatBeyond,
  formatCount,
  formatList,
  formatNumber,
  formatPeople,
  formatPrice,
  formatSeconds,
} from "./format.js";
import { privacySentences } from "./privacy.js";
import { type PrintedColumn, textTable } from "./table.js";
import { verdictWords } from "./verdict.js";

/** A sweep for the terminal: what every value costs, and in sentences where the curve bends. */
export function sweepReport(result: SweepResult, files: readonly string[]): string {
  const { algorithm, n, d, seed, points, knees, seconds } = result;
  const values = formatCount(points.length, "value", "values");
  const lines = [
    `${values} by ${algorithm}: ${formatPeople(n)}, ${formatCount(d, "dimension", "dimensions")}, seed ${seed}`,
    ...columnLines(result),
    "",
    sweepTable(points, knees),
    "",
    ...kneeSentences(knees),
    ...priceSentence(points),
    ...refusals(points),
    ...(result.privacy ? privacySentences(result.privacy).slice(1) : []),
  ];
  const { total, read } = seconds;
  lines.push(`${formatSeconds(total)} in all, of which ${formatSeconds(read)} reading.`);
  if (files.length > 0) lines.push(`Wrote ${formatList(files)}.`);
  return lines.join("\n");
}

function sweepTable(points: readonly SweepPoint[], knees: readonly SweepKnee[]): string {
  const cells = (text: (point: FeasiblePoint) => string, otherwise = "") =>
    points.map((point) => (point.feasible ? text(point) : otherwise));
  const columns: PrintedColumn[] = [{ title: "k", cells: points.map(({ k }) => String(k)), align: "right" }];
  const promised = points.some((point) => point.feasible && point.unconstrainedSse !== null);
  const judged = points.some((point) => point.feasible && point.fair !== null);
  if (points.some(({ eta }) => eta !== null)) {
    columns.push({ title: "balance", cells: points.map(({ eta }) => String(eta)), align: "right" });
  }
  if (judged) columns.push({ title: "delta", cells: points.map(({ delta }) => String(delta)), align: "right" });
  columns.push({ title: "SSE", cells: cells(({ sse }) => formatNumber(sse), "not feasible"), align: "right" });
  if (promised) {
    columns.push({
      title: "price",
      cells: cells(({ price }) => (price === null ? "" : formatPrice(price))),
      align: "right",
    });
    if (points.some(({ k }) => k !== points[0].k)) {
      const free = cells(({ unconstrainedSse: sse }) => formatNumber(sse!));
      columns.push({ title: "unconstrained", cells: free, align: "right" });
    }
  }
  if (judged) {
    columns.push(
      { title: "least balance", cells: cells(({ balance }) => balance!.toFixed(3)), align: "right" },
      { title: "people beyond", cells: cells(({ maxViolation }) => formatBeyond(maxViolation)), align: "right" },
      {
        title: "verdict",
        cells: cells(({ verdict }) => (verdict === null ? "" : verdictWords[verdict].toLowerCase())),
      },
    );
  }
  if (points.some((point) => point.feasible && point.silhouette !== undefined)) {
    const score = (value: number | null | undefined) => (value === null || value === undefined ? "" : value.toFixed(3));
    columns.push(
      { title: "silhouette", cells: cells(({ silhouette }) => score(silhouette)), align: "right" },
      { title: "Davies-Bouldin", cells: cells(({ daviesBouldin }) => score(daviesBouldin)), align: "right" },
    );
  }
  if (points.some(({ eta }) => eta !== null)) {
    const loss = cells(({ evenness }) => formatNumber(evenness.balanceLoss));
    columns.push({ title: "balance loss", cells: loss, align: "right" });
  }
  columns.push({ title: "sizes", cells: cells(({ sizes }) => sizeRange(sizes)), align: "right" });
  if (knees.some(({ at }) => at !== null)) {
    columns.push({ title: "knee", cells: points.map((point) => kneesAt(point, knees)) });
  }
  return textTable(columns);
}

function sizeRange(sizes: readonly number[]): string {
  return `${formatNumber(Math.min(...sizes))} to ${formatNumber(Math.max(...sizes))}`;
}

/** Along what the curve bends here. */
function kneesAt({ k, eta, delta }: SweepPoint, knees: readonly SweepKnee[]): string {
  return knees
    .filter((knee) => knee.eta === eta)
    .filter((knee) => (knee.along === "k" ? knee.delta === delta && knee.at === k : knee.k === k && knee.at === delta))
    .map(({ along }) => `in ${along}`)
    .join(", ");
}

/** One sentence for all curves about which it is the same. */
export function kneeSentences(knees: readonly SweepKnee[]): string[] {
  const several = new Set(knees.map(({ eta }) => eta)).size > 1;
  const sentences = new Map<string, { start: string; why: string; what: string; values: (string | number)[] }>();
  for (const { along, at, k, eta, delta, reason } of knees) {
    const start = at === null ? `No clear knee in ${along}` : `Knee at ${along} ${at}`;
    const why = reason.replace(/^no clear knee: /, "");
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
  const references = new Set(points.map((point) => (point.feasible ? point.unconstrainedSse : null)));
  const [reference] = [...references].filter((sse) => sse !== null);
  if (reference === undefined || points.some(({ k }) => k !== points[0].k)) return [];
  if (points.every((point) => !point.feasible || point.price === null)) {
    return [
      "The unconstrained SSE is 0, over which there is no price: there are no more different people than clusters.",
    ];
  }
  return [`The price is over the unconstrained SSE of ${formatNumber(reference)}.`];
}

function refusals(points: readonly SweepPoint[]): string[] {
  return points.flatMap((point) => {
    if (point.feasible) return [];
    return [`Not feasible at ${placeOf(point)}: ${point.reason}.`];
  });
}
