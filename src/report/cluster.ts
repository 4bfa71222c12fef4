import { costsOf, priceOf } from "../algorithms/price-of-fairness.js";
import type { ClusterResult } from "../algorithms/types.js";
import { columnLines } from "./columns.js";
import { capitalised, costName } from "./costs.js";
import {
  formatCount,
  formatList,
  formatNumber,
  formatPeople,
  formatPrice,
  formatSeconds,
  formatShare,
} from "./format.js";
import { linkSentences } from "./links.js";
import { methodWords } from "./method.js";
import { notionTable } from "./notion.js";
import { privacySentences } from "./privacy.js";
import { clusterSharesTable } from "./shares.js";
import { silhouetteSentence } from "./silhouette.js";
import { sizesSentence, smallestSentence } from "./sizes.js";
import { verdictSentences } from "./verdict.js";

/** A clustering for the terminal: the clusters, and then in sentences what came of the request. */
export function clusterReport(result: ClusterResult, files: readonly string[]): string {
  const { algorithm, n, d, k, seed, iterations, converged, seconds } = result;
  const { read, seed: seeding, solve, total } = seconds;
  return [
    `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} by ${algorithm}, ${formatCount(d, "dimension", "dimensions")}, seed ${seed}`,
    ...columnLines(result),
    ...linkSentences(result),
    "",
    clusterSharesTable(result),
    "",
    ...(result.notion ? notionTable(result.notion) : []),
    // Where larger clusters are not feasible, a warning says so.
    ...verdictSentences(result, result.minSizeFrom === "fallback" ? "" : undefined),
    ...[smallestSentence(result), sizesSentence(result)].filter((sentence) => sentence !== undefined),
    `${costOf(result)} after ${formatCount(iterations, "pass", "passes")} (${converged ? "converged" : "not converged"}).`,
    ...silhouetteSentence(result),
    ...(result.method === "in-memory" ? [] : [`People were ${methodWords(result)}.`]),
    ...gapSentence(result),
    ...(result.privacy ? privacySentences(result.privacy) : []),
    `${formatSeconds(total)} in all: ${formatSeconds(read)} reading, ${formatSeconds(seeding)} placing centres, ${formatSeconds(solve)} solving.`,
    ...(files.length > 0 ? [`Wrote ${formatList(files)}.`] : []),
  ].join("\n");
}

/** How much better an assignment to the same centres could be at most. */
function gapSentence({ gap, givenCosts }: ClusterResult): string[] {
  if (gap === null) return [];
  const where = givenCosts ? "with these costs" : "at these centres";
  return [`No assignment that keeps the promises ${where} costs less by more than ${formatShare(gap / (1 + gap))}.`];
}

/** "SSE 5,880.1 (+6.8% over the unconstrained 5,505)": what the clusters cost, and how much of it fairness did. */
function costOf(result: ClusterResult): string {
  const costs = costsOf(result);
  const free = costs.unconstrained;
  const name = costName(result);
  const cost = `${result.givenCosts ? "Cost" : capitalised(name)} ${formatNumber(costs.cost)}`;
  if (free === null) return cost;
  const price = priceOf(costs);
  if (price === null)
    return `${cost} (the unconstrained ${name} is 0: there are no more different people than clusters)`;
  const text = formatPrice(price);
  return `${cost} (${text}${text.endsWith("%") ? " over" : ""} the unconstrained ${formatNumber(free)})`;
}
