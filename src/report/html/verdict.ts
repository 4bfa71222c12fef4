import { methodFor, methodOf } from "../../algorithms/catalogue.js";
import { costsOf } from "../../algorithms/price-of-fairness.js";
import type { ClusterResult } from "../../algorithms/types.js";
import type { NotionMeasures } from "../../metrics/index.js";
import {
  formatBeyond,
  formatCount,
  formatNumber,
  formatPeople,
  formatPeopleBeyond,
  formatSeconds,
  formatShare,
} from "../format.js";
import { heard, say, told } from "../language.js";
import { notionNumber, notionSentences } from "../notion.js";
import { sizesSentence, smallestSentence } from "../sizes.js";
import { clusterNames, type Tone, toneOf, verdictWords } from "../verdict.js";
import type { Facts } from "./facts.js";
import { html, list, type Markup, name } from "./markup.js";
import { verdictHeader } from "./parts.js";
import { priceNumber } from "./price.js";

/** The answer, before anything else: one sentence, what qualifies it, and the numbers that everybody asks for. */
export function clusterVerdict(result: ClusterResult, facts: Facts): Markup {
  if (result.notion) return notionVerdict(result, result.notion);
  return verdictHeader({
    ...standing(result),
    sentence: verdictSentence(result, facts),
    notes: qualifications(result, facts),
    warnings: result.warnings,
    numbers: numbers(result),
  });
}

/** By another notion than bounds of shares. */
function notionVerdict(result: ClusterResult, notion: NotionMeasures): Markup {
  const { algorithm, warnings, verdict } = result;
  const [sentence = "", ...notes] = notionSentences(notion, verdict!);
  const sized = sizesSentence(result);
  const kept = methodOf(algorithm).notion ?? (methodOf(algorithm).promises.groups ? notion.name : undefined);
  const measured =
    kept === notion.name
      ? []
      : [say`This method (${algorithm}) looks for tight clusters only: this was measured, not sought.`];
  return verdictHeader({
    ...standing(result),
    sentence: html`${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`,
    notes: [...notes, ...(sized === undefined ? [] : [sized]), ...measured].map((note) => html`${note}`),
    warnings,
    numbers: numbers(result),
  });
}

function standing({ verdict, sizesKept, eta }: ClusterResult): { word: string; tone: Tone } {
  if (verdict !== null) return { word: told(verdictWords[verdict]), tone: toneOf(verdict) };
  if (sizesKept !== null) {
    return sizesKept ? { word: "Sizes kept", tone: "good" } : { word: "Sizes not kept", tone: "bad" };
  }
  return { word: eta === null ? say`Nothing protected` : say`Balanced`, tone: "none" };
}

/** For a lawyer: who, where, how much, and against which promise. */
function verdictSentence(result: ClusterResult, facts: Facts): Markup {
  const { fair, verdict, verdictDetails, k, tolerance, maxViolation } = result;
  const attributes = list(facts.attributes.map((attribute) => name(attribute.name)));
  const clusters = k === 1 ? say`In the one cluster` : k === 2 ? say`In both clusters` : say`In all ${k} clusters`;
  const leeway = tolerance > 0 && verdict !== "fair" ? say`, give or take ${formatPeople(tolerance)}` : "";
  const sized = sizesSentence(result);
  if (fair === null && sized !== undefined) return html`${sized} No group was protected.`;
  if (fair === null) {
    return html`No group was protected, so this page describes the clusters but cannot say whether they are fair.`;
  }
  if (verdict === "fair-without-meaning") {
    const small = smallClusters(result);
    return html`Formally every group of ${attributes} is within its bounds${leeway}. But ${clusterNames(small, result)} ${small.length === 1 ? say`is` : say`are`} so small that ${formatPeople(tolerance)} ${tolerance === 1 ? say`is` : say`are`} as much as a whole bound requires: bounds are meaningful in clusters of ${formatPeople(verdictDetails!.meaningfulSize)} or more.`;
  }
  if (fair) {
    return facts.delta === undefined
      ? html`${clusters}, every group of ${attributes} has a share within the bounds that were set for it${leeway}.`
      : html`${clusters}, every group of ${attributes} has between ${percent(1 - facts.delta)} and ${percent(1 / (1 - facts.delta))} of its overall share${leeway}.`;
  }
  if (maxViolation <= tolerance || facts.worst === undefined) {
    return html`Every group of ${attributes} is within its bounds, but some clusters are smaller or larger than was asked for.`;
  }
  const { group, cell } = facts.worst;
  const [missing, limit] = cell.lacking
    ? [say`too few`, say`at least ${formatShare(group.min)}`]
    : [say`too many`, say`at most ${formatShare(group.max)}`];
  return html`In cluster ${cell.cluster}, the group <em>${name(group.name)}</em> of ${name(group.attribute)} has ${formatShare(cell.share)} of the people where ${limit} was asked for: ${formatPeopleBeyond(cell.beyond)} ${missing}.`;
}

/** Clusters in which a bound means nothing. */
function smallClusters({ sizes, verdictDetails }: ClusterResult): number[] {
  const least = verdictDetails?.meaningfulSize ?? 0;
  return sizes.flatMap((size, m) => (size > 0 && size < least ? [m] : []));
}

