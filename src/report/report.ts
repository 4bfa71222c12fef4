import type { PeopleClustering } from "../algorithms/types.js";
import type { People } from "../table/types.js";
import { columnsSection } from "./columns.js";
import { formatCount, formatPeople } from "./format.js";
import { convergenceSection } from "./html/convergence.js";
import { gatherFacts } from "./html/facts.js";
import { mapSection } from "./html/map.js";
import { html, type Markup } from "./html/markup.js";
import { notionSection } from "./html/notion.js";
import { type PageSection, type Provenance, reportPage } from "./html/parts.js";
import { portraitsSection } from "./html/portraits.js";
import { priceSection } from "./html/price.js";
import { ownerNotice, privacySection } from "./html/privacy.js";
import { profileOf } from "./html/profile.js";
import { clusterProvenance } from "./html/provenance.js";
import { sharesSection } from "./html/shares.js";
import { sizesSection } from "./html/sizes.js";
import { clusterVerdict } from "./html/verdict.js";
import { say } from "./language.js";
import { speaking } from "./speaking.js";

export interface ReportInput extends Provenance {
  readonly people: People;
  readonly clustering: PeopleClustering;
}

export interface ReportParts {
  readonly summary: string;
  readonly opening: Markup;
  readonly sections: readonly PageSection[];
}

/**
 * A clustering as one HTML page that needs nothing else: no network, no script, no fonts. The same input gives the same
 * page, and its size does not grow with the number of people. It shows positions of a sample of individuals, never ids.
 */
export function renderReport(input: ReportInput): string {
  return speaking(input.language, () => {
    const { summary, opening, sections } = reportParts(input);
    return reportPage(summary, input.made, opening, sections);
  });
}

/** What a report says, part by part, for pages that show it in a frame of their own and some of it in their own way. */
export function reportParts(input: ReportInput, without: readonly string[] = []): ReportParts {
  return speaking(input.language, () => partsOf(input, without));
}

function partsOf({ people, clustering, ...provenance }: ReportInput, without: readonly string[]): ReportParts {
  const { result } = clustering;
  const facts = gatherFacts(people, clustering);
  const profile = profileOf(people, clustering);
  const summary = say`${formatPeople(result.n)} in ${formatCount(result.k, "cluster", "clusters")}`;
  const opening = html`${ownerNotice(result)}\n${clusterVerdict(result, facts)}`;
  const sections: Readonly<Record<string, () => PageSection | undefined>> = {
    notion: () => notionSection(result),
    shares: () => sharesSection(result, facts),
    privacy: () => privacySection(result),
    sizes: () => sizesSection(result),
    map: () => mapSection(people, clustering),
    convergence: () => convergenceSection(clustering),
    portraits: () => portraitsSection(result, profile),
    price: () => priceSection(result, profile.totalSquares),
    columns: () => columnsSection(result),
    provenance: () => clusterProvenance(people, result, facts, provenance),
  };
  const wanted = Object.entries(sections).filter(([id]) => !without.includes(id));
  return {
    summary,
    opening,
    sections: wanted.map(([, make]) => make()).filter((section) => section !== undefined),
  };
}
