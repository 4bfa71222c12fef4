import type { ClusterResult } from "../../algorithms/types.js";
import { formatFixed, formatNumber, formatPeople, formatShare } from "../format.js";
import { say, told } from "../language.js";
import { everybodyIn } from "../links.js";
import { html, type Markup, name } from "./markup.js";
import { clusterKey } from "./palette.js";
import { clusterTables, folded, type NumberCell, type PageSection, section } from "./parts.js";
import type { Feature, Profile } from "./profile.js";
import { formatValue, traits } from "./traits.js";

/** A larger table is hard to read: only the features that differ most are shown. */
const mostFeatures = 40;
const mostCells = 2500;

export function portraitsSection(result: ClusterResult, { features }: Profile): PageSection {
  const { k, sizes } = result;
  const n = everybodyIn(result);
  const room = Math.max(5, Math.min(mostFeatures, Math.floor(mostCells / k)));
  const shown = features.length > room ? furthest(features, room) : features;
  const hidden = features.length - shown.length;
  const body = html`<p>In words, how each cluster’s average differs from the overall average. These are averages: they describe no single person.</p>
${folded(
  k,
  "Portraits",
  html`<ul class="portraits">${sizes.map(
    (size, m) =>
      html`<li><span class="who">${clusterKey(m)}<b>Cluster ${m}</b><small>${formatPeople(size)}, ${formatShare(size / n)}</small></span><span>${size === 0 ? html`Empty cluster.` : traits(features, m)}</span></li>`,
  )}</ul>`,
)}
<h3>Feature by feature</h3>
<p>The average of each feature in each cluster, and below it the difference from the overall average: in standard deviations (sd), or in points of percent for categories. The stronger the colour, the further from everybody.</p>
<p class="ramp" aria-hidden="true"><span>below average</span>${[-4, -3, -2, -1, 0, 1, 2, 3, 4].map((step) => html`<i class="${shade(step)}"></i>`)}<span>above average</span></p>
${heatTables(shown, k)}
${hidden > 0 ? html`<p class="aside">The ${room} dimensions that differ most are shown; the other ${formatNumber(hidden)} differ less.</p>` : undefined}`;
  return section("portraits", "Portraits", "What each cluster is like", body);
}

function furthest(features: readonly Feature[], room: number): Feature[] {
  const reach = ({ distances }: Feature) => Math.max(...distances.map(Math.abs));
  const chosen = new Set([...features].sort((a, b) => reach(b) - reach(a)).slice(0, room));
  return features.filter((feature) => chosen.has(feature));
}

function heatTables(features: readonly Feature[], k: number): Markup {
  const titles = ["Feature", "Everybody"];
  return clusterTables(
    k,
    { what: "Features", label: told("Features by cluster"), titles, looks: " heat" },
    features.map((feature) => {
      const { column, level, overall } = feature;
      const title = html`${name(column)}${level === undefined ? undefined : html`<small>${name(level)}</small>`}`;
      return { cells: [title, formatValue(feature, overall)], cluster: (m) => heatCell(feature, m) };
    }),
  );
}

function heatCell(feature: Feature, cluster: number): NumberCell {
  const value = feature.values[cluster];
  if (Number.isNaN(value)) return "–";
  const distance = feature.distances[cluster];
  const difference =
    feature.kind === "number" ? say`${signed(distance, 1)} sd` : say`${signed(100 * (value - feature.overall), 0)} pt`;
  const text = html`${formatValue(feature, value)}<small>${difference}</small>`;
  return { text, looks: ` ${shade(stepOf(distance))}` };
}

/** Steps of the ramp at 0.25, 0.5, 1 and 2 standard deviations. */
function stepOf(distance: number): number {
  const size = Math.abs(distance);
  const step = size >= 2 ? 4 : size >= 1 ? 3 : size >= 0.5 ? 2 : size >= 0.25 ? 1 : 0;
  return distance < 0 ? -step : step;
}

function shade(step: number): string {
  return step === 0 ? "even" : step < 0 ? `low${-step}` : `high${step}`;
}

function signed(value: number, digits: number): string {
  const text = formatFixed(Math.abs(value), digits);
  return !/[1-9]/.test(text) ? "±0" : `${value < 0 ? "−" : "+"}${text}`;
}
