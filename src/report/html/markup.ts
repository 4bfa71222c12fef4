import { groupNameWith } from "../group-name.js";
import { filled, templateOf, told } from "../language.js";

/** Text that is HTML already. Everything else is escaped on its way into a page, so that no name can become markup. */
export class Markup {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export type Piece = Markup | string | number | undefined | readonly Piece[];

/** A template of HTML whose values are escaped, unless they are markup themselves; undefined is nothing. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Markup {
  const template = templateOf(strings);
  if (template) return new Markup(filled(template, pieces, render));
  let text = strings[0];
  pieces.forEach((piece, i) => {
    text += render(piece) + strings[i + 1];
  });
  return new Markup(text);
}

function render(piece: Piece): string {
  if (piece === undefined) return "";
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === "string") return escapeText(piece);
  if (typeof piece === "number") return String(piece);
  return piece.map(render).join("");
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

/** Names come from the user's columns and cells, and may be whole sentences. */
const longestName = 48;
/** What a tooltip may hold. */
export const longestTitle = 160;

export function shorten(text: string, longest = longestName): string {
  const letters = Array.from(text);
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join("")}…`;
}

/** A name as it is read: of groups of numbers in the language that is spoken. */
export function spoken(text: string, longest?: number): string {
  return shorten(groupNameWith(told("to"), text), longest);
}

/** A name from the data. Isolated, so that one written from right to left does not turn the sentence around. */
export function name(text: string): Markup {
  const [short, whole] = [spoken(text), spoken(text, longestTitle)];
  return short === whole ? html`<bdi>${short}</bdi>` : html`<bdi title="${whole}">${short}</bdi>`;
}

/** "a", "a and b", "a, b and c". */
export function list(items: readonly Markup[]): Markup {
  if (items.length < 2) return html`${items}`;
  const last = items[items.length - 1];
  return html`${items.slice(0, -1).map((item, i) => html`${i > 0 ? ", " : ""}${item}`)} and ${last}`;
}

/** Coordinates and percentages: two digits are more than a screen can show. */
export function round(value: number): number {
  return Number(value.toFixed(2));
}
