import type { ColumnsUsed, Dropped, LeftOut } from "../table/index.js";
import { formatNumber, formatShare } from "./format.js";
import { html, list, type Markup, name } from "./html/markup.js";
import { factsTable, numberTable, type PageSection, section } from "./html/parts.js";
import { told } from "./language.js";

/** A line of a terminal holds about so many letters of names. */
const lineLength = 90;

/** Where people were prepared elsewhere, nothing is known about those left out. */
type Used = ColumnsUsed & { readonly dropped?: Dropped | null };

/** Which columns were used, which were not and why, and who was left out, in a line each. JSON and report have all of it. */
export function columnLines({ features, leftOut, dropped }: Used): string[] {
  const lines = [`Features: ${shortList(features, lineLength)}`];
  const reasons = byReason(leftOut);
  const room = lineLength / Math.max(1, reasons.length);
  const parts = reasons.map(([why, columns]) => `${shortList(columns, room)} (${why})`);
  if (parts.length > 0) lines.push(`Left out: ${parts.join("; ")}`);
  return dropped ? [...lines, droppedLine(dropped)] : lines;
}

/** "Values missing: 40 of 1,000 rows left out, sex: F 25, M 15". */
function droppedLine({ rows, of, groups }: Dropped): string {
  const room = lineLength / Math.max(1, Object.keys(groups).length);
  const parts = Object.entries(groups).map(([attribute, each]) => {
    const counts = Object.entries(each).map(([group, { people }]) => `${group} ${formatNumber(people)}`);
    return `${attribute}: ${shortList(counts, room)}`;
  });
  return [`Values missing: ${formatNumber(rows)} of ${formatNumber(of)} rows left out`, ...parts].join("; ");
}

/** For cards: how many rows were left out, and nothing of single groups, which may be a few people. */
export function droppedSentences(dropped: Dropped | null): string[] {
  if (dropped === null) return [];
  return [`Values missing: ${formatNumber(dropped.rows)} of ${formatNumber(dropped.of)} rows were left out.`];
}

/** As many names as there is room for, one at least, and how many more there are. */
function shortList(list: readonly string[], room: number): string {
  // As they are written on the command line: a comma inside a name does not end it.
  const names = list.map((each) => (each.includes(",") ? `"${each.replaceAll('"', '""')}"` : each));
  let length = 0;
  const shown = names.filter((each, i) => {
    length += each.length + 2;
    return i === 0 || length <= room;
  });
  const more = names.length - shown.length;
  return more === 0 ? names.join(", ") : `${shown.join(", ")} and ${more} more`;
}

function byReason(leftOut: readonly LeftOut[]): [string, string[]][] {
  const columns = new Map<string, string[]>();
  for (const { column, why } of leftOut) columns.set(why, [...(columns.get(why) ?? []), column]);
  return [...columns];
}

/** The same for a page, all of it. */
export function columnsSection({ features, leftOut, dropped }: Used): PageSection {
  const reasons = byReason(leftOut).map(([why, columns]) => html`${list(columns.map(name))}: ${told(why)}`);
  const facts = factsTable([
    ["Features", list(features.map(name))],
    ...(reasons.length === 0 ? ["nothing"] : reasons).map((reason) => ["Left out", reason] as const),
  ]);
  return section("columns", "Columns", "Columns", html`${facts}${dropped ? droppedTable(dropped) : undefined}`);
}

function droppedTable({ rows, of, groups }: Dropped): Markup {
  const lines = Object.entries(groups).flatMap(([attribute, each]) =>
    Object.entries(each).map(([group, { people, before, after }]) => {
      const title = html`${name(attribute)} ${name(group)}`;
      return [title, formatNumber(people), formatShare(before), formatShare(after)] as const;
    }),
  );
  const whom = html`<p>${formatNumber(rows)} of ${formatNumber(of)} rows were left out because a value is missing.</p>`;
  if (lines.length === 0) return whom;
  return html`${whom}
${numberTable("People left out by group", ["Group", "Left out", "Share before", "after"], lines)}`;
}
