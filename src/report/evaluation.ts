import type { Evaluation } from "../metrics/index.js";
import type { Origin } from "../table/index.js";
import { columnLines } from "./columns.js";
import { formatBeyond, formatCount, formatNumber, formatPeople } from "./format.js";
import { clusterSharesTable } from "./shares.js";
import { textPairs } from "./table.js";
import { verdictSentences } from "./verdict.js";

/** Every metric of a labelling, for the terminal. */
export function evaluationReport(evaluation: Evaluation & Origin): string {
  const { n, d, k } = evaluation;
  const sections = [
    [
      `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")}, ${formatCount(d, "dimension", "dimensions")}`,
      ...columnLines(evaluation),
    ].join("\n"),
    clusterSharesTable(evaluation, "--json has all of them"),
    textPairs(metricPairs(evaluation)),
  ];
  const verdict = verdictSentences(evaluation, "moiety cluster --min-size meaningful asks for that");
  return [...sections, ...(verdict.length > 0 ? [verdict.join("\n")] : [])].join("\n\n");
}

function metricPairs(evaluation: Evaluation): (readonly [string, string])[] {
  const { sse, balance, maxViolation, worst, evenness, ari, ami, sampledSilhouette: sampled } = evaluation;
  const pairs: [string, string][] = [["SSE", formatNumber(sse)]];
  if (evaluation.fair !== null) {
    const place = worst === null ? "" : ` (${worst.attribute} ${worst.group} in cluster ${worst.cluster})`;
    pairs.push(["largest violation", `${formatBeyond(maxViolation)} people${place}`]);
  }
  if (balance.length > 0) pairs.push(["smallest balance", formatNumber(Math.min(...balance))]);
  pairs.push(["balance loss", formatNumber(evenness.balanceLoss)]);
  pairs.push(["variation of sizes", formatNumber(evenness.cv)]);
  pairs.push(["entropy of sizes", formatNumber(evenness.entropy)]);
  pairs.push(
    sampled === null
      ? ["silhouette", orNone(evaluation.silhouette)]
      : ["silhouette (of a sample)", orNone(sampled.value)],
  );
  pairs.push(["simplified silhouette", orNone(evaluation.simplifiedSilhouette)]);
  pairs.push(["Davies-Bouldin", orNone(evaluation.daviesBouldin)]);
  if (ari !== undefined) pairs.push(["ARI", formatNumber(ari)]);
  if (evaluation.partyAri !== undefined) pairs.push(["ARI, mean of parties", formatNumber(evaluation.partyAri)]);
  if (ami !== undefined) pairs.push(["AMI", formatNumber(ami)]);
  return pairs;
}

function orNone(value: number | null): string {
  return value === null ? "none (fewer than two clusters)" : formatNumber(value);
}
