import type { AlikeDimension, TeamResult } from "../grouping/types.js";
import { columnLines } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatSeconds, formatShare } from "./format.js";
import { textTable } from "./table.js";
import { verdictSentences } from "./verdict.js";

/** Nobody reads more lines than this: of more dimensions or groups those are shown in which teams differ most. */
const mostLines = 25;

/** Teams for the terminal: how alike they are, what groups have of them, and what came of the request. */
export function teamReport(result: TeamResult, files: readonly string[]): string {
  const { seed, seconds, exchanges } = result;
  const groups = teamGroups(result);
  return [
    `${teamSummary(result)}, seed ${seed}`,
    ...columnLines(result),
    "",
    alikeTable(result),
    "",
    ...(groups.length > 0 ? [groupsTable(groups), ""] : []),
    ...verdictSentences(result, "", "team"),
    alikeSentence(result),
    ...linkSentences(result),
    `${formatSeconds(seconds.total)} in all: ${formatSeconds(seconds.read)} reading, ${formatSeconds(seconds.solve)} for ${formatCount(exchanges, "exchange", "exchanges")}.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ].join("\n");
}

/** "23 people in 5 teams of 4 to 5". */
export function teamSummary({ n, k, sizes }: TeamResult): string {
  const [least, most] = extremes(sizes);
  const range = least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
  return `${formatPeople(n)} in ${formatCount(k, "team", "teams")} of ${range}`;
}

/** How far teams are apart, against teams made by chance. */
export function alikeSentence({ objective, randomObjective, alike }: TeamResult): string {
  const what = alike === "spread" ? "means and spreads" : "means";
  if (randomObjective === 0) return "There is one team, or nothing in which teams could differ.";
  return `Teams differ in ${what} by ${formatShare(objective / randomObjective)} of what teams made by chance would, as sums of squares.`;
}

export function linkSentences({ links }: TeamResult): string[] {
  if (!links) return [];
  const { together, apart } = links;
  return [
    ...(together > 0 ? [`${formatPeople(together)} share a team with those they belong to.`] : []),
    ...(apart > 0 ? [`Nobody shares a team with those they must not meet, which are ${formatPeople(apart)}.`] : []),
    ...(together + apart === 0 ? ["The columns of links have no value twice: nobody is linked."] : []),
  ];
}

export function extremes(values: readonly number[]): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

/** The dimensions in which teams differ most, in their order, and a line about the others. */
export function mostApart({ dimensions }: TeamResult, most: number): { shown: AlikeDimension[]; note: string } {
  const worst = new Set([...dimensions].sort((a, b) => b.spread - a.spread).slice(0, most));
  const hidden = dimensions.length - worst.size;
  const note = `The ${worst.size} in which teams differ most; the other ${formatNumber(hidden)} are closer to each other.`;
  return { shown: dimensions.filter((each) => worst.has(each)), note: hidden > 0 ? note : "" };
}

function alikeTable(result: TeamResult): string {
  const { shown, note } = mostApart(result, mostLines);
  const table = textTable(shown, [
    ["column", ({ name }) => name],
    ["everybody", ({ mean }) => formatNumber(mean), "right"],
    ["lowest team", ({ lowest }) => formatNumber(lowest), "right"],
    ["highest team", ({ highest }) => formatNumber(highest), "right"],
    ["means apart", ({ spread }) => inDeviations(spread), "right"],
    ["spreads apart", ({ inside }) => (inside === null ? "" : inDeviations(inside)), "right"],
    ["by chance", () => inDeviations(result.randomSpread), "right"],
  ]);
  const units = "Apart: root mean square over the teams, in standard deviations of the column.";
  return [table, "", ...(note === "" ? [] : [note]), units].join("\n");
}

export function inDeviations(spread: number): string {
  return spread < 0.0005 && spread > 0 ? "< 0.001" : spread.toFixed(3);
}

export interface TeamGroup {
  readonly name: string;
  readonly attribute: string;
  readonly group: string;
  readonly min: number;
  readonly max: number;
  /** Members in all, and in the teams with the fewest and the most. */
  readonly members: number;
  readonly fewest: number;
  readonly most: number;
}

/** What each group has of the teams. */
export function teamGroups({ groups, bounds, sizes }: TeamResult): TeamGroup[] {
  return Object.entries(groups).flatMap(([attribute, each]) =>
    Object.entries(each).map(([group, shares]) => {
      const counts = shares.map((share, t) => Math.round(share * sizes[t]));
      const [fewest, most] = extremes(counts);
      const { min, max } = bounds[attribute][group];
      const members = counts.reduce((sum, count) => sum + count, 0);
      return { name: `${attribute} ${group}`, attribute, group, min, max, members, fewest, most };
    }),
  );
}

function groupsTable(groups: readonly TeamGroup[]): string {
  const everybody = new Map<string, number>();
  for (const { attribute, members } of groups) everybody.set(attribute, (everybody.get(attribute) ?? 0) + members);
  const table = textTable(groups.slice(0, mostLines), [
    ["group", ({ name }) => name],
    ["share", ({ attribute, members }) => formatShare(members / everybody.get(attribute)!), "right"],
    ["allowed in each team", ({ min, max }) => `${formatShare(min)} to ${formatShare(max)}`],
    ["fewest in a team", ({ fewest }) => formatNumber(fewest), "right"],
    ["most", ({ most }) => formatNumber(most), "right"],
  ]);
  const hidden = groups.length - mostLines;
  return hidden > 0 ? `${table}\n\n${formatNumber(hidden)} more groups: --json has all of them.` : table;
}
