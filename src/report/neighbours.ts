import type { IndexFacts, SearchSetting } from "../neighbours/types.js";
import { formatCount, formatNumber, formatSeconds, formatShare } from "./format.js";
import { textTable } from "./table.js";

/** An index: what it is, and what recall costs. */
export function indexReport(facts: IndexFacts, folder: string, seconds: number): string {
  const { n, dimensions, lists, rows, largest, unevenness, measured } = facts;
  const vectors = formatCount(n, "vector", "vectors");
  const copied = rows - n;
  const settings = chosen(measured.settings);
  return [
    `${vectors} of ${formatCount(dimensions, "dimension", "dimensions")} in ${formatCount(lists, "list", "lists")}${facts.bytes ? ", one byte for each number" : ""}`,
    `The largest list has ${formatNumber(largest)} rows, ${formatNumber(Math.round(rows / lists))} are even; sizes deviate by ${formatShare(unevenness)} of that.`,
    ...(copied > 0 ? [`${formatNumber(copied)} vectors near a border are in two lists.`] : []),
    "",
    textTable(settings, [
      ["recall", ({ recall }) => recall.toFixed(3), "right"],
      ["rows looked at", ({ scanned }) => formatNumber(Math.round(scanned.mean)), "right"],
      ["of all", ({ scanned }) => formatShare(scanned.mean / n), "right"],
      ["99 of 100 below", ({ scanned }) => formatNumber(scanned.p99), "right"],
    ]),
    "",
    measuredLine(measured),
    `${formatSeconds(seconds)} in all.`,
    `Wrote ${folder}.`,
  ].join("\n");
}

function measuredLine({ queries, k }: IndexFacts["measured"]): string {
  return `Measured with ${formatNumber(queries)} vectors of the index itself and their ${formatNumber(k)} nearest others; queries that are unlike all vectors find fewer.`;
}

/** One line for each recall that people ask for. */
function chosen(settings: readonly SearchSetting[]): SearchSetting[] {
  const asked = [0.8, 0.9, 0.95, 0.98, 0.99].map((recall) => settings.find((each) => each.recall >= recall));
  return [...new Set(asked.filter((each) => each !== undefined))];
}

export interface SearchFacts {
  readonly queries: number;
  readonly k: number;
  /** Of vectors of the index itself; 1 where all vectors were looked at. */
  readonly recall: number;
  readonly scanned: { readonly mean: number; readonly p99: number };
  readonly n: number;
  readonly seconds: { readonly read: number; readonly search: number; readonly total: number };
}

export function searchReport(found: SearchFacts, { measured }: IndexFacts, files: readonly string[]): string {
  const { queries, k, recall, scanned, n, seconds } = found;
  const expected =
    recall === 1
      ? "All vectors were looked at: these are the nearest."
      : `Expected recall ${recall.toFixed(3)} ± ${interval(recall, measured).toFixed(3)}. ${measuredLine(measured)}`;
  return [
    `${formatCount(k, "nearest vector", "nearest vectors")} of each of ${formatCount(queries, "query", "queries")}, among ${formatNumber(n)}`,
    expected,
    `${formatNumber(Math.round(scanned.mean))} rows looked at for a query (${formatShare(scanned.mean / n)} of all vectors), below ${formatNumber(scanned.p99)} for 99 of 100.`,
    `${formatSeconds(seconds.total)} in all: ${formatSeconds(seconds.read)} reading, ${formatSeconds(seconds.search)} searching (${((seconds.search * 1000) / queries).toFixed(3)} ms for each query).`,
    ...files.map((file) => `Wrote ${file}.`),
  ].join("\n");
}

/** Two standard errors of a recall, neighbours of one query counting as one draw: cautious, since they are found or missed together. */
function interval(recall: number, { queries }: IndexFacts["measured"]): number {
  return 2 * Math.sqrt((recall * (1 - recall)) / queries);
}
