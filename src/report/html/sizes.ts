import type { ClusterResult } from "../../algorithms/types.js";
import { formatFixed, formatNumber, formatPeople, formatShare } from "../format.js";
import { say } from "../language.js";
import { everybodyIn } from "../links.js";
import { sizesSentence, type WishedSizes } from "../sizes.js";
import { html, round } from "./markup.js";
import { clusterKey } from "./palette.js";
import { folded, type PageSection, section } from "./parts.js";

/** More rows than this stand in two columns. */
const manyClusters = 12;

/** What this section needs of a result. */
export type SizeFacts = WishedSizes & Pick<ClusterResult, "k">;

export function sizesSection(result: SizeFacts): PageSection {
  const { k, sizes, minSize, evenness } = result;
  const n = everybodyIn(result);
  const most = Math.max(...sizes);
  const even = n / k;
  const half = k > manyClusters ? Math.ceil(k / 2) : k;
  const tables = [sizes.slice(0, half), sizes.slice(half)].filter((part) => part.length > 0);
  const row = (size: number, m: number) => html`<tr><th scope="row">${clusterKey(m)} ${m}</th>
<td class="bar"><i class="c${m % 8}" style="width:${round((100 * size) / most)}%"></i><u style="left:${round((100 * even) / most)}%"></u></td>
<td class="n">${formatNumber(size)}</td><td class="n">${formatShare(size / n)}</td></tr>`;
  const wish = sizesSentence(result);
  const fewest = minSize > 1 ? say` No cluster was to have fewer than ${formatPeople(minSize)}.` : "";
  const asked = wish === undefined ? fewest : ` ${wish}`;
  const body = html`<p>If all were equal, each would have ${formatPeople(Math.round(even))}: the thin line in each bar. ${evennessSentence(evenness.entropy, k)}${asked}</p>
${folded(
  k,
  "Sizes",
  html`<div class="${tables.length > 1 ? "pair" : ""}">${tables.map(
    (
      part,
      t,
    ) => html`<table class="bars"><thead><tr><th scope="col">Cluster</th><th scope="col"><span class="unseen">bar</span></th><th scope="col" class="n">People</th><th scope="col" class="n">Share</th></tr></thead>
<tbody>${part.map((size, i) => row(size, t * half + i))}</tbody></table>`,
  )}</div>`,
)}`;
  return section("sizes", "Sizes", "How large the clusters are", body);
}

function evennessSentence(entropy: number, k: number): string {
  if (k < 2) return "";
  return say`Evenness is ${formatFixed(entropy, 2)} on a scale from 0 (all in one cluster) to 1 (all equal).`;
}
