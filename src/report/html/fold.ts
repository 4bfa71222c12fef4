import { html, type Markup, type Piece } from "./markup.js";

/** Tables and lists of more clusters than this are opened by whoever wants them: what comes after them is not buried. */
const mostOpen = 50;

export function folded(k: number, what: string, content: Piece): Markup {
  return k > mostOpen
    ? html`<details class="fold"><summary>${what} of all ${k} clusters</summary>${content}</details>`
    : html`${content}`;
}
