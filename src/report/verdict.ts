import type { Judgement, NotionMeasures, Verdict } from "../metrics/index.js";
import { formatBeyond, formatList, formatNumber, formatPeople, formatPeopleBeyond } from "./format.js";
import { groupNameWith } from "./group-name.js";
import { say, told } from "./language.js";
import { notionSentences } from "./notion.js";

/** What the sentences about a verdict are made of. */
export interface JudgedResult extends Judgement {
  readonly sizes: readonly number[];
  /** null where it is not shown. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;
  readonly fair: boolean | null;
  readonly maxViolation: number;
  readonly tolerance: number;
  /** What was judged instead of bounds of shares. */
  readonly notion?: NotionMeasures;
}

export const verdictWords: Readonly<Record<Verdict, string>> = {
  fair: "Fair",
  "fair-to-rounding": "Fair to rounding",
  "fair-without-meaning": "Fair without meaning",
  unfair: "Not fair",
  "least-found": "Least found",
  "not-least": "Not the least",
};

/** The colour that a page gives it. */
export type Tone = "good" | "doubtful" | "bad" | "none";

export const marks: Readonly<Record<Tone, string>> = { good: "✓", doubtful: "!", bad: "✕", none: "–" };

export function toneOf(verdict: Verdict | null): Tone {
  if (verdict === null) return "none";
  if (verdict === "unfair" || verdict === "not-least") return "bad";
  return verdict === "fair-without-meaning" ? "doubtful" : "good";
}

/** More groups, or clusters of one group, are counted rather than named. */
const mostNamed = { groups: 5, clusters: 12 } as const;

/** What people were divided into. */
export type PartWord = "cluster" | "team";

/**
 * The verdict in plain sentences: what it is, where, and from which size on it would mean something. None when nothing is
 * protected. `remedy` is what asks for that size.
 */
export function verdictSentences(
  result: JudgedResult,
  remedy = "--min-size meaningful asks for that",
  dividedInto: PartWord = "cluster",
): string[] {
  const part = told(dividedInto);
  const { verdict, verdictDetails: details, maxViolation, tolerance, notion } = result;
  const sizes = say`some ${part}s are smaller or larger than was asked for`;
  if (verdict === "unfair" && notion?.name === "representation" && notion.lacking.length === 0) {
    const why = hasHidden(result) ? say`groups that are not shown have too small a share, or ${sizes}` : sizes;
    return [`${told(verdictWords[verdict])}: ${why}.`];
  }
  if (verdict !== null && notion) {
    const [first, ...rest] = notionSentences(notion, verdict);
    return [`${verdictWords[verdict]}: ${first}`, ...rest];
  }
  if (verdict === null || details === null) return [];
  const allowed = say`(tolerance: ${formatPeople(tolerance)})`;
  const beyond = say`${formatPeopleBeyond(maxViolation)} beyond the bounds`;
  const word = told(verdictWords[verdict]);
  const few = details.tooFew.length > 0 ? [tooFewSentence(details.tooFew, dividedInto)] : [];
  if (verdict === "fair") return [say`${word}: every group is within its bounds in every ${part} ${allowed}.`, ...few];
  if (verdict === "unfair") {
    if (maxViolation > tolerance) return [say`${word}: ${beyond} in the worst group and ${part} ${allowed}.`, ...few];
    const why = hasHidden(result) ? say`groups that are not shown are beyond their bounds, or ${sizes}` : sizes;
    return [
      say`${word}: ${why}; ${hasHidden(result) ? say`those that are shown` : say`groups`} are within their bounds.`,
      ...few,
    ];
  }
  if (verdict === "fair-to-rounding") {
    const { count, cells } = details.rounding;
    const places = cells.map(
      ({ attribute, group, cluster, people }) =>
        say`${attribute} ${inWords(group)} in ${part} ${cluster} (${formatBeyond(people)})`,
    );
    const where = count > 0 ? say` Where: ${firstOf(places, count)}.` : "";
    return [say`${word}: at most ${beyond} in any group and ${part} ${allowed}.${where}`, ...few];
  }
  const { groups } = details.withoutMeaning;
  const where = groups.map(
    ({ attribute, group, clusters }) =>
      say`${attribute} ${inWords(group)} in ${clusterNames(clusters, result, dividedInto)}`,
  );
  const letter =
    maxViolation > 0 ? say`at most ${beyond} in any group and ${part}` : say`no group is beyond its bounds`;
  const size = say`In ${part}s of ${formatPeople(details.meaningfulSize)} or more the bounds mean something`;
  return [
    say`${word}: ${letter}, but the tolerance of ${formatPeople(tolerance)} is as much as whole bounds ask for: ${firstOf(where, where.length)}. ${size}${remedy === "" ? "" : `: ${remedy}`}.`,
    ...few,
  ];
}

/** A group of numbers is named in the language that is spoken. */
function inWords(group: string): string {
  return groupNameWith(told("to"), group);
}

function hasHidden({ groups }: JudgedResult): boolean {
  return Object.values(groups).some((each) => Object.values(each).some((shares) => shares.includes(null)));
}

function tooFewSentence(
  groups: readonly { readonly attribute: string; readonly group: string }[],
  dividedInto: PartWord,
): string {
  const part = told(dividedInto);
  const names = groups.map(({ attribute, group }) => `${attribute} ${inWords(group)}`);
  return say`Too few for a promise in ${part}s of average size: ${firstOf(names, names.length)}.`;
}

function firstOf(items: readonly string[], count: number): string {
  const shown = items.slice(0, mostNamed.groups);
  return formatList(count > shown.length ? [...shown, say`${formatNumber(count - shown.length)} more`] : shown);
}

/** "cluster 4", "clusters 1, 3 and 4", "all 6 clusters". */
export function clusterNames(
  clusters: readonly number[],
  { sizes }: Pick<JudgedResult, "sizes">,
  dividedInto: PartWord = "cluster",
): string {
  const part = told(dividedInto);
  const k = sizes.length;
  if (clusters.length === k)
    return k === 1 ? say`the one ${part}` : k === 2 ? say`both ${part}s` : say`all ${k} ${part}s`;
  const shown = clusters.slice(0, mostNamed.clusters).map(String);
  const more = clusters.length > shown.length ? [say`${formatNumber(clusters.length - shown.length)} more`] : [];
  const all = formatList([...shown, ...more]);
  return clusters.length === 1 ? `${part} ${all}` : say`${part}s ${all}`;
}
