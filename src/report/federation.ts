import { formatCount, formatNumber, formatPeople, formatSeconds } from "./format.js";
import { clusterSharesTable, type SharedResult } from "./shares.js";
import { textTable } from "./table.js";
import { verdictSentences } from "./verdict.js";

/** What asks for clusters in which bounds mean something: a number, since the size itself would tell how rare a group is. */
export const cardAsks = "minSize on the card can require that";

/** One kind of message that left a site. */
export interface Sent {
  readonly kind: string;
  readonly shape: string;
  readonly protection: string;
  readonly messages: number;
  readonly bytes: number;
}

/** A federated result, as far as a table of it needs it. */
export interface FederatedFacts extends SharedResult {
  readonly job: string;
  readonly algorithm: string;
  readonly d: number;
  readonly k: number;
  readonly seed: number;
  readonly sse: number;
  readonly iterations: number;
  readonly converged: boolean;
  readonly communication: { readonly rounds: number; readonly bytesUp: number; readonly bytesDown: number };
  readonly passes: number;
  readonly epochs: number;
  readonly seconds: { readonly total: number };
  /** Null where the card names no ids. */
  readonly alignment: { readonly column: string; readonly reused: boolean } | null;
  readonly overlaps: readonly { readonly used: Held; readonly leftOut: readonly Held[] }[];
  readonly coordinator: readonly { readonly about: string; readonly seen: string }[];
  readonly sites: Readonly<Record<string, readonly Sent[]>>;
}

interface Held {
  readonly party: string;
  readonly column: string;
}

/** 12.3 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB";
  return `${Number((bytes / { kB: 1e3, MB: 1e6, GB: 1e9 }[unit]).toPrecision(3))} ${unit}`;
}

/** What left one site, largest first. */
export function siteReport(site: string, sent: readonly Sent[]): string {
  const total = sent.reduce((bytes, each) => bytes + each.bytes, 0);
  const columns = [
    { title: `left ${site}`, cells: sent.map(({ kind }) => kind) },
    { title: "what one holds", cells: sent.map(({ shape }) => shape) },
    { title: "protection", cells: sent.map(({ protection }) => protection) },
    { title: "messages", cells: sent.map(({ messages }) => formatNumber(messages)), align: "right" },
    { title: "bytes", cells: sent.map(({ bytes }) => formatBytes(bytes)), align: "right" },
  ] as const;
  return sent.length === 0 ? `Nothing left ${site}.` : `${textTable(columns)}\n${formatBytes(total)} in all.`;
}

/** How the sites came to mean the same people, and whose copy of a column counts: a sentence each. */
export function preparationSentences({
  alignment,
  overlaps,
}: Pick<FederatedFacts, "alignment" | "overlaps">): string[] {
  const lines: string[] = [];
  if (alignment) {
    const when = alignment.reused ? "as aligned for an earlier job" : "aligned by the private protocol";
    lines.push(`These are the people whose '${alignment.column}' all sites hold, ${when}.`);
  }
  for (const { used, leftOut } of overlaps) {
    const copies = leftOut.map(({ party, column }) => `${party} (${column})`).join(", ");
    lines.push(`Held twice: ${used.party}'s ${used.column} counts, and not that of ${copies}.`);
  }
  return lines;
}

/** What the coordinator could make of all that passed it. */
function coordinatorReport(coordinator: FederatedFacts["coordinator"]): string {
  return textTable([
    { title: "the coordinator could learn of", cells: coordinator.map(({ about }) => about) },
    { title: "this, and nothing else", cells: coordinator.map(({ seen }) => seen) },
  ]);
}

/** An alignment at several sites, as far as a table of it needs it. */
export interface AlignedFacts {
  readonly job: string;
  /** The column that names people. */
  readonly id: string;
  readonly common: number;
  readonly reused: boolean;
  readonly epochs: number;
  readonly seconds: { readonly total: number };
  readonly coordinator: FederatedFacts["coordinator"];
  readonly sites: FederatedFacts["sites"];
}

/** Whom the sites have in common, in a sentence. */
export function alignedSentence({ common, id, reused }: Pick<AlignedFacts, "common" | "id" | "reused">): string {
  const when = reused ? "as aligned for an earlier job" : "aligned by the private protocol";
  return `All sites hold the '${id}' of ${formatPeople(common)}, ${when}. Each site has their ids in its own results.`;
}

/** An alignment for the terminal: counts only. */
export function alignmentReport(result: AlignedFacts, files: readonly string[]): string {
  const { epochs, seconds, sites, coordinator } = result;
  const lines = [
    alignedSentence(result),
    `${formatSeconds(seconds.total)}${epochs > 1 ? `, begun ${epochs} times` : ""}.`,
  ];
  for (const [site, sent] of Object.entries(sites)) lines.push("", siteReport(site, sent));
  lines.push("", coordinatorReport(coordinator));
  if (files.length > 0) lines.push("", `Wrote ${files.join(", ")}.`);
  return lines.join("\n");
}

/** A federated clustering for the terminal. */
export function federatedReport(result: FederatedFacts, files: readonly string[], withSites: boolean): string {
  const { algorithm, n, d, k, seed, iterations, converged, communication, passes, epochs, seconds, sites } = result;
  const names = Object.keys(sites);
  const lines = [
    `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} by ${algorithm}, ${formatCount(d, "dimension", "dimensions")} at ${names.length} sites, seed ${seed}`,
    "",
    clusterSharesTable(result),
    "",
  ];
  lines.push(
    ...verdictSentences(result, cardAsks),
    `${Number.isFinite(result.sse) ? `SSE ${formatNumber(result.sse)}` : "Private: no SSE is known,"} after ${formatCount(iterations, "pass", "passes")} (${converged ? "converged" : "not converged"}).`,
    `${formatSeconds(seconds.total)}, ${formatNumber(communication.rounds)} rounds, ${formatNumber(Math.round(passes * 10) / 10)} passes on the wire, ${formatBytes(communication.bytesUp)} up and ${formatBytes(communication.bytesDown)} down${epochs > 1 ? `, begun ${epochs} times` : ""}.`,
  );
  lines.push(...preparationSentences(result));
  if (withSites) {
    for (const [site, sent] of Object.entries(sites)) lines.push("", siteReport(site, sent));
    lines.push("", coordinatorReport(result.coordinator));
  }
  if (files.length > 0) lines.push("", `Wrote ${files.join(", ")}.`);
  return lines.join("\n");
}
