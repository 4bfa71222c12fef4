import type { ClusterResult } from "../algorithms/types.js";
import { formatCount, formatNumber, formatPeople, formatSeconds } from "./format.js";
import { clusterSharesTable, fairnessSentence } from "./shares.js";

/** A clustering for the terminal: the clusters, and then in sentences what came of the request. */
export function clusterReport(result: ClusterResult, files: readonly string[]): string {
  const { algorithm, n, d, k, seed, sse, iterations, converged, seconds } = result;
  const lines = [
    `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")} by ${algorithm}, ${formatCount(d, "dimension", "dimensions")}, seed ${seed}`,
    "",
    clusterSharesTable(result),
    "",
  ];
  const fairness = fairnessSentence(result);
  if (fairness !== undefined) lines.push(fairness);
  const ending = converged ? "converged" : "not converged";
  lines.push(`SSE ${formatNumber(sse)} after ${formatCount(iterations, "pass", "passes")} (${ending}).`);
  lines.push(`${formatSeconds(seconds.total)} in all, of which ${formatSeconds(seconds.read)} reading.`);
  if (files.length > 0) lines.push(`Wrote ${files.join(" and ")}.`);
  return lines.join("\n");
}
