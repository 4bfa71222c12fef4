import type { LotteryResult, QuotaResult } from "../grouping/lottery/types.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { html, name } from "./html/markup.js";
import { numberTable, type Provenance, provenanceSection, reportPage, section, verdictHeader } from "./html/parts.js";
import { textTable } from "./table.js";

/** A drawn panel for the terminal: quotas, chances, and what certifies them. */
export function lotteryReport(result: LotteryResult, files: readonly string[]): string {
  const { seconds } = result;
  return [
    summaryOf(result),
    "",
    textTable(groupsOf(result), [
      ["group", ({ attribute, group }) => `${attribute} ${group}`],
      ["in the pool", ({ pool }) => formatNumber(pool), "right"],
      ["quota", quotaOf],
      ["drawn", ({ drawn }) => formatNumber(drawn), "right"],
      ["chance of its people", ({ chance }) => formatShare(chance), "right"],
    ]),
    "",
    ...sentencesOf(result),
    `${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ].join("\n");
}

/** The same as one page that needs nothing else. It names nobody. */
export function lotteryPage(result: LotteryResult, from: Provenance = {}): string {
  const { n, seats, kinds, panels, leastChance, greatestChance, equalChance, seconds } = result;
  const [first, ...others] = sentencesOf(result);
  const opening = verdictHeader({
    tone: "good",
    word: "Quotas kept",
    sentence: first,
    notes: others,
    warnings: result.warnings,
    numbers: [
      ["Volunteers", formatNumber(n), `of ${formatCount(kinds, "kind", "kinds")}`],
      ["Seats", formatNumber(seats), `${formatShare(equalChance)} would be everybody’s chance without quotas`],
      ["Least chance", formatShare(leastChance), "the largest that quotas allow"],
      ["Greatest chance", formatShare(greatestChance), "of anybody"],
      ["Panels", formatNumber(panels), "among which one was drawn"],
      ["Time", formatSeconds(seconds.total), `${formatSeconds(seconds.read)} reading`],
    ],
  });
  const table = numberTable(
    "Quotas and chances",
    ["Group", "In the pool", "Quota", "Drawn", "Chance of its people"],
    groupsOf(result).map((each) => [
      html`${name(each.attribute)} ${name(each.group)}`,
      formatNumber(each.pool),
      quotaOf(each),
      formatNumber(each.drawn),
      formatShare(each.chance),
    ]),
  );
  const weights = numberTable(
    "Weights of kinds of people",
    ["Kind", "People", "Weight"],
    result.certificate.slice(0, mostKinds).map(({ groups, people, weight }) => [
      Object.entries(groups)
        .map(([attribute, group]) => `${attribute} ${group}`)
        .join(", "),
      formatNumber(people),
      formatNumber(weight),
    ]),
  );
  const shown = `${formatNumber(Math.min(mostKinds, result.certificate.length))} of ${formatNumber(result.certificate.length)}`;
  return reportPage(summaryOf(result), from.made, opening, [
    section("quotas", "Quotas", "Quotas and chances", table),
    section(
      "certificate",
      "Certificate",
      "Why no lottery gives everybody a larger chance",
      html`<p>Weigh kinds of people as below (${shown} are shown; the JSON result has all). In no panel that keeps the quotas is the weighted mean of the parts that it takes of each kind above ${formatShare(result.bound)}. The weighted mean of everybody’s chances is a mean over panels, so it is not above that either; and nobody’s least chance is above a mean.</p>${weights}`,
    ),
    provenanceSection(from, result, [
      ["Method", "leximin over panels that keep the quotas"],
      [
        "Paper",
        "Flanigan, Gölz, Gupta, Hennig and Procaccia, Fair algorithms for selecting citizens’ assemblies, Nature 596, 2021",
      ],
      ["Drawn by", drawnWords(result)],
    ]),
  ]);
}

/** More kinds than this are neither read nor small. */
const mostKinds = 100;

type QuotaLine = QuotaResult & { readonly attribute: string; readonly group: string };

function groupsOf({ quotas }: LotteryResult): QuotaLine[] {
  return Object.entries(quotas).flatMap(([attribute, groups]) =>
    Object.entries(groups).map(([group, each]) => ({ attribute, group, ...each })),
  );
}

function quotaOf({ min, max }: QuotaLine): string {
  return min === max ? formatNumber(min) : `${formatNumber(min)} to ${formatNumber(max)}`;
}

function summaryOf({ n, seats }: LotteryResult): string {
  return `A panel of ${formatNumber(seats)} drawn from ${formatPeople(n)}`;
}

function drawnWords({ drawnBy }: LotteryResult): string {
  if (drawnBy === "operating system") return "the operating system's randomness, which nobody can foresee or repeat";
  return `seed ${drawnBy.seed}, which anybody can repeat`;
}

function sentencesOf(result: LotteryResult): string[] {
  const { leastChance, greatestChance, equalChance, bound, kinds, panels, leximin } = result;
  const next = leximin ? "; after it the next least is as large as it can be, and so on" : "";
  return [
    `Everybody's chance was at least ${formatShare(leastChance)} and at most ${formatShare(greatestChance)}; without quotas it would be ${formatShare(equalChance)}.`,
    `No lottery that keeps the quotas has a least chance above ${formatShare(bound)}, which is certified${next}.`,
    `People are of ${formatCount(kinds, "kind", "kinds")} by their quotas, and those of one kind had the same chance; one of ${formatCount(panels, "panel", "panels")} was drawn, by ${drawnWords(result)}.`,
  ];
}
