import { heard, type Language, say, told } from "../language.js";
import { marks, type Tone } from "../verdict.js";
import { html, type Markup, type Piece, shorten } from "./markup.js";
import { page } from "./page.js";

/** A section of a page, and what the links at the top of the page call it. */
export interface PageSection {
  readonly id: string;
  readonly link: string;
  readonly content: Markup;
}

export function section(id: string, link: string, title: Piece, body: Piece): PageSection {
  return { id, link: told(link), content: html`<section id="${id}"><h2>${told(title)}</h2>\n${body}</section>` };
}

/** A page: what it is about, what it says first, links to its sections, and the sections; those undefined are left out. */
export function reportPage(
  summary: string,
  made: string | undefined,
  opening: Piece,
  sections: readonly (PageSection | undefined)[],
): string {
  const shown = sections.filter((each) => each !== undefined);
  return page(
    say`${summary} · Moiety report`,
    html`<div class="top"><h1>Moiety report</h1><span>${summary}${made === undefined ? "" : `, ${made}`}</span></div>
${opening}
<nav aria-label="Sections">${shown.map(({ id, link }) => html`<a href="#${id}">${link}</a>`)}</nav>
${shown.map(({ content }) => html`${content}\n`)}`,
  );
}

/** What a page says before anything else: one word, one sentence, what qualifies it, and numbers with their titles and notes. */
export interface PageVerdict {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: Piece;
  readonly notes?: readonly Piece[];
  readonly warnings?: readonly string[];
  readonly numbers?: readonly (readonly [string, string, string])[];
}

export function verdictHeader({ tone, word, sentence, notes = [], warnings = [], numbers = [] }: PageVerdict): Markup {
  const all = [...notes, ...warnings.map((warning) => html`<b>Warning:</b> ${heard(warning)}.`)];
  const number = ([title, value, note]: readonly [string, string, string]) =>
    html`<div><dt>${told(title)}</dt><dd>${value}<small>${told(note)}</small></dd></div>`;
  return html`<header class="verdict ${tone}">
<p class="stamp"><span class="mark" aria-hidden="true">${marks[tone]}</span>${told(word)}</p>
<p class="sentence">${told(sentence)}</p>
${all.length === 0 ? undefined : html`<ul class="notes">${all.map((note) => html`<li>${told(note)}</li>`)}</ul>`}
${numbers.length === 0 ? undefined : html`<dl class="numbers">${numbers.map(number)}</dl>`}
</header>`;
}

/** A table that may be wider than the page: it scrolls by itself, with the keyboard too. No two may have the same label. */
export function wideTable(label: string, head: Piece, rows: Piece, looks = ""): Markup {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${told(label)}"><table class="grid${looks}"><thead>${head}</thead>
<tbody>${rows}</tbody></table></div>`;
}

/** A number in a table, with classes of its own where it has some. */
export type NumberCell = Piece | { readonly text: Piece; readonly looks: string };

/** A table of numbers: the first cell of every row is its title. */
export function numberTable(
  label: string,
  titles: readonly Piece[],
  rows: readonly (readonly [Piece, ...NumberCell[]])[],
  looks = "",
): Markup {
  const [first, ...others] = titles;
  return wideTable(
    label,
    html`<tr><th scope="col">${told(first)}</th>${others.map((title) => html`<th scope="col" class="n">${told(title)}</th>`)}</tr>`,
    rows.map(([title, ...cells]) => html`<tr><th scope="row">${title}</th>${cells.map(numberCell)}</tr>`),
    looks,
  );
}

function numberCell(cell: NumberCell): Markup {
  const { text, looks } = typeof cell === "object" && "looks" in cell ? cell : { text: cell, looks: "" };
  return html`<td class="n${looks}">${text}</td>`;
}

/** Clusters side by side in one table; more of them go into further tables, which fit on paper. */
const clustersPerTable = 8;

/** Tables with a column for each cluster, after columns of their own. */
export function clusterTables(
  k: number,
  { what, label, titles, looks }: { what: string; label: string; titles: readonly Piece[]; looks?: string },
  rows: readonly { readonly cells: readonly [Piece, ...Piece[]]; readonly cluster: (m: number) => NumberCell }[],
): Markup {
  const tables = Array.from({ length: Math.ceil(k / clustersPerTable) }, (_, part) => {
    const from = part * clustersPerTable;
    const clusters = Array.from({ length: Math.min(clustersPerTable, k - from) }, (_, i) => from + i);
    return numberTable(
      say`${label}, from cluster ${from} on`,
      [...titles, ...clusters.map((m) => (m === from ? say`Cluster ${m}` : m))],
      rows.map(({ cells, cluster }) => [...cells, ...clusters.map(cluster)]),
      looks,
    );
  });
  return folded(k, what, tables);
}

/** Tables and lists of more clusters than this are folded: what comes after them is not buried. */
const mostUnfolded = 50;

export function folded(k: number, what: string, content: Piece): Markup {
  return k > mostUnfolded
    ? html`<details class="fold"><summary>${told(what)} of all ${k} clusters</summary>${content}</details>`
    : html`${content}`;
}

/** Titles and facts below each other; what is undefined is left out. */
export function factsTable(rows: readonly (readonly [string, Piece])[]): Markup {
  const shown = rows.filter(([, value]) => value !== undefined);
  return html`<table class="facts"><tbody>${shown.map(([title, value]) => html`<tr><th scope="row">${told(title)}</th><td>${told(value)}</td></tr>`)}</tbody></table>`;
}

/** Where a page comes from. */
export interface Provenance {
  /** The command that was given, as it could be given again. */
  readonly command?: string;
  /** The file or query that the people came from. */
  readonly source?: string;
  /** When, as text: a page has no clock of its own. */
  readonly made?: string;
  /** What it is written in; English where nothing is said. */
  readonly language?: Language;
}

/** Enough to run it again, and to tell this page from another. `rows` are its settings. */
export function provenanceSection(
  { command, source, made }: Provenance,
  { version, warnings }: { readonly version: string; readonly warnings?: readonly string[] },
  rows: readonly (readonly [string, Piece])[],
  aside?: string,
): PageSection {
  const facts = factsTable([
    ["Command", command === undefined ? undefined : html`<code>${shorten(command, 2000)}</code>`],
    ["Source", source === undefined ? undefined : html`<code>${shorten(source, 1000)}</code>`],
    ["Made", made],
    ["Version", say`Moiety ${version}`],
    ...rows,
    ["Warnings", warnings && warningsList(warnings)],
  ]);
  const note = aside === undefined ? undefined : html`\n<p class="aside">${told(aside)}</p>`;
  return section("provenance", "Settings", "Settings and provenance", html`${facts}${note}`);
}

function warningsList(warnings: readonly string[]): Piece {
  return warnings.length === 0
    ? say`none`
    : html`<ul>${warnings.map((warning) => html`<li>${heard(warning)}</li>`)}</ul>`;
}
