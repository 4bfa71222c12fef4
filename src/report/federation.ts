import { costsOf } from "../algorithms/price-of-fairness.js";
import type { JournalEntry } from "../federation/audit/journal.js";
import type { FederatedAlignment } from "../federation/results/alignment.js";
import type { OwnSummary } from "../federation/results/own.js";
import type { FederatedResult } from "../federation/results/summary.js";
import { capitalised, costName } from "./costs.js";
import { formatBeyond, formatCount, formatNumber, formatPeople, formatSeconds } from "./format.js";
import { decimal, say } from "./language.js";
import { linkSentences } from "./links.js";
import { notionTable } from "./notion.js";
import { privacySentences } from "./privacy.js";
import { clusterSharesTable } from "./shares.js";
import { silhouetteSentence } from "./silhouette.js";
import { sizesSentence } from "./sizes.js";
import { textTable } from "./table.js";
import { verdictSentences } from "./verdict.js";

/** How to ask for clusters in which bounds mean something. No size is given: it would tell how rare a group is. */
export const cardAsks = "minSize on the card can require that";

/** 12.3 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB";
  return `${decimal(String(Number((bytes / { kB: 1e3, MB: 1e6, GB: 1e9 }[unit]).toPrecision(3))))} ${unit}`;
}

/** What left one site, largest first. */
export function siteReport(site: string, sent: readonly JournalEntry[]): string {
  const total = sent.reduce((bytes, each) => bytes + each.bytes, 0);
  if (sent.length === 0) return `Nothing left ${site}.`;
  const table = textTable(sent, [
    [`left ${site}`, ({ kind }) => kind],
    ["what one holds", ({ shape }) => shape],
    ["protection", ({ protection }) => protection],
    ["messages", ({ messages }) => formatNumber(messages), "right"],
    ["bytes", ({ bytes }) => formatBytes(bytes), "right"],
  ]);
  return `${table}\n${formatBytes(total)} in all.`;
}

/** How the sites found the people whom they have in common, and whose copy of a column counts: a sentence each. */
export function preparationSentences({ alignment, overlaps }: FederatedResult): string[] {
  const twice = overlaps.map(({ used, leftOut }) => {
    const copies = leftOut.map(({ party, column }) => `${party} (${column})`).join(", ");
    return say`Held twice: ${used.party}'s ${used.column} counts, and not that of ${copies}.`;
  });
  if (!alignment) return twice;
  return [say`These are the people whose '${alignment.column}' all sites hold, ${whenAligned(alignment)}.`, ...twice];
}

function whenAligned({ reused }: { readonly reused: boolean }): string {
  return reused ? say`as aligned for an earlier job` : say`aligned by the private protocol`;
}

/** What left each site, what the coordinator could learn of all that, and which files were written. */
function disclosures({ sites, coordinator }: Pick<FederatedResult, "sites" | "coordinator">, files: readonly string[]) {
  return [
    ...Object.entries(sites).flatMap(([site, sent]) => ["", siteReport(site, sent)]),
    "",
    textTable(coordinator, [
      ["the coordinator could learn of", ({ about }) => about],
      ["this, and nothing else", ({ seen }) => seen],
    ]),
    ...(files.length > 0 ? ["", `Wrote ${files.join(", ")}.`] : []),
  ];
}

/** How many people the sites have in common, in a sentence. */
export function alignedSentence(result: FederatedAlignment): string {
  const who = say`All sites hold the '${result.id}' of ${formatPeople(result.common)}, ${whenAligned(result)}.`;
  return say`${who} Each site has their ids in its own results.`;
}

/** An alignment for the terminal: counts only. */
export function alignmentReport(result: FederatedAlignment, files: readonly string[]): string {
  const { epochs, seconds } = result;
  const time = `${formatSeconds(seconds.total)}${epochs > 1 ? `, begun ${epochs} times` : ""}.`;
  return [alignedSentence(result), time, ...disclosures(result, files)].join("\n");
}

/** What each site's own people are like, where that may be shown. */
function atSites({ siteShares }: FederatedResult): string[] {
  if (!siteShares) return [];
  const table = textTable(Object.entries(siteShares), [
    ["at site", ([site]) => site],
    ["people", ([, { n }]) => formatNumber(n), "right"],
    ["beyond bounds", ([, own]) => (isJudged(own) ? formatBeyond(own.maxViolation) : "–"), "right"],
    ["fair there", ([, own]) => (isJudged(own) ? (own.fair ? "yes" : "no") : "–")],
    ["SSE", ([, { sse }]) => formatNumber(sse), "right"],
  ]);
  return [
    "",
    table,
    "What is allowed at a site follows from the shares of groups there, unless the card names bounds.",
    "",
  ];
}

/** Whether shares are shown of any attribute: the verdict is about these. */
function isJudged({ groups }: OwnSummary): boolean {
  return Object.keys(groups).length > 0;
}

/** A federated clustering for the terminal. */
export function federatedReport(result: FederatedResult, files: readonly string[]): string {
  const { algorithm, n, d, k, seed, iterations, converged, communication, passes, epochs, seconds, sites } = result;
  return [
    `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} by ${algorithm}, ${formatCount(d, "dimension", "dimensions")} at ${Object.keys(sites).length} sites, seed ${seed}`,
    ...linkSentences(result),
    "",
    clusterSharesTable(result),
    "",
    ...(result.notion ? notionTable(result.notion) : []),
    ...verdictSentences(result, cardAsks),
    ...(result.privacy ? privacySentences(result.privacy) : []),
    ...(result.capacity ? [sizesSentence(result)] : []),
    `${Number.isFinite(result.sse) ? `${capitalised(costName(result))} ${formatNumber(costsOf(result).cost)}` : "No SSE is known,"} after ${formatCount(iterations, "pass", "passes")} (${converged ? "converged" : "not converged"}).`,
    ...silhouetteSentence(result),
    ...atSites(result),
    `${formatSeconds(seconds.total)}, ${formatNumber(communication.rounds)} rounds, ${formatNumber(Math.round(passes * 10) / 10)} passes on the wire, ${formatBytes(communication.bytesUp)} up and ${formatBytes(communication.bytesDown)} down${epochs > 1 ? `, begun ${epochs} times` : ""}.`,
    ...preparationSentences(result),
    ...disclosures(result, files),
  ].join("\n");
}
