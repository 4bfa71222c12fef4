import type { Progress } from "../algorithms/types.js";
import { defined } from "../defined.js";
import type { JournalEntry } from "../federation/audit/journal.js";
import type { FederatedAlignment } from "../federation/results/alignment.js";
import type { FederatedResult } from "../federation/results/summary.js";
import { alignedSentence, cardAsks, formatBytes, preparationSentences } from "./federation.js";
import { formatBeyond, formatCount, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { convergenceSection } from "./html/convergence.js";
import { html, type Markup, name } from "./html/markup.js";
import { notionSection } from "./html/notion.js";
import {
  clusterTables,
  factsTable,
  type PageSection,
  provenanceSection,
  reportPage,
  section,
  verdictHeader,
  wideTable,
} from "./html/parts.js";
import { privacySection } from "./html/privacy.js";
import { allowedRange, sharesTitle } from "./html/shares.js";
import { sizesSection } from "./html/sizes.js";
import { heard, type Language, say, told } from "./language.js";
import { linkSentences } from "./links.js";
import { balanceSentence, formatGuarantee } from "./privacy.js";
import { silhouetteFact } from "./silhouette.js";
import { speaking } from "./speaking.js";
import { toneOf, verdictSentences, verdictWords } from "./verdict.js";

export interface FederatedPage {
  readonly result: FederatedResult;
  readonly history: readonly Progress[];
  /** What everybody agreed to. */
  readonly card: object;
  readonly made: string;
  /** What it is written in; English where nothing is said. */
  readonly language?: Language | undefined;
}

/** A federated clustering as one HTML page that needs nothing else. It is made of what the sites have told its reader. */
export function renderFederatedReport(page: FederatedPage): string {
  return speaking(page.language, () => federatedPage(page));
}

function federatedPage({ result, history, card, made }: FederatedPage): string {
  const { verdict, n, k, warnings, sites } = result;
  const { privacy } = result;
  const [sentence = said(privacy), ...notes] = verdictSentences(result, told(cardAsks));
  const word = verdict !== null ? verdictWords[verdict] : privacy ? "Measured by noisy counts" : "Nothing protected";
  const summary = say`${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} at ${Object.keys(sites).length} sites`;
  return reportPage(summary, made, verdictHeader({ tone: toneOf(verdict), word, sentence, notes, warnings }), [
    sharesSection(result),
    privacySection(defined({ privacy })),
    ownSection(result),
    atSitesSection(result),
    notionSection(result),
    sizesSection(result),
    convergenceSection({ history, result }),
    sitesSection(sites),
    coordinatorSection(result),
    settingsSection(result, card),
  ]);
}

/** What a page says first where there is no verdict: true shares of a private job are not known. */
function said(privacy: FederatedResult["privacy"]): string {
  if (!privacy) return "No group was protected: this page describes the clusters only.";
  return balanceSentence(privacy) ?? say`The true shares of groups are not known: ${formatGuarantee(privacy)}.`;
}

export interface AlignmentPage {
  readonly result: FederatedAlignment;
  readonly card: object;
  readonly made: string;
  /** What it is written in; English where nothing is said. */
  readonly language?: Language | undefined;
}

/** How many people the sites have in common, as one HTML page: counts, and no id. */
export function renderAlignmentReport(page: AlignmentPage): string {
  return speaking(page.language, () => alignmentPage(page));
}

function alignmentPage({ result, card, made }: AlignmentPage): string {
  const { common, sites, job, epochs, seconds } = result;
  const summary = say`${formatPeople(common)} common to ${Object.keys(sites).length} sites`;
  const opening = verdictHeader({ tone: "none", word: "Aligned", sentence: alignedSentence(result) });
  const settings = provenanceSection({}, result, [
    ["Job", job],
    ["Time", say`${formatSeconds(seconds.total)}; begun ${formatCount(epochs, "time", "times")}`],
    cardRow(card),
  ]);
  return reportPage(summary, made, opening, [sitesSection(sites), coordinatorSection(result), settings]);
}

function cardRow(card: object): readonly [string, Markup] {
  return ["Card, as all signed it", html`<code>${JSON.stringify(card)}</code>`];
}

function sharesSection(result: FederatedResult): PageSection | undefined {
  const tables = shareTables(result, result.k);
  if (tables.length === 0) return undefined;
  const note = html`<p>Shares of groups that are too small to be shown are left out by the site that holds them.</p>`;
  return section("shares", "Shares", sharesTitle, [note, ...tables]);
}

/** With rows split, in a site's own copy: clusters that are fair in all may be unfair there. Where all sites tell, it is among them. */
function ownSection({ own, k, siteShares }: FederatedResult): PageSection | undefined {
  if (!own || siteShares) return undefined;
  const { n, sse, sizes, maxViolation, fair, groups } = own;
  const protects = Object.keys(groups).length > 0;
  const facts = factsTable([
    ["People", formatPeople(n)],
    ["People in each cluster", sizes.map((size) => formatNumber(size)).join(", ")],
    ["SSE around the centres of all", formatNumber(sse)],
    [
      "Largest violation",
      protects
        ? say`${formatBeyond(maxViolation)} people beyond the bounds that follow from the shares here`
        : undefined,
    ],
    ["Within the tolerance here", protects ? (fair ? say`yes` : say`no`) : undefined],
  ]);
  const note = html`<p>Only this site knows these numbers: they are in no letter. Clusters that are fair in all may be unfair here. What is allowed follows from the shares of groups here, unless the card names bounds.</p>`;
  return section("own", "Own people", "The people of this site", [note, facts, ...shareTables(own, k)]);
}

/** With rows split, where the card asks for it and no site has few people somewhere: what each site's own people are like. */
function atSitesSection({ siteShares, k }: FederatedResult): PageSection | undefined {
  if (!siteShares) return undefined;
  const sites = Object.entries(siteShares);
  const table = wideTable(
    say`The people of each site`,
    html`<tr><th scope="col">Site</th><th scope="col" class="n">People</th><th scope="col" class="n">Beyond bounds</th><th scope="col">Within the tolerance here</th><th scope="col" class="n">SSE around the centres of all</th></tr>`,
    sites.map(([site, { n, maxViolation, fair, sse, groups }]) => {
      const protects = Object.keys(groups).length > 0;
      const verdict = protects ? (fair ? say`yes` : say`no`) : "–";
      return html`<tr><th scope="row">${name(site)}</th><td class="n">${formatNumber(n)}</td><td class="n">${protects ? formatBeyond(maxViolation) : "–"}</td><td>${verdict}</td><td class="n">${formatNumber(sse)}</td></tr>`;
    }),
  );
  const note = html`<p>Clusters that are fair in all may be unfair at a site. What is allowed follows from the shares of groups there, unless the card names bounds. Every site’s policy allows that this is shown, and no site has few people of a group in a cluster.</p>`;
  const each = sites.map(([site, own]) => html`<h3>${name(site)}</h3>${shareTables(own, k, "h4")}`);
  return section("at-sites", "Each site", "The people of each site", [note, table, ...each]);
}

function shareTables(
  { groups, bounds }: Pick<FederatedResult, "groups" | "bounds">,
  k: number,
  title: "h3" | "h4" = "h3",
): Markup[] {
  return Object.entries(groups).map(([attribute, shares]) => {
    const rows = Object.entries(shares).map(([group, each]) => {
      const limits = bounds[attribute]?.[group];
      const share = (m: number) => (each[m] === null ? "–" : formatShare(each[m]));
      return { cells: [name(group), limits ? allowedRange(limits) : "–"] as const, cluster: share };
    });
    const titles = ["Group", "Allowed"];
    const table = clusterTables(k, { what: "Shares", label: say`Shares of ${attribute}`, titles }, rows);
    return title === "h3" ? html`<h3>${name(attribute)}</h3>${table}` : html`<h4>${name(attribute)}</h4>${table}`;
  });
}

export function sitesSection(sites: FederatedResult["sites"]): PageSection {
  const body = html`<p>Masked numbers mean nothing by themselves: only their sum over all sites does, and only that was seen. Sealed letters can be opened by their reader alone. What is encrypted can be compared, and nothing else. What is open is known to all sites anyway.</p>
${Object.entries(sites).map(([site, sent]) => siteTable(site, sent))}`;
  return section("sites", "Sites", "What left each site", body);
}

function siteTable(site: string, sent: readonly JournalEntry[]): Markup {
  const total = sent.reduce((bytes, each) => bytes + each.bytes, 0);
  const table = wideTable(
    say`What left ${site}`,
    html`<tr><th scope="col">What</th><th scope="col">One holds</th><th scope="col">Protection</th><th scope="col" class="n">Messages</th><th scope="col" class="n">Bytes</th></tr>`,
    sent.map(
      (each) =>
        html`<tr><th scope="row">${heard(each.kind)}</th><td>${heard(each.shape)}</td><td>${heard(each.protection)}</td><td class="n">${formatNumber(each.messages)}</td><td class="n">${formatBytes(each.bytes)}</td></tr>`,
    ),
  );
  return html`<h3>${name(site)}: ${formatBytes(total)}</h3>${table}`;
}

function coordinatorSection({ coordinator }: Pick<FederatedResult, "coordinator">): PageSection {
  const facts = factsTable(coordinator.map(({ about, seen }) => [heard(about), heard(seen)]));
  const body = html`<p>By inspecting every message, if no site disclosed more to it.</p>\n${facts}`;
  return section("coordinator", "Coordinator", "What the coordinator could learn", body);
}

function settingsSection(result: FederatedResult, card: object): PageSection {
  const { job, version, algorithm, seed, communication, passes, epochs, seconds } = result;
  return provenanceSection({}, { version }, [
    ["Job", job],
    ["Algorithm", algorithm],
    ["Seed", String(seed)],
    ["People and columns", preparationSentences(result).join(" ") || undefined],
    ["Weights and households", linkSentences(result).join(" ") || undefined],
    silhouetteFact(result),
    ["Time", formatSeconds(seconds.total)],
    [
      "Communication",
      say`${formatNumber(communication.rounds)} rounds, ${formatNumber(Math.round(10 * passes) / 10)} passes over everybody, ${formatBytes(communication.bytesUp)} up, ${formatBytes(communication.bytesDown)} down; begun ${formatCount(epochs, "time", "times")}`,
    ],
    cardRow(card),
  ]);
}
