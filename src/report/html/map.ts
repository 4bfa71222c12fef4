import type { PeopleClustering } from "../../algorithms/types.js";
import { sampleRows } from "../../metrics/sample.js";
import { coordinates } from "../../table/dimension.js";
import type { People } from "../../table/types.js";
import { formatNumber } from "../format.js";
import { say } from "../language.js";
import { type Components, principalComponents } from "./components.js";
import { html, list, Markup, name, round } from "./markup.js";
import { clusterKey, glyph, lightColours } from "./palette.js";
import { type PageSection, section } from "./parts.js";

/** Enough to see shapes; few enough that the page stays small with millions of people. */
export const mostPoints = 2_000;
const width = 720;
const height = 470;
const margin = 14;
/** Pixels between two labels of centres, at least. */
const labelDistance = 27;

interface MapExtent {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

/** Positions only: no ids, no groups, no values. */
export function mapSection(people: People, { labels, centres, result }: PeopleClustering): PageSection {
  const { seed, k, sizes } = result;
  const components = principalComponents(people, seed);
  const rows = sampleRows(people.n, Math.min(people.n, mostPoints), seed);
  const at = people.dimensionNames.map((_, j) => coordinates(people, j));
  const points = Array.from(rows, (row) => project(components, (j) => at[j](row)));
  const middles = centres.map((centre) => project(components, (j) => centre[j]));
  const present = middles.filter((_, m) => sizes[m] > 0);
  const frame = frameOf(points, present);
  const outside = points.filter((point) => isOutside(point, frame)).length;
  const spots = middles.map((middle) => place(middle, frame));
  const labelled = apart(spots.map((spot, m) => (sizes[m] > 0 ? spot : undefined)));
  const byCluster = Array.from({ length: k }, (): string[] => []);
  const r = k > lightColours.length ? 3 : 2.6;
  points.forEach((point, i) => {
    const [x, y] = place(point, frame);
    byCluster[labels[rows[i]]].push(glyph(labels[rows[i]], Math.round(10 * x) / 10, Math.round(10 * y) / 10, r));
  });
  // The largest first, so that small clusters are not buried.
  const order = sizes.map((_, m) => m).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const shown =
    people.n > rows.length
      ? say`${formatNumber(rows.length)} of ${formatNumber(people.n)} people, drawn at random,`
      : say`All people`;
  const edge = outside > 0 ? say` ${formatNumber(outside)} of them lie further out and are drawn at the edge.` : "";
  const flat = components.explained[0] + components.explained[1];
  const body = html`<p>${shown} on the two directions (principal components) that hold ${percent(flat)} of the variation between them. Numbers are the clusters’ centres.${edge} What overlaps here may be apart in the other ${percent(1 - flat)}.</p>
<figure><svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="Scatter plot of people, coloured by cluster, with numbered centres">
<rect class="frame" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}"/>
${order.map((m) => (byCluster[m].length === 0 ? undefined : html`<path class="f${m % 8}" d="${new Markup(byCluster[m].join(""))}"/>`))}
${order.map((m) => (sizes[m] === 0 ? undefined : centreMark(m, spots[m], labelled[m])))}</svg>
<figcaption>${axisNote("→", components, 0, people)}${axisNote("↑", components, 1, people)}</figcaption></figure>
<ul class="legend clusters">${sizes.map((_, m) => html`<li>${clusterKey(m)}${m}</li>`)}</ul>`;
  return section("map", "Map", "Map of the people, along the directions of largest variance", body);
}

function project({ mean, axes }: Components, value: (dimension: number) => number): [number, number] {
  let [x, y] = [0, 0];
  for (let j = 0; j < mean.length; j++) {
    const centred = value(j) - mean[j];
    x += centred * axes[0][j];
    y += centred * axes[1][j];
  }
  return [x, y];
}

/** Nearly all points, and all centres: a few people far out would press the others into a corner. */
function frameOf(
  points: readonly (readonly [number, number])[],
  centres: readonly (readonly [number, number])[],
): MapExtent {
  const range = (axis: 0 | 1): [number, number] => {
    const sorted = points.map((point) => point[axis]).sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))];
    let [from, to] = [at(0.005), at(0.995)];
    const [least, most] = [at(0), at(1)];
    if (most - least < 1.5 * (to - from)) [from, to] = [least, most];
    for (const centre of centres) [from, to] = [Math.min(from, centre[axis]), Math.max(to, centre[axis])];
    const room = to > from ? 0.02 * (to - from) : 1;
    return [from - room, to + room];
  };
  const [x, y] = [range(0), range(1)];
  return { from: [x[0], y[0]], to: [x[1], y[1]] };
}

