import { costsOf, priceOf } from "../../algorithms/price-of-fairness.js";
import type { ClusterResult } from "../../algorithms/types.js";
import { costName } from "../costs.js";
import { formatFixed, formatNumber, formatPrice } from "../format.js";
import { say } from "../language.js";
import { html, type Markup, round } from "./markup.js";
import { type PageSection, section } from "./parts.js";

/** `total` is the sum of squared distances to the mean of everybody: what the clusters could account for. */
export function priceSection(result: ClusterResult, total: number): PageSection {
  const { sse, unconstrainedSse, distance } = result;
  const costs = costsOf(result);
  const { cost, unconstrained } = costs;
  const body =
    unconstrained === null
      ? html`<p>Nothing was promised to any group, so nothing was paid. ${explained(sse, total)}</p>`
      : html`<p>${priceSentence(priceOf(costs), result)} ${explained(sse, total, unconstrainedSse ?? undefined)}</p>
${bars(cost, unconstrained, distance)}
<p class="aside">The reference is the best that this run found without promises: from the same starts, and from these clusters with all promises dropped, improved in the same way. The true optimum cannot be computed.</p>`;
  const even = result.fair === null && unconstrained !== null;
  return section("price", "Price", even ? say`The price of even sizes` : say`The price of fairness`, body);
}

/** The price in brief, and a note beside it. */
export function priceNumber(result: ClusterResult): readonly [value: string, note: string] {
  const costs = costsOf(result);
  const price = priceOf(costs);
  if (price !== null) return [formatPrice(price), say`more ${distanceWords(result)}`];
  return ["–", costs.unconstrained === null ? say`nothing was promised` : say`no cost without promises to compare`];
}

function distanceWords({ distance }: Pick<ClusterResult, "distance">): string {
  return distance ? say`distance` : say`squared distance`;
}

function priceSentence(price: number | null, result: ClusterResult): Markup {
  if (price === null) {
    return html`Without promises the ${costName(result)} would be 0, since there are no more distinct people than clusters; so the price cannot be given as a percentage.`;
  }
  if (price < 0.00005) return html`The promises cost nothing: the clusters are as tight as they would be without them.`;
  const size = price < 0.1 ? say`${formatFixed(100 * price, 2)}%` : formatPrice(price).replace("+", "");
  return size.endsWith("%")
    ? html`Keeping the promises made the clusters <b>${size}</b> less tight than they would be without them.`
    : html`Keeping the promises cost <b>${size}</b> the ${distanceWords(result)} that there would be without them.`;
}

function explained(sse: number, total: number, reference?: number): Markup | undefined {
  if (!(total > 0)) return undefined;
  const share = (value: number) => say`${formatFixed(100 * Math.max(0, 1 - value / total), 1)}%`;
  const without = reference === undefined ? "" : say`, against ${share(reference)} without promises`;
  return html`Knowing a person’s cluster accounts for ${share(sse)} of the variation between people${without}.`;
}

function bars(cost: number, reference: number, distance: ClusterResult["distance"]): Markup {
  const most = Math.max(cost, reference);
  const [title, name] = distance
    ? [say`Sum of Manhattan distances`, say`sum of distances`]
    : [say`Sum of squared distances (SSE)`, "SSE"];
  const row = (title: string, value: number, kind: string) =>
    html`<tr><th scope="row">${title}</th><td class="bar"><i class="${kind}" style="width:${round((100 * value) / most)}%"></i></td><td class="n">${formatNumber(value)}</td></tr>`;
  return html`<table class="bars"><caption>${title}: less is tighter</caption>
<thead class="unseen"><tr><th scope="col">clusters</th><th scope="col">bar</th><th scope="col">${name}</th></tr></thead>
<tbody>${row(say`Without promises`, reference, "plain")}${row(say`These clusters`, cost, "strong")}</tbody></table>`;
}
