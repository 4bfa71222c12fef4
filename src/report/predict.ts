import type { ColumnsUsed } from "../table/index.js";
import { columnLines } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { sizesTable } from "./shares.js";

export interface PredictResult extends ColumnsUsed {
  readonly algorithm: string;
  readonly n: number;
  readonly k: number;
  readonly sizes: readonly number[];
  readonly seconds: { readonly read: number; readonly total: number };
}

export function predictReport(result: PredictResult, files: readonly string[]): string {
  const { algorithm, n, k, sizes, seconds } = result;
  return [
    `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")}, each by the nearest centre of the ${algorithm} model`,
    ...columnLines(result),
    "",
    sizesTable(sizes, n, "--json has all of them"),
    "",
    `${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    `Wrote ${formatList(files)}.`,
  ].join("\n");
}

export interface AnswersResult extends ColumnsUsed {
  readonly algorithm: string;
  readonly net: string;
  readonly n: number;
  readonly label: { readonly column: string; readonly positive: string };
  readonly positives: number;
  readonly positiveRate: number;
  readonly seconds: { readonly read: number; readonly total: number };
}

export function answersReport(result: AnswersResult, files: readonly string[]): string {
  const { algorithm, net, n, label, positives, positiveRate, seconds } = result;
  return [
    `${formatPeople(n)}, each with an answer of the ${algorithm} model (${net})`,
    ...columnLines(result),
    `${label.column} is '${label.positive}' for ${formatNumber(positives)} of them (${formatShare(positiveRate)}).`,
    "",
    `${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    `Wrote ${formatList(files)}.`,
  ].join("\n");
}
