import type { Progress } from "../algorithms/types.js";
import {
  type AlignedFacts,
  alignedSentence,
  cardAsks,
  type FederatedFacts,
  formatBytes,
  preparationSentences,
  type Sent,
} from "./federation.js";
import { formatCount, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { convergenceSection } from "./html/convergence.js";
import { folded } from "./html/fold.js";
import { html, type Markup, name } from "./html/markup.js";
import { page } from "./html/page.js";
import { wideTable } from "./html/parts.js";
import { tableColumns } from "./html/shares.js";
import { type SizeFacts, sizesSection } from "./html/sizes.js";
import { marks, toneOf, verdictSentences, verdictWords } from "./verdict.js";

export interface FederatedPage {
  readonly result: FederatedFacts & SizeFacts & { readonly warnings: readonly string[]; readonly version: string };
  readonly history: readonly Progress[];
  /** What everybody agreed to. */
  readonly card: object;
  readonly made: string;
}

/** A federated clustering as one HTML page that needs nothing else. It is made of what the sites have told its reader. */
export function renderFederatedReport({ result, history, card, made }: FederatedPage): string {
  const { verdict, n, k, warnings, sites } = result;
  const word = verdict === null ? "Nothing protected" : verdictWords[verdict];
  const tone = toneOf(verdict);
  const summary = `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} at ${Object.keys(sites).length} sites`;
  const [sentence = "No group was protected: this page describes the clusters only.", ...others] = verdictSentences(
    result,
    cardAsks,
  );
  const notes = [...others.map((each) => html`${each}`), ...warnings.map((each) => html`<b>Warning:</b> ${each}.`)];
  return page(
    `${summary} · Moiety report`,
    html`<div class="top"><h1>Moiety report</h1><span>${summary}, ${made}</span></div>
<header class="verdict ${tone}">
<p class="stamp"><span class="mark" aria-hidden="true">${marks[tone]}</span>${word}</p>
<p class="sentence">${sentence}</p>
${notes.length === 0 ? undefined : html`<ul class="notes">${notes.map((each) => html`<li>${each}</li>`)}</ul>`}
</header>
${sharesSection(result)}
${sizesSection(result)}
${convergenceSection({ history, result })}
${sitesSection(sites)}
${coordinatorSection(result)}
${settingsSection(result, card)}`,
  );
}

export interface AlignmentPage {
  readonly result: AlignedFacts & { readonly version: string };
  readonly card: object;
  readonly made: string;
}

/** Whom the sites have in common, as one HTML page: counts, and no id. */
export function renderAlignmentReport({ result, card, made }: AlignmentPage): string {
  const { common, sites, job, version, epochs, seconds } = result;
  const summary = `${formatPeople(common)} common to ${Object.keys(sites).length} sites`;
  return page(
    `${summary} · Moiety report`,
    html`<div class="top"><h1>Moiety report</h1><span>${summary}, ${made}</span></div>
<header class="verdict none">
<p class="stamp"><span class="mark" aria-hidden="true">–</span>Aligned</p>
<p class="sentence">${alignedSentence(result)}</p>
</header>
${sitesSection(sites)}
${coordinatorSection(result)}
${factsSection([
  ["Job", job],
  ["Version", `Moiety ${version}`],
  ["Time", `${formatSeconds(seconds.total)}; begun ${formatCount(epochs, "time", "times")}`],
  ["Card, as all signed it", JSON.stringify(card)],
])}`,
  );
}

function sharesSection({ groups, bounds, k }: FederatedFacts): Markup {
  const attributes = Object.entries(groups);
  if (attributes.length === 0) return html``;
  const starts = Array.from({ length: Math.ceil(k / tableColumns) }, (_, part) => part * tableColumns);
  const table = ([attribute, shares]: (typeof attributes)[number], from: number) => {
    const clusters = Array.from({ length: Math.min(tableColumns, k - from) }, (_, i) => from + i);
    return wideTable(
      `Shares of ${attribute}, from cluster ${from} on`,
      html`<tr><th scope="col">Group</th><th scope="col" class="n">Allowed</th>${clusters.map((m) => html`<th scope="col" class="n">${m === from ? "Cluster " : ""}${m}</th>`)}</tr>`,
      Object.entries(shares).map(([group, each]) => {
        const limits = bounds[attribute]?.[group];
        return html`<tr><th scope="row">${name(group)}</th><td class="n">${limits ? html`${formatShare(limits.min)}<small>to ${formatShare(limits.max)}</small>` : "–"}</td>${clusters.map((m) => html`<td class="n">${each[m] === null ? "–" : formatShare(each[m])}</td>`)}</tr>`;
      }),
    );
  };
  return html`<section id="shares"><h2>Each group’s share in each cluster</h2>
<p>Shares of groups that are too small to be shown are left out by the site that holds them.</p>
${attributes.map(
  (each) =>
    html`<h3>${name(each[0])}</h3>${folded(
      k,
      "Shares",
      starts.map((from) => table(each, from)),
    )}`,
)}</section>`;
}

export function sitesSection(sites: FederatedFacts["sites"]): Markup {
  return html`<section id="sites"><h2>What left each site</h2>
<p>Masked numbers mean nothing by themselves: only their sum over all sites does, and only that was seen. Sealed letters can be opened by their reader alone. What is encrypted can be compared, and nothing else. What is open is known to all sites anyway.</p>
${Object.entries(sites).map(([site, sent]) => siteTable(site, sent))}</section>`;
}

function siteTable(site: string, sent: readonly Sent[]): Markup {
  const total = sent.reduce((bytes, each) => bytes + each.bytes, 0);
  return html`<h3>${name(site)}: ${formatBytes(total)}</h3><div class="wide" tabindex="0" role="region" aria-label="What left ${site}"><table class="grid"><thead><tr><th scope="col">What</th><th scope="col">One holds</th><th scope="col">Protection</th><th scope="col" class="n">Messages</th><th scope="col" class="n">Bytes</th></tr></thead>
<tbody>${sent.map((each) => html`<tr><th scope="row">${each.kind}</th><td>${each.shape}</td><td>${each.protection}</td><td class="n">${formatNumber(each.messages)}</td><td class="n">${formatBytes(each.bytes)}</td></tr>`)}</tbody></table></div>`;
}

function coordinatorSection({ coordinator }: Pick<FederatedFacts, "coordinator">): Markup {
  return html`<section id="coordinator"><h2>What the coordinator could learn</h2>
<p>By inspecting every message, if no site disclosed more to it.</p>
<table class="facts"><tbody>${coordinator.map(({ about, seen }) => html`<tr><th scope="row">${about}</th><td>${seen}</td></tr>`)}</tbody></table></section>`;
}

function settingsSection(result: FederatedPage["result"], card: object): Markup {
  const { job, version, algorithm, seed, communication, passes, epochs, seconds } = result;
  return factsSection([
    ["Job", job],
    ["Version", `Moiety ${version}`],
    ["Algorithm", algorithm],
    ["Seed", String(seed)],
    ...preparationSentences(result).map((sentence, at): [string, string] => [
      at === 0 ? "People and columns" : "",
      sentence,
    ]),
    ["Time", formatSeconds(seconds.total)],
    [
      "Communication",
      `${formatNumber(communication.rounds)} rounds, ${formatNumber(Math.round(10 * passes) / 10)} passes over everybody, ${formatBytes(communication.bytesUp)} up, ${formatBytes(communication.bytesDown)} down; begun ${formatCount(epochs, "time", "times")}`,
    ],
    ["Card, as all signed it", JSON.stringify(card)],
  ]);
}

function factsSection(rows: readonly (readonly [string, string])[]): Markup {
  return html`<section id="provenance"><h2>Settings and provenance</h2>
<table class="facts"><tbody>${rows.map(([title, value]) => html`<tr><th scope="row">${title}</th><td>${title.startsWith("Card") ? html`<code>${value}</code>` : value}</td></tr>`)}</tbody></table></section>`;
}
