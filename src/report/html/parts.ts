import { marks, type Tone } from "../verdict.js";
import { html, type Markup, type Piece } from "./markup.js";

/** What a page says before anything else: one word, one sentence, what qualifies it, and numbers with their titles and notes. */
export interface PageVerdict {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: Piece;
  readonly notes: readonly Piece[];
  readonly numbers: readonly (readonly [string, string, string])[];
}

export function verdictHeader({ tone, word, sentence, notes, numbers }: PageVerdict): Markup {
  return html`<header class="verdict ${tone}">
<p class="stamp"><span class="mark" aria-hidden="true">${marks[tone]}</span>${word}</p>
<p class="sentence">${sentence}</p>
${notes.length === 0 ? undefined : html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
<dl class="numbers">${numbers.map(
    ([title, value, note]) => html`<div><dt>${title}</dt><dd>${value}<small>${note}</small></dd></div>`,
  )}</dl>
</header>`;
}

/** The page's name, and what it is about. */
export function topLine(about: string): Markup {
  return html`<div class="top"><h1>Moiety report</h1><span>${about}</span></div>`;
}

export function sectionLinks(links: readonly (readonly [string, string])[]): Markup {
  return html`<nav aria-label="Sections">${links.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>`;
}

/** A table that may be wider than the page: it scrolls by itself, with the keyboard too. No two may have the same label. */
export function wideTable(label: string, head: Piece, rows: Piece): Markup {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table class="grid"><thead>${head}</thead>
<tbody>${rows}</tbody></table></div>`;
}

/** Settings and where a page comes from; what is undefined is left out. */
export function provenanceTable(rows: readonly (readonly [string, Piece])[]): Markup {
  return html`<table class="facts"><tbody>${rows.map(([title, value]) => (value === undefined ? undefined : html`<tr><th scope="row">${title}</th><td>${value}</td></tr>`))}</tbody></table>`;
}
