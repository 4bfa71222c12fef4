import type { ClusterResult } from "../../algorithms/types.js";
import { formatNumber } from "../format.js";
import { html, type Markup, round } from "./markup.js";

/** Beyond this many people the SSE without promises is that of a sample, scaled up. */
const fullReference = 131_072;

/** The added cost as a fraction; undefined when nothing was promised. */
export function priceOf({ sse, unconstrainedSse }: ClusterResult): number | undefined {
  return unconstrainedSse === null || !(unconstrainedSse > 0) ? undefined : sse / unconstrainedSse - 1;
}

/** `total` is the sum of squared distances to the mean of everybody: what the clusters could account for. */
export function priceSection(result: ClusterResult, total: number): Markup {
  const { sse, unconstrainedSse, n } = result;
  const price = priceOf(result);
  const body =
    price === undefined || unconstrainedSse === null
      ? html`<p>Nothing was promised to any group, so nothing was paid. ${explained(sse, total)}</p>`
      : html`<p>${priceSentence(price)} ${explained(sse, total, unconstrainedSse)}</p>
${bars(sse, unconstrainedSse)}
<p class="aside">The reference is the best that this run found before it kept any promise${n > fullReference ? ", estimated on a sample of the people" : ""}; nobody can compute the true optimum.</p>`;
  const title = result.fair === null && price !== undefined ? "The price of even sizes" : "The price of fairness";
  return html`<section id="price"><h2>${title}</h2>${body}</section>`;
}

function priceSentence(price: number): Markup {
  const size = `${Math.abs(100 * price).toFixed(Math.abs(price) < 0.1 ? 2 : 1)}%`;
  if (Math.abs(price) < 0.00005)
    return html`The promises cost nothing: the clusters are as tight as they would be without it.`;
  return price > 0
    ? html`Keeping the promises made the clusters <b>${size}</b> less tight than they would be without them.`
    : html`The promises cost nothing: these clusters happen to be ${size} tighter than the ones found before any promise was kept.`;
}

function explained(sse: number, total: number, reference?: number): Markup | undefined {
  if (!(total > 0)) return undefined;
  const share = (value: number) => `${(100 * Math.max(0, 1 - value / total)).toFixed(1)}%`;
  const without = reference === undefined ? "" : `, against ${share(reference)} without promises`;
  return html`Knowing a person’s cluster accounts for ${share(sse)} of the variation between people${without}.`;
}

function bars(sse: number, reference: number): Markup {
  const most = Math.max(sse, reference);
  const row = (title: string, value: number, kind: string) =>
    html`<tr><th scope="row">${title}</th><td class="bar"><i class="${kind}" style="width:${round((100 * value) / most)}%"></i></td><td class="n">${formatNumber(value)}</td></tr>`;
  return html`<table class="bars"><caption>Sum of squared distances (SSE): less is tighter</caption>
<thead class="unseen"><tr><th scope="col">clusters</th><th scope="col">bar</th><th scope="col">SSE</th></tr></thead>
<tbody>${row("Without promises", reference, "plain")}${row("These clusters", sse, "strong")}</tbody></table>`;
}
