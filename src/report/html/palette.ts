import { html, Markup, round } from "./markup.js";

/**
 * Eight colours after Okabe and Ito, moved apart until the nearest two could be told from each other with each of the
 * three common kinds of colour blindness, and each at least 3:1 against its background (WCAG 1.4.11). Where there are
 * more clusters, the next eight have the same colours and another shape; and every centre has its number anyway.
 */
export const lightColours = [
  "#1b3b81",
  "#e76703",
  "#00a785",
  "#9b51a7",
  "#a7412c",
  "#6860ff",
  "#7c0024",
  "#06022a",
] as const;
export const darkColours = [
  "#8dd9fc",
  "#db9100",
  "#1d7a8b",
  "#a38ee8",
  "#bb4d00",
  "#9043ed",
  "#fdcf0d",
  "#ffffcd",
] as const;

/** As relative commands from the point that they stand on, with the same area to the eye. */
const shapes: readonly ((r: number) => string)[] = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `m${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `m0 ${round(-1.3 * r)}l${round(1.3 * r)} ${round(2.2 * r)}h${round(-2.6 * r)}z`,
  (r) =>
    `m0 ${round(-1.4 * r)}l${round(1.4 * r)} ${round(1.4 * r)}l${round(-1.4 * r)} ${round(1.4 * r)}l${round(-1.4 * r)} ${round(-1.4 * r)}z`,
  (r) => `m0 ${round(1.3 * r)}l${round(-1.3 * r)} ${round(-2.2 * r)}h${round(2.6 * r)}z`,
  (r) => `m${round(-0.45 * r)} ${round(-1.3 * r)}h${round(0.9 * r)}v${round(2.6 * r)}h${round(-0.9 * r)}z`,
  (r) => `m${round(-1.3 * r)} ${round(-0.45 * r)}h${round(2.6 * r)}v${round(0.9 * r)}h${round(-2.6 * r)}z`,
];

/** One person, or a key's sign, of a cluster at a place. */
export function glyph(cluster: number, x: number, y: number, r: number): string {
  return `M${round(x)} ${round(y)}${shapes[Math.floor(cluster / lightColours.length) % shapes.length](r)}`;
}

/** The cluster's colour and shape, beside its number. */
export function clusterKey(cluster: number): Markup {
  const path = new Markup(glyph(cluster, 6, 6, 4));
  return html`<svg class="key" viewBox="0 0 12 12" aria-hidden="true"><path class="f${cluster % lightColours.length}" d="${path}"/></svg>`;
}