function isOutside([x, y]: readonly [number, number], { from, to }: MapExtent): boolean {
  return x < from[0] || x > to[0] || y < from[1] || y > to[1];
}

function place([x, y]: readonly [number, number], { from, to }: MapExtent): [number, number] {
  const along = (value: number, axis: 0 | 1) =>
    Math.min(1, Math.max(0, (value - from[axis]) / (to[axis] - from[axis])));
  return [margin + along(x, 0) * (width - 2 * margin), height - margin - along(y, 1) * (height - 2 * margin)];
}

/** Labels of centres that would cover each other, pushed apart; each keeps a line to its centre. */
function apart(spots: readonly (readonly [number, number] | undefined)[]): [number, number][] {
  const moved = spots.map((spot): [number, number] => [spot?.[0] ?? Number.NaN, spot?.[1] ?? Number.NaN]);
  // Hundreds of labels have no room beside each other anyway.
  const turns = spots.length > 200 ? 0 : 60;
  for (let turn = 0; turn < turns; turn++) {
    for (let a = 0; a < moved.length; a++) {
      for (let b = 0; b < a; b++) {
        let [x, y] = [moved[a][0] - moved[b][0], moved[a][1] - moved[b][1]];
        if (x === 0 && y === 0) [x, y] = [0.1, 0.1];
        const distance = Math.hypot(x, y);
        if (!(distance < labelDistance)) continue;
        const push = (labelDistance - distance) / 2 / distance;
        moved[a] = inside([moved[a][0] + push * x, moved[a][1] + push * y]);
        moved[b] = inside([moved[b][0] - push * x, moved[b][1] - push * y]);
      }
    }
  }
  return moved;
}

function inside([x, y]: [number, number]): [number, number] {
  return [Math.min(width - margin, Math.max(margin, x)), Math.min(height - margin, Math.max(margin, y))];
}

function centreMark(cluster: number, [fromX, fromY]: readonly [number, number], [x, y]: [number, number]): Markup {
  const strayed = Math.hypot(x - fromX, y - fromY) > 2;
  const line = strayed ? html`<line x2="${round(fromX - x)}" y2="${round(fromY - y)}"/>` : undefined;
  return html`<g class="centre s${cluster % 8}" transform="translate(${round(x)} ${round(y)})">${line}<circle/><text>${cluster}</text></g>`;
}

/** The dimensions that make up an axis, largest first. */
function axisNote(arrow: string, { axes, explained }: Components, axis: 0 | 1, people: People): Markup {
  const loads = Array.from(axes[axis], (weight, j) => ({ weight, j }))
    .filter(({ weight }) => Math.abs(weight) >= 0.3)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.j - b.j)
    .slice(0, 4);
  const what = list(
    loads.map(({ weight, j }) => html`${weight > 0 ? say`more` : say`less`} ${name(people.dimensionNames[j])}`),
  );
  return html`<span><b>${arrow} Component ${axis + 1}</b> (${percent(explained[axis])} of the variation)${loads.length > 0 ? ": " : ""}${what}</span>`;
}

function percent(part: number): string {
  return say`${Math.round(100 * Math.min(1, Math.max(0, part)))}%`;
}
