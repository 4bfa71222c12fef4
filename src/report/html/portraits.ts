import type { ClusterResult } from "../../algorithms/types.js";
import { formatNumber, formatPeople, formatShare } from "../format.js";
import { folded } from "./fold.js";
import { html, type Markup, name } from "./markup.js";
import { clusterKey } from "./palette.js";
import type { Feature, Profile } from "./profile.js";
import { tableColumns } from "./shares.js";
import { formatValue, traits } from "./traits.js";

/** Beyond this a table tells less than it shows: the features that differ most are kept. */
const mostFeatures = 40;
const mostCells = 2500;

export function portraitsSection({ n, k, sizes }: ClusterResult, { features }: Profile): Markup {
  const room = Math.max(5, Math.min(mostFeatures, Math.floor(mostCells / k)));
  const shown = features.length > room ? furthest(features, room) : features;
  const hidden = features.length - shown.length;
  return html`<section id="portraits"><h2>What each cluster is like</h2>
<p>In words, how each cluster’s average differs from the overall average. These are averages: they describe no single person.</p>
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
<p class="ramp" aria-hidden="true"><span>lower</span>${[-4, -3, -2, -1, 0, 1, 2, 3, 4].map((step) => html`<i class="${shade(step)}"></i>`)}<span>higher</span></p>
${folded(k, "Features", heatTables(shown, k))}
${hidden > 0 ? html`<p class="aside">The ${room} dimensions that differ most are shown; the other ${formatNumber(hidden)} differ less.</p>` : undefined}</section>`;
}

function furthest(features: readonly Feature[], room: number): Feature[] {
  const reach = ({ distances }: Feature) => Math.max(...distances.map(Math.abs));
  const chosen = new Set([...features].sort((a, b) => reach(b) - reach(a)).slice(0, room));
  return features.filter((feature) => chosen.has(feature));
}

function heatTables(features: readonly Feature[], k: number): Markup[] {
  const tables: Markup[] = [];
  for (let from = 0; from < k; from += tableColumns) {
    const clusters = Array.from({ length: Math.min(tableColumns, k - from) }, (_, i) => from + i);
    tables.push(html`<div class="wide" tabindex="0" role="region" aria-label="Features by cluster, from cluster ${from} on"><table class="grid heat"><thead><tr><th scope="col">Feature</th><th scope="col" class="n">Everybody</th>${clusters.map((m) => html`<th scope="col" class="n">${m === from ? "Cluster " : ""}${m}</th>`)}</tr></thead>
<tbody>${features.map(
      (feature) =>
        html`<tr><th scope="row">${name(feature.column)}${feature.level === undefined ? undefined : html`<small>${name(feature.level)}</small>`}</th><td class="n">${formatValue(feature, feature.overall)}</td>${clusters.map((m) => heatCell(feature, m))}</tr>`,
    )}</tbody></table></div>`);
  }
  return tables;
}

function heatCell(feature: Feature, cluster: number): Markup {
  const value = feature.values[cluster];
  if (Number.isNaN(value)) return html`<td class="n">–</td>`;
  const distance = feature.distances[cluster];
  const difference =
    feature.kind === "number" ? `${signed(distance, 1)} sd` : `${signed(100 * (value - feature.overall), 0)} pt`;
  return html`<td class="n ${shade(stepOf(distance))}">${formatValue(feature, value)}<small>${difference}</small></td>`;
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
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? "±0" : `${value < 0 ? "−" : "+"}${text}`;
}
