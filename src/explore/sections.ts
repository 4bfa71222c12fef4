import type { ReportParts } from "../report/report.js";
import type { SectionsView } from "./questions.js";

/** Sections of a report as the page shows them, each with an id of its own; `without` those that the page shows in its own way. */
export function partsView(
  { opening, sections }: Pick<ReportParts, "opening" | "sections">,
  prefix = "",
  without: readonly string[] = [],
): SectionsView {
  return {
    opening: opening.text,
    sections: sections
      .filter(({ id }) => !without.includes(id))
      .map(({ id, link, content }) => ({
        id: `${prefix}${id}`,
        link,
        // The same part may stand in the page twice: ids tell them apart.
        markup: content.text.replace(`id="${id}"`, `id="${prefix}${id}"`),
      })),
  };
}
