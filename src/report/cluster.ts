import type { ClusterResult } from "../algorithms/types.js";
import { columnLines } from "./columns.js";
import { formatCount, formatList, formatNumber, formatPeople, formatPrice, formatSeconds } from "./format.js";
import { privacySentences } from "./privacy.js";
import { clusterSharesTable } from "./shares.js";
import { sizesSentence, smallestSentence } from "./sizes.js";
import { verdictSentences } from "./verdict.js";

/** With more people the unconstrained SSE is that of a sample, scaled up. */
const sampledBeyond = 131_072;

/** A clustering for the terminal: the clusters, and then in sentences what came of the request. */
export function clusterReport(result: ClusterResult, files: readonly string[]): string {
  const { algorithm, n, d, k, seed, iterations, converged, seconds } = result;
  const lines = [
    `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} by ${algorithm}, ${formatCount(d, "dimension", "dimensions")}, seed ${seed}`,
    ...columnLines(result),
    "",
    clusterSharesTable(result),
    "",
  ];
  // Where larger clusters were not to be had, a warning says so.
  lines.push(...verdictSentences(result, result.minSizeFrom === "fallback" ? "" : undefined));
  for (const sentence of [smallestSentence(result), sizesSentence(result)]) {
    if (sentence !== undefined) lines.push(sentence);
  }
  const ending = converged ? "converged" : "not converged";
  lines.push(`${costOf(result)} after ${formatCount(iterations, "pass", "passes")} (${ending}).`);
  if (result.privacy) lines.push(...privacySentences(result.privacy));
  const { read, seed: seeding, solve, total } = seconds;
  const parts = `${formatSeconds(read)} reading, ${formatSeconds(seeding)} placing centres, ${formatSeconds(solve)} solving`;
  lines.push(`${formatSeconds(total)} in all: ${parts}.`);
  if (files.length > 0) lines.push(`Wrote ${formatList(files)}.`);
  return lines.join("\n");
}

/** "SSE 5,880.1 (+6.8% over the unconstrained 5,505)": what the clusters cost, and how much of it fairness did. */
function costOf({ sse, unconstrainedSse: free, n }: ClusterResult): string {
  const cost = `SSE ${formatNumber(sse)}`;
  if (free === null || !(free > 0)) return cost;
  const price = sse / free - 1;
  const over = price < 0 ? `${formatPrice(-price).slice(1)} below` : `${formatPrice(price)} over`;
  const sampled = n > sampledBeyond ? ", as a sample has it" : "";
  return `${cost} (${over} the unconstrained ${formatNumber(free)}${sampled})`;
}
