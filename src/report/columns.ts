import type { ColumnsUsed, LeftOut } from "../table/index.js";
import { html, list, type Markup, name } from "./html/markup.js";

/** A line of a terminal holds about so many letters of names. */
const lineLength = 90;

/** Which columns were used, and which were not and why, in two lines at most. All names are in the JSON and the report. */
export function columnLines({ features, leftOut }: ColumnsUsed): string[] {
  const lines = [`Features: ${shortList(features, lineLength)}`];
  const reasons = byReason(leftOut);
  const room = lineLength / Math.max(1, reasons.length);
  const parts = reasons.map(([why, columns]) => `${shortList(columns, room)} (${why})`);
  return parts.length === 0 ? lines : [...lines, `Left out: ${parts.join("; ")}`];
}

/** As many names as there is room for, one at least, and how many more there are. */
function shortList(names: readonly string[], room: number): string {
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
export function columnsSection({ features, leftOut }: ColumnsUsed): Markup {
  const reasons = byReason(leftOut);
  const rows: [string, Markup][] = [
    ["Features", html`${list(features.map((column) => name(column)))}`],
    ...reasons.map(([why, columns]): [string, Markup] => [
      "Left out",
      html`${list(columns.map((column) => name(column)))}: ${why}`,
    ]),
    ...(reasons.length === 0 ? ([["Left out", html`nothing`]] as [string, Markup][]) : []),
  ];
  return html`<section id="columns"><h2>Columns</h2>
<table class="facts"><tbody>${rows.map(([title, value]) => html`<tr><th scope="row">${title}</th><td>${value}</td></tr>`)}</tbody></table></section>`;
}
