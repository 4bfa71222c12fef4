import { say, told } from "../language.js";
import { html, Markup, round } from "./markup.js";
import { glyph, lightColours } from "./palette.js";

interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** What a pointer shows. Numbers for everybody are in a table beside the plot. */
  readonly note: string;
  /** Has a ring around it. */
  readonly ringed?: boolean;
  /** What a page that can run it knows it by. */
  readonly value?: string;
}

export interface PlotLine {
  /** In the legend, if there is one. */
  readonly name?: string;
  readonly points: readonly PlotPoint[];
  /** The number of the line whose looks this one has; default its own. */
  readonly like?: number;
  /** The line that the others are compared with. */
  readonly reference?: boolean;
}

export interface Plot {
  /** For whoever cannot see it. */
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  readonly lines: readonly PlotLine[];
  /** What a ring means. */
  readonly ring?: string;
  /** Values that were asked for and cannot be had: crosses on the axis. */
  readonly missing?: readonly number[];
  /** Round numbers below the axis instead of the points' own, which are many and anywhere. */
  readonly measured?: boolean;
  /** The axis begins at 0, as for what is paid on top. */
  readonly fromZero?: boolean;
  /** The legend stands elsewhere. */
  readonly bare?: boolean;
}

const top = 10;
const height = 240;
const bottom = top + height;
/** More points of a line than this are drawn as the line alone. */
const mostDots = 40;
/** The width of a digit in the labels of an axis, in pixels. */
const digitWidth = 8;
const shapes = 7;

/**
 * A line plot. Lines stretch with the page and words do not: lines are in a frame of their own, words and points are placed by
 * percentages. Lines differ in colour, in dashes and in the shape of their points.
 */
export function plotFigure(plot: Plot): Markup {
  const missing = plot.missing ?? [];
  const all = plot.lines.flatMap(({ points }) => points);
  const xs = [...all.map(({ x }) => x), ...missing];
  const ys = [...all.map(({ y }) => y), ...(plot.fromZero ? [0] : [])];
  if (all.length === 0) return html`<p class="aside">${told(plot.title)}: nothing to show.</p>`;
  const yTicks = ticksBetween(Math.min(...ys), Math.max(...ys));
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys, yTicks[0]), Math.max(...ys, yTicks[yTicks.length - 1])];
  const xTicks = plot.measured
    ? ticksBetween(left, right).filter((x) => x >= left && x <= right)
    : spread([...new Set(xs)]);
  // Points at the very edges keep their whole shape.
  const across = (x: number) => round(right > left ? 2 + (96 * (x - left)) / (right - left) : 50);
  const up = (y: number) => round(bottom - ((y - low) / (high - low || 1)) * height);
  const labels = yTicks.map((y) => plot.formatY(y));
  const room = 10 + digitWidth * Math.max(...labels.map((label) => label.length));
  return html`<figure class="plot"><figcaption><b>${told(plot.yTitle)}</b></figcaption>
<div class="axes"><svg width="${room}" height="${bottom + 26}" aria-hidden="true">${labels.map((label, i) => html`<text class="end" x="${room - 6}" y="${up(yTicks[i]) + 4}">${label}</text>`)}</svg>
<svg width="100%" height="${bottom + 26}" role="img" aria-label="${told(plot.title)}">
${yTicks.map((y) => html`<line class="gridline" x1="0" x2="100%" y1="${up(y)}" y2="${up(y)}"/>`)}
${xTicks.map((x, i) => html`<text class="middle${i % 2 ? " second" : ""}" x="${across(x)}%" y="${bottom + 20}">${plot.formatX(x)}</text>`)}
<svg x="0" y="0" width="100%" height="${bottom}" viewBox="0 0 100 ${bottom}" preserveAspectRatio="none">${plot.lines.map(
    (line, i) =>
      html`<path class="line ${looksOf(line, i)}" d="${new Markup(line.points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${across(x)} ${up(y)}`).join(""))}"/>`,
  )}</svg>
${missing.map((x) => html`<svg class="dot" x="${across(x)}%" y="${bottom}" overflow="visible"><title>${say`${plot.formatX(x)}: not feasible`}</title><path class="missing" d="M-5 -5L5 5M5 -5L-5 5"/></svg>`)}
${plot.lines.map((line, i) =>
  (line.points.length > mostDots ? line.points.filter(({ ringed }) => ringed) : line.points).map(
    ({ x, y, note, ringed, value }) =>
      html`<svg class="dot ${looksOf(line, i)}" data-value="${value}" x="${across(x)}%" y="${up(y)}" overflow="visible"><title>${note}</title>${ringed ? html`<circle class="ring" r="9"/>` : undefined}<path class="point" d="${shapeOf(line, i)}"/></svg>`,
  ),
)}
</svg></div>
<p class="xtitle">${told(plot.xTitle)}</p>
${plot.bare ? undefined : plotLegend(plot.lines, plot.ring, missing.length > 0)}</figure>`;
}

/** Names of lines, and what rings and crosses mean. */
export function plotLegend(lines: readonly PlotLine[], ring?: string, crosses = false): Markup | undefined {
  const named = lines.map((line, i) => ({ line, i })).filter(({ line }) => line.name !== undefined);
  const ringed = ring !== undefined && lines.some(({ points }) => points.some((point) => point.ringed));
  if (named.length < 2 && !ringed && !crosses) return undefined;
  const key = (drawn: Markup) =>
    html`<svg class="linekey" viewBox="-16 -9 32 18" width="32" height="18" aria-hidden="true">${drawn}</svg>`;
  return html`<ul class="legend">${named.map(
    ({ line, i }) =>
      html`<li>${key(html`<g class="${looksOf(line, i)}"><path class="line" d="M-16 0H16"/><path class="point" d="${shapeOf(line, i)}"/></g>`)}${told(line.name)}</li>`,
  )}${ringed ? html`<li>${key(html`<g class="l0"><circle class="ring" r="7"/></g>`)}${told(ring)}</li>` : undefined}${crosses ? html`<li>${key(html`<path class="missing" d="M-5 -5L5 5M5 -5L-5 5"/>`)}${say`not feasible`}</li>` : undefined}</ul>`;
}

function looksOf({ reference, like }: PlotLine, index: number): string {
  return reference ? "reference" : `l${(like ?? index) % lightColours.length}`;
}

function shapeOf({ reference, like }: PlotLine, index: number): Markup {
  const shape = reference ? shapes - 1 : (like ?? index) % shapes;
  return new Markup(glyph(shape * lightColours.length, 0, 0, 3.5));
}

/** Round numbers that span the values. */
function ticksBetween(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((size) => size * power >= rough) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** At most a dozen values, evenly chosen: more would run into each other. */
function spread(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const every = Math.ceil(sorted.length / 12);
  return sorted.filter((_, i) => i % every === 0);
}
