import type { PeopleClustering } from "../algorithms/types.js";
import type { People } from "../table/types.js";
import { columnsSection } from "./columns.js";
import { formatCount, formatPeople } from "./format.js";
import { convergenceSection } from "./html/convergence.js";
import { gatherFacts } from "./html/facts.js";
import { mapSection } from "./html/map.js";
import { html } from "./html/markup.js";
import { page } from "./html/page.js";
import { portraitsSection } from "./html/portraits.js";
import { priceSection } from "./html/price.js";
import { ownerNotice, privacySection } from "./html/privacy.js";
import { profileOf } from "./html/profile.js";
import { type Provenance, provenanceSection } from "./html/provenance.js";
import { sharesSection } from "./html/shares.js";
import { sizesSection } from "./html/sizes.js";
import { verdictSection } from "./html/verdict.js";

export interface ReportInput extends Provenance {
  readonly people: People;
  readonly clustering: PeopleClustering;
}

/**
 * A clustering as one HTML page that needs nothing else: no network, no script, no fonts. The same input gives the same
 * page, and its size does not grow with the number of people. It shows positions of a sample of individuals, never ids.
 */
export function renderReport({ people, clustering, ...provenance }: ReportInput): string {
  const { result } = clustering;
  const facts = gatherFacts(people, clustering);
  const profile = profileOf(people, clustering);
  const links = [
    ...(facts.attributes.length > 0 ? [["shares", "Shares"]] : []),
    ...(result.privacy === undefined ? [] : [["privacy", "Privacy"]]),
    ["sizes", "Sizes"],
    ["map", "Map"],
    ["convergence", "Convergence"],
    ["portraits", "Portraits"],
    ["price", "Price"],
    ["columns", "Columns"],
    ["provenance", "Settings"],
  ];
  const summary = `${formatPeople(result.n)} in ${formatCount(result.k, "cluster", "clusters")}`;
  return page(
    `${summary} · Moiety report`,
    html`<div class="top"><h1>Moiety report</h1><span>${summary}${provenance.made === undefined ? "" : `, ${provenance.made}`}</span></div>
${ownerNotice(result)}
${verdictSection(result, facts)}
<nav aria-label="Sections">${links.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>
${sharesSection(result, facts)}
${privacySection(result)}
${sizesSection(result)}
${mapSection(people, clustering)}
${convergenceSection(clustering)}
${portraitsSection(result, profile)}
${priceSection(result, profile.totalSquares)}
${columnsSection(result)}
${provenanceSection(people, result, facts, provenance)}`,
  );
}
