import type { PeopleClustering } from "../algorithms/types.js";
import type { People } from "../table/types.js";
import { columnsSection } from "./columns.js";
import { formatCount, formatPeople } from "./format.js";
import { convergenceSection } from "./html/convergence.js";
import { gatherFacts } from "./html/facts.js";
import { mapSection } from "./html/map.js";
import { html } from "./html/markup.js";
import { notionSection } from "./html/notion.js";
import { type Provenance, reportPage } from "./html/parts.js";
import { portraitsSection } from "./html/portraits.js";
import { priceSection } from "./html/price.js";
import { ownerNotice, privacySection } from "./html/privacy.js";
import { profileOf } from "./html/profile.js";
import { clusterProvenance } from "./html/provenance.js";
import { sharesSection } from "./html/shares.js";
import { sizesSection } from "./html/sizes.js";
import { clusterVerdict } from "./html/verdict.js";

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
  const summary = `${formatPeople(result.n)} in ${formatCount(result.k, "cluster", "clusters")}`;
  const opening = html`${ownerNotice(result)}\n${clusterVerdict(result, facts)}`;
  return reportPage(summary, provenance.made, opening, [
    notionSection(result),
    sharesSection(result, facts),
    privacySection(result),
    sizesSection(result),
    mapSection(people, clustering),
    convergenceSection(clustering),
    portraitsSection(result, profile),
    priceSection(result, profile.totalSquares),
    columnsSection(result),
    clusterProvenance(people, result, facts, provenance),
  ]);
}
