import type { AssignResult } from "../algorithms/assign.js";
import { smallestCell } from "../algorithms/model-promises.js";
import type { UpdateResult } from "../algorithms/update.js";
import type { ColumnsUsed } from "../table/index.js";
import { columnLines } from "./columns.js";
import { capitalised, costName } from "./costs.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { linkSentences } from "./links.js";
import { methodWords } from "./method.js";
import { clusterSharesTable } from "./shares.js";
import { type PrintedColumn, textTable } from "./table.js";
import { verdictSentences } from "./verdict.js";

type Timed = ColumnsUsed & { readonly seconds: { readonly read: number; readonly total: number } };

/** Newcomers who joined the clusters of a model, for the terminal. */
export function assignReport(result: AssignResult & Timed, files: readonly string[]): string {
  const { algorithm, n, k, together, online, gap, nearestViolation, beyond } = result;
  const { cost = result.sse, nearestCost = result.nearestSse } = result;
  const how = online ? "one at a time" : "as one batch";
  const whom = together ? "the people of the model and the newcomers together" : "the newcomers";
  const price = nearestCost > 0 ? `, ${formatShare(cost / nearestCost - 1)} above that of the nearest centres` : "";
  const certified = gap === null ? "" : `, and at most ${formatShare(gap)} above the least possible within the bounds`;
  const misplaced = beyond?.people
    ? [
        `${formatPeople(beyond.people)} found no cluster within its bounds, ${formatNumber(beyond.excess)} beyond in all.`,
      ]
    : [];
  return [
    `${formatPeople(n)} joined ${formatCount(k, "cluster", "clusters")} of the ${algorithm} model ${how}; the bounds hold for ${whom}`,
    ...columnLines(result),
    ...weightSentences(result),
    ...groupLines(result),
    ...misplaced,
    ...(result.method === "in-memory" ? [] : [`People were ${methodWords(result)}.`]),
    `By the nearest centres the worst group would be ${formatPeople(nearestViolation)} beyond its bounds.`,
    `${capitalised(costName(result))} ${formatNumber(cost)}${price}${certified}.`,
    ...endLines(result, files),
  ].join("\n");
}

export function weightSentences({ n, weights }: Pick<AssignResult, "n" | "weights">): string[] {
  return weights ? linkSentences({ n, weights }) : [];
}

/** A model that newcomers have changed, for the terminal. */
export function updateReport(result: UpdateResult & Timed, files: readonly string[]): string {
  const { algorithm, n, k, forget, rounds, moved, violationBefore, drift } = result;
  const { cost = result.sse, costBefore = result.sseBefore } = result;
  const shares = Object.entries(drift).flatMap(([attribute, groups]) =>
    Object.entries(groups).map(([group, share]) => ({ group: `${attribute} ${group}`, ...share })),
  );
  type Row = (typeof shares)[number];
  const before: PrintedColumn<Row> = [
    "share before",
    (row) => (row.before === null ? "" : formatShare(row.before)),
    "right",
  ];
  const known = shares.some((row) => row.before !== null);
  const table = textTable(shares, [
    ["group", ({ group }) => group],
    ...(known ? [before] : []),
    ["among newcomers", ({ now }) => formatShare(now), "right"],
  ]);
  const untold = `The model does not tell shares of before: some group has fewer than ${smallestCell} people in a cluster.`;
  return [
    `${formatPeople(n)} joined ${formatCount(k, "cluster", "clusters")} of the ${algorithm} model, which forgot ${formatShare(forget)} of those of before`,
    ...columnLines(result),
    ...weightSentences(result),
    ...groupLines(result),
    ...(shares.length > 0 ? [table, "", ...(known ? [] : [untold])] : []),
    `By the model of before the worst group of newcomers would be ${formatPeople(violationBefore)} beyond its bounds.`,
    `${capitalised(costName(result))} ${formatNumber(cost)}; ${formatNumber(costBefore)} at the nearest centres of before. The centres moved by ${formatNumber(Math.max(...moved))} at most, in ${formatCount(rounds, "round", "rounds")}.`,
    ...endLines(result, files),
  ].join("\n");
}

function groupLines(result: AssignResult | UpdateResult): string[] {
  return ["", clusterSharesTable(result, "--json has all of them"), "", ...verdictSentences(result, "")];
}

function endLines({ seconds }: Timed, files: readonly string[]): string[] {
  return [
    `${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ];
}
