import type { TeamResult } from "../grouping/types.js";
import { columnsSection } from "./columns.js";
import { formatBeyond, formatCount, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { html, name } from "./html/markup.js";
import {
  numberTable,
  type PageSection,
  type Provenance,
  provenanceSection,
  reportPage,
  section,
  verdictHeader,
} from "./html/parts.js";
import { allowedRange } from "./html/shares.js";
import { alikeSentence, extremes, inDeviations, linkSentences, mostApart, teamGroups, teamSummary } from "./teams.js";
import { toneOf, verdictSentences, verdictWords } from "./verdict.js";

/** More rows than this are neither read nor small. */
const mostRows = 200;

/** Teams as one page that needs nothing else: how alike they are, and what each group has of them. It names nobody. */
export function teamsPage(result: TeamResult, from: Provenance = {}): string {
  return reportPage(teamSummary(result), from.made, header(result), [
    alikeSection(result),
    groupsSection(result),
    sizesTableSection(result),
    columnsSection(result),
    provenance(result, from),
  ]);
}

function header(result: TeamResult) {
  const { verdict, n, d, k, sizes, objective, randomObjective, fair, maxViolation, tolerance, seconds, exchanges } =
    result;
  const [least, most] = extremes(sizes);
  const sentences = [...verdictSentences(result, "", "team"), alikeSentence(result)];
  return verdictHeader({
    tone: toneOf(verdict),
    word: verdict === null ? "Nothing protected" : verdictWords[verdict],
    sentence: sentences[0],
    notes: [...sentences.slice(1), ...linkSentences(result)],
    warnings: result.warnings,
    numbers: [
      ["People", formatNumber(n), formatCount(d, "dimension", "dimensions")],
      ["Teams", formatNumber(k), `of ${peopleFrom(least, most)}`],
      [
        "Differences",
        randomObjective > 0 ? formatShare(objective / randomObjective) : "–",
        "of those of teams made by chance",
      ],
      [
        "Largest violation",
        fair === null ? "–" : formatBeyond(maxViolation),
        fair === null ? "nothing protected" : `beyond the bounds; ${formatNumber(tolerance)} allowed`,
      ],
      ["Time", formatSeconds(seconds.total), formatCount(exchanges, "exchange", "exchanges")],
    ],
  });
}

function alikeSection(result: TeamResult): PageSection {
  const { shown, note } = mostApart(result, mostRows);
  const table = numberTable(
    "How far teams are apart",
    ["Column", "Everybody", "Deviation", "Lowest team", "Highest team", "Means apart", "Spreads apart", "By chance"],
    shown.map((each) => [
      name(each.name),
      formatNumber(each.mean),
      formatNumber(each.deviation),
      formatNumber(each.lowest),
      formatNumber(each.highest),
      inDeviations(each.spread),
      each.inside === null ? "–" : inDeviations(each.inside),
      inDeviations(result.randomSpread),
    ]),
  );
  const body = html`<p>The mean of each team in each column, or the share of a category. How far means are apart is the root mean square of their distances from everybody’s mean, in standard deviations of the column. How far spreads are apart is the same of the squared distances from everybody’s mean: where it is small, every team has its part of both ends. Teams made by chance would be as far apart as the last column says.</p>
${table}${note === "" ? undefined : html`<p class="aside">${note}</p>`}`;
  return section("alike", "Alike", "How alike the teams are", body);
}

function groupsSection(result: TeamResult): PageSection | undefined {
  const groups = teamGroups(result);
  if (groups.length === 0) return undefined;
  const table = numberTable(
    "What each group has of the teams",
    ["Group", "Share of everybody", "Allowed in each team", "Fewest in a team", "Most in a team"],
    groups
      .slice(0, mostRows)
      .map(({ attribute, group, min, max, members, fewest, most }) => [
        html`${name(attribute)} ${name(group)}`,
        html`${formatShare(members / result.n)}<small>${formatNumber(members)}</small>`,
        allowedRange({ min, max }),
        formatNumber(fewest),
        formatNumber(most),
      ]),
  );
  const body = html`<p>Bounds are shares of each team; ${formatPeople(result.tolerance)} beyond them ${result.tolerance === 1 ? "is" : "are"} tolerated, since people are whole.</p>
${table}`;
  return section("shares", "Shares", "What each group has of the teams", body);
}

function sizesTableSection({ sizes }: TeamResult): PageSection {
  const teams = new Map<number, number>();
  for (const size of sizes) teams.set(size, (teams.get(size) ?? 0) + 1);
  const rows = [...teams].sort(([one], [other]) => one - other);
  const table = numberTable(
    "Teams of each size",
    ["Size", "Teams"],
    rows.slice(0, mostRows).map(([size, count]) => [formatPeople(size), formatNumber(count)]),
  );
  return section("sizes", "Sizes", "How large the teams are", table);
}

function provenance(result: TeamResult, from: Provenance): PageSection {
  const { seed, alike, tolerance, fair, tried, minSize, maxSize } = result;
  return provenanceSection(
    from,
    result,
    [
      ["Method", alike === "spread" ? "k-plus anticlustering by exchanges" : "k-means anticlustering by exchanges"],
      ["Paper", "Papenberg and Klau 2021, Papenberg 2024"],
      ["Seed", `${seed}; the same people, options and seed give the same teams`],
      ["Sizes asked for", peopleFrom(minSize, maxSize)],
      ["Tolerance", fair === null ? undefined : `${formatPeople(tolerance)} in each group and team`],
      ["Exchanges tried", formatNumber(tried)],
    ],
    "Fair here means that protected groups are represented in every team within the stated bounds. It says nothing about what is done with the teams, and nothing about groups that were not protected.",
  );
}

function peopleFrom(least: number, most: number): string {
  return least === most ? formatPeople(least) : `${formatNumber(least)} to ${formatPeople(most)}`;
}
