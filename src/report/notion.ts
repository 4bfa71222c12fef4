import type {
  IndividualMeasures,
  NotionMeasures,
  RepresentationMeasures,
  SocialMeasures,
  Verdict,
} from "../metrics/index.js";
import { formatCount, formatList, formatNumber, formatPeople, formatShare } from "./format.js";
import { say } from "./language.js";
import { textTable } from "./table.js";

/** What came of another notion than bounds of shares, in plain sentences; the first goes on from the verdict's word and a colon. */
export function notionSentences(notion: NotionMeasures, verdict: Verdict): string[] {
  if (notion.name === "social") return socialSentences(notion);
  return [notion.name === "representation" ? representationSentence(notion, verdict) : individualSentence(notion)];
}

function socialSentences({ worst, further, plain }: SocialMeasures): string[] {
  const cost = say`the worst-off group, ${worst.attribute} ${worst.group}, has a mean cost of ${formatNumber(worst.cost)}`;
  const before = plain
    ? say`; of plain k-means the worst-off, ${plain.worst.attribute} ${plain.worst.group}, has ${formatNumber(plain.worst.cost)} (${changeOf(worst.cost, plain.worst.cost)})`
    : "";
  const optimum =
    further < 0.01
      ? say`A local optimum, which another round would not lower by 1%; other clusters may be better still. No cost is called fair: there is no threshold.`
      : say`Another round of the search for it would lower that by ${formatShare(further)}.`;
  return [`${cost}${before}.`, optimum];
}

/** "-9.8%" from the second to the first. */
function changeOf(now: number, before: number): string {
  if (before === 0) return now === 0 ? say`no change` : say`from 0`;
  const change = now / before - 1;
  if (Math.abs(change) < 5e-5) return say`no change`;
  return `${change > 0 ? "+" : "-"}${formatShare(Math.abs(change))}`;
}

function representationSentence({ share, clusters, lacking, plain }: RepresentationMeasures, verdict: Verdict): string {
  const asked = say`at least ${formatShare(share)} of at least ${formatCount(clusters, "cluster", "clusters")}`;
  const names = (groups: RepresentationMeasures["lacking"]) =>
    formatList(groups.slice(0, 5).map(({ attribute, group }) => `${attribute} ${group}`)) +
    (groups.length > 5 ? say` and ${formatNumber(groups.length - 5)} more` : "");
  const before = plain
    ? plain.lacking.length === 0
      ? say`, and had it under plain k-means`
      : say`; under plain k-means ${names(plain.lacking)} had not`
    : "";
  if (lacking.length > 0)
    return say`${names(lacking)} ${lacking.length === 1 ? say`has` : say`have`} not ${asked}${before}.`;
  const meaning =
    verdict === "fair-without-meaning"
      ? say`; but in some clusters that it counts the tolerance is as much as the whole share`
      : "";
  return say`every group has ${asked}${meaning}${before}.`;
}

function individualSentence(notion: IndividualMeasures): string {
  const { factor, neighbours, beyond, plain } = notion;
  const before = plain ? say`; under plain k-means ${timesOf(plain)}, with ${formatPeople(plain.beyond)} beyond` : "";
  const where = say`the distance to their ${ordinal(neighbours)} nearest person, themselves counted`;
  return beyond === 0
    ? say`nobody is further from the nearest centre than ${timesOf(notion)} ${where} (asked for: ${formatNumber(factor)})${before}.`
    : say`${formatPeople(beyond)} ${beyond === 1 ? say`is` : say`are`} further from the nearest centre than ${formatNumber(factor)} times ${where}; the furthest ${timesOf(notion)}${before}.`;
}

/** "1.83 times". */
function timesOf({ largestRatio }: Pick<IndividualMeasures, "largestRatio">): string {
  return largestRatio === "inf" ? say`any number of times` : say`${formatNumber(largestRatio)} times`;
}

function ordinal(count: number): string {
  const [tens, ones] = [count % 100, count % 10];
  const ending = tens >= 11 && tens <= 13 ? say`th` : (["th", "st", "nd", "rd"][ones] ?? "th");
  return `${formatNumber(count)}${ending}`;
}

/** One line of the table by group: its name, and what the notion says of it. */
export interface NotionLine {
  readonly group: string;
  readonly cells: readonly string[];
}

/** A table by group, where the notion is about groups. */
export function notionLines(
  notion: NotionMeasures,
): { titles: readonly string[]; lines: readonly NotionLine[] } | undefined {
  if (notion.name === "individual") return undefined;
  if (notion.name === "social") {
    const { costs, plain } = notion;
    const lines = eachGroup(costs, (cost, attribute, group) => {
      const before = plain?.costs[attribute][group];
      return [formatNumber(cost), ...(before === undefined ? [] : [formatNumber(before), changeOf(cost, before)])];
    });
    return { titles: ["mean cost", ...(plain ? [say`plain k-means`, "change"] : [])], lines };
  }
  const { represented, plain } = notion;
  const list = (found: readonly number[]) =>
    found.length === 0
      ? say`none`
      : found.slice(0, 12).join(", ") + (found.length > 12 ? say` and ${found.length - 12} more` : "");
  const lines = eachGroup(represented, (found, attribute, group) => {
    const before = plain?.represented[attribute][group];
    return [formatNumber(found.length), list(found), ...(before ? [list(before)] : [])];
  });
  return { titles: ["clusters", "which", ...(plain ? [say`under plain k-means`] : [])], lines };
}

function eachGroup<Value>(
  values: Readonly<Record<string, Readonly<Record<string, Value>>>>,
  cells: (value: Value, attribute: string, group: string) => string[],
): NotionLine[] {
  return Object.entries(values).flatMap(([attribute, groups]) =>
    Object.entries(groups).map(([group, value]) => ({
      group: `${attribute} ${group}`,
      cells: cells(value, attribute, group),
    })),
  );
}

/** The same for the terminal, and an empty line; nothing where the notion is about single people. */
export function notionTable(notion: NotionMeasures): string[] {
  const table = notionLines(notion);
  if (!table || table.lines.length === 0) return [];
  const right = notion.name === "social";
  const columns = table.titles.map((title, at) => {
    const text = ({ cells }: NotionLine) => cells[at];
    return right ? ([title, text, "right"] as const) : ([title, text] as const);
  });
  return [textTable(table.lines, [["group", ({ group }) => group], ...columns]), ""];
}

/** The number that everybody asks for first: its title, itself, and what it is. */
export function notionNumber(notion: NotionMeasures): [string, string, string] {
  if (notion.name === "social") {
    return [
      "Worst-off group",
      formatNumber(notion.worst.cost),
      say`mean cost of ${notion.worst.attribute} ${notion.worst.group}`,
    ];
  }
  if (notion.name === "individual") {
    const ratio = notion.largestRatio === "inf" ? "∞" : formatNumber(notion.largestRatio);
    return ["Largest ratio", ratio, say`to the n/k-th neighbour; ${formatNumber(notion.factor)} allowed`];
  }
  return [
    "Groups not represented",
    formatNumber(notion.lacking.length),
    say`in ${formatCount(notion.clusters, "cluster", "clusters")} with ${formatShare(notion.share)}`,
  ];
}