/** Groups or cells that are named one by one; the others are counted. */
const mostNamed = 12;

function named(items: readonly Markup[], count: number): Markup {
  const shown = items.slice(0, mostNamed);
  return list(count > shown.length ? [...shown, html`${formatNumber(count - shown.length)} more`] : shown);
}

/** Where bounds have no effect, where the tolerance was needed, and for whom nothing can be promised. */
function verdictNotes(result: ClusterResult): Markup[] {
  const { verdictDetails: details, minSizeFrom } = result;
  if (details === null) return [];
  const { rounding, withoutMeaning, tooFew } = details;
  const groupOf = ({ attribute, group }: { attribute: string; group: string }) =>
    html`${name(group)} of ${name(attribute)}`;
  const places = withoutMeaning.groups.map((each) => html`${groupOf(each)} in ${clusterNames(each.clusters, result)}`);
  const remedy = minSizeFrom === "fallback" ? "" : say` --min-size meaningful asks for clusters large enough.`;
  const cells = rounding.cells.map(
    (each) => html`${groupOf(each)} in cluster ${each.cluster} (${formatBeyond(each.people)})`,
  );
  const smallest = smallestSentence(result);
  return [
    places.length > 0 ? html`Bounds without effect: ${named(places, places.length)}.${remedy}` : undefined,
    rounding.count > 0
      ? html`Beyond the bounds by no more than the tolerance, in people: ${named(cells, rounding.count)}.`
      : undefined,
    tooFew.length > 0
      ? html`Too few for a promise in clusters of average size: ${named(tooFew.map(groupOf), tooFew.length)}.`
      : undefined,
    smallest === undefined ? undefined : html`${smallest}`,
  ].filter((note) => note !== undefined);
}

/** What a fair reader would want to know before quoting the verdict. */
function qualifications(result: ClusterResult, facts: Facts): Markup[] {
  const { fair, k, tolerance, algorithm } = result;
  const notes: Markup[] = [];
  if (facts.broken > 0) {
    notes.push(
      html`${formatNumber(facts.broken)} of ${formatCount(facts.pairs, "share", "shares")} (each group in each cluster) are beyond their bounds by more than ${formatPeople(tolerance)}, in ${clusterNames(facts.brokenClusters, result)}.`,
    );
  }
  notes.push(...verdictNotes(result));
  if (fair !== null) {
    const { outsideRule, shares, furthestOutside } = facts;
    const excuse = furthestOutside <= tolerance ? say`: no more than is tolerated` : "";
    notes.push(
      outsideRule === 0
        ? html`The 80% rule holds everywhere: no group has less than 80% or more than 125% of its overall share in any cluster.`
        : html`By the 80% rule, ${formatNumber(outsideRule)} of ${formatCount(shares, "share", "shares")} would stand out (marked ◇ below), by ${formatPeopleBeyond(furthestOutside)} at most${excuse}.`,
    );
  }
  const sized = sizesSentence(result);
  if (fair !== null && sized !== undefined) notes.push(html`${sized}`);
  const { promises, privacy } = methodOf(algorithm);
  if (fair !== null && !promises.groups) {
    const seeks =
      result.eta === null && result.sizesKept === null ? say`tight clusters` : say`tight clusters of even size`;
    const keeper = methodFor("groups").name;
    notes.push(
      result.privacy && privacy
        ? html`${algorithm} seeks ${heard(privacy.seeks)}. The bounds here were measured on the true counts, not enforced: ${keeper} keeps bounds, without privacy.`
        : html`This method (${algorithm}) looks for ${seeks} only. The bounds were measured, not enforced: ${keeper} keeps them.`,
    );
  }
  if (k === 1) notes.push(html`With a single cluster, every share is the overall share.`);
  return notes;
}

function numbers(result: ClusterResult): [string, string, string][] {
  const { n, k, d, fair, maxViolation, tolerance, seconds, iterations, converged, sizes, notion } = result;
  const smallest = Math.min(...sizes);
  return [
    ["People", formatNumber(n), formatCount(d, "dimension", "dimensions")],
    ["Clusters", formatNumber(k), say`of ${formatNumber(smallest)} to ${formatPeople(Math.max(...sizes))}`],
    notion
      ? notionNumber(notion)
      : [
          say`Largest violation`,
          fair === null ? "–" : `${formatBeyond(maxViolation)}`,
          fair === null ? say`nothing protected` : say`beyond the bounds; ${formatNumber(tolerance)} allowed`,
        ],
    ["Price of fairness", ...priceNumber(result)],
    result.distance
      ? [say`Sum of distances`, formatNumber(costsOf(result).cost), say`Manhattan, to the medians`]
      : ["SSE", formatNumber(result.sse), say`sum of squared distances`],
    [
      "Time",
      formatSeconds(seconds.total),
      `${formatCount(iterations, "pass", "passes")}, ${converged ? say`converged` : say`not converged`}`,
    ],
  ];
}

function percent(ratio: number): string {
  return Number.isFinite(ratio) ? say`${formatNumber(Number((100 * ratio).toFixed(1)))}%` : say`any multiple`;
}
