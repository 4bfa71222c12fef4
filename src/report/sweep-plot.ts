import { html, type Markup, round } from "./html/markup.js";

interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** What a pointer shows. */
  readonly note: string;
  /** Has a ring around it, and this word beside it. */
  readonly mark?: string;
}

export interface PlotLine {
  /** Stands at its end, if there is one. */
  readonly name?: string;
  readonly points: readonly PlotPoint[];
  /** The number of the line whose colour this one has; default its own. */
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
  /** Values that were asked for and cannot be had: crosses on the axis. */
  readonly missing: readonly number[];
  /** Round numbers below the axis instead of the points' own, which are many and anywhere. */
  readonly measured?: boolean;
  /** The axis begins at 0, as for what is paid on top. */
  readonly fromZero?: boolean;
}

const width = 760;
const height = 400;
const area = { left: 92, right: 630, top: 18, bottom: 340 } as const;

/** A line plot as SVG: every line has its name at its end, and colours come from the page. */
export function plotSvg(plot: Plot): Markup {
  const all = plot.lines.flatMap(({ points }) => points);
  const xs = [...all.map(({ x }) => x), ...plot.missing];
  const ys = [...all.map(({ y }) => y), ...(plot.fromZero ? [0] : [])];
  const yTicks = ticksBetween(Math.min(...ys), Math.max(...ys));
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys, yTicks[0]!), Math.max(...ys, yTicks[yTicks.length - 1]!)];
  const xTicks = plot.measured
    ? ticksBetween(left, right).filter((x) => x >= left && x <= right)
    : spread([...new Set(xs)]);
  const across = (x: number) => round(area.left + ((x - left) / (right - left || 1)) * (area.right - area.left));
  const up = (y: number) => round(area.bottom - ((y - low) / (high - low || 1)) * (area.bottom - area.top));
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${plot.title}">
${yTicks.map((y) => html`<path class="grid" d="M${area.left} ${up(y)}H${area.right}"/><text class="tick end" x="${area.left - 8}" y="${up(y) + 4}">${plot.formatY(y)}</text>`)}
${xTicks.map((x) => html`<text class="tick middle" x="${across(x)}" y="${area.bottom + 20}">${plot.formatX(x)}</text>`)}
<text class="title middle" x="${(area.left + area.right) / 2}" y="${height - 14}">${plot.xTitle}</text>
<text class="title middle" transform="translate(14 ${(area.top + area.bottom) / 2}) rotate(-90)">${plot.yTitle}</text>
${plot.missing.map((x) => html`<path class="missing" d="M${across(x) - 5} ${area.bottom - 5}l10 10m0-10l-10 10"><title>${plot.formatX(x)}: not feasible</title></path>`)}
${plot.lines.map((line, index) => drawLine(line, index, across, up))}
${lineNames(plot.lines, up)}
</svg>`;
}

function drawLine(
  { points, reference, like }: PlotLine,
  index: number,
  across: (x: number) => number,
  up: (y: number) => number,
): Markup {
  const path = points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${across(x)} ${up(y)}`).join("");
  return html`<g class="${reference ? "reference" : `line${(like ?? index) % 8}`}"><path class="line" d="${path}"/>
${points.map(
  ({ x, y, note, mark }) =>
    html`${mark ? html`<circle class="mark" cx="${across(x)}" cy="${up(y)}" r="9"/><text class="mark${across(x) > area.right - 90 ? " end" : ""}" x="${across(x) + (across(x) > area.right - 90 ? -8 : 8)}" y="${up(y) - 12}">${mark}</text>` : ""}<circle cx="${across(x)}" cy="${up(y)}" r="3.5"><title>${note}</title></circle>`,
)}</g>`;
}

/** Names at the ends of their lines, moved apart where lines end together. */
function lineNames(lines: readonly PlotLine[], up: (y: number) => number): Markup[] {
  const ends = lines
    .flatMap(({ name, points, reference }, index) => {
      const last = points[points.length - 1];
      return last && name !== undefined
        ? [{ name, kind: reference ? "reference" : `line${index % 8}`, y: up(last.y) }]
        : [];
    })
    .sort((a, b) => a.y - b.y);
  const apart = 15;
  let free: number = area.top;
  // What would run out of the plot below pushes everything up.
  const shift = Math.max(0, (ends.length - 1) * apart + (ends[0]?.y ?? 0) - area.bottom - 10);
  return ends.map(({ name, kind, y }) => {
    free = Math.max(free, y - shift);
    const text = html`<text class="name ${kind}" x="${area.right + 12}" y="${round(free + 4)}">${name}</text>`;
    free += apart;
    return text;
  });
}

/** Round numbers that span the values. */
function ticksBetween(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10);
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
