import type { Evaluation } from "../metrics/index.js";
import type { Origin } from "../table/index.js";
import { columnLines } from "./columns.js";
import { formatBeyond, formatCount, formatNumber, formatPeople } from "./format.js";
import { type LinkedResult, linkSentences } from "./links.js";
import { notionTable } from "./notion.js";
import { clusterSharesTable } from "./shares.js";
import { textPairs } from "./table.js";
import { verdictSentences } from "./verdict.js";

/** Every metric of a labelling, for the terminal. */
export function evaluationReport(evaluation: Evaluation & Origin & LinkedResult): string {
  const { n, d, k } = evaluation;
  const sections = [
    [
      `${formatPeople(n)} in ${formatCount(k, "cluster", "clusters")}, ${formatCount(d, "dimension", "dimensions")}`,
      ...columnLines(evaluation),
      ...linkSentences(evaluation),
    ].join("\n"),
    clusterSharesTable(evaluation, "--json has all of them"),
    ...(evaluation.notion ? notionTable(evaluation.notion).slice(0, 1) : []),
    textPairs(metricPairs(evaluation)),
  ];
  const verdict = verdictSentences(evaluation, "moiety cluster --min-size meaningful asks for that");
  return [...sections, ...(verdict.length > 0 ? [verdict.join("\n")] : [])].join("\n\n");
}

function metricPairs(evaluation: Evaluation): (readonly [string, string])[] {
  const { sse, balance, maxViolation, worst, evenness, ari, ami, partyAri, sampledSilhouette: sampled } = evaluation;
  const place = worst === null ? "" : ` (${worst.attribute} ${worst.group} in cluster ${worst.cluster})`;
  const pairs: (readonly [string, string | undefined])[] = [
    ["SSE", formatNumber(sse)],
    [
      "largest violation",
      evaluation.fair === null || evaluation.notion ? undefined : `${formatBeyond(maxViolation)} people${place}`,
    ],
    ["smallest balance", balance.length === 0 ? undefined : formatNumber(Math.min(...balance))],
    ["balance loss", formatNumber(evenness.balanceLoss)],
    ["variation of sizes", formatNumber(evenness.cv)],
    ["entropy of sizes", formatNumber(evenness.entropy)],
    sampled === null
      ? ["silhouette", orNone(evaluation.silhouette)]
      : ["silhouette (of a sample)", orNone(sampled.value)],
    ["simplified silhouette", orNone(evaluation.simplifiedSilhouette)],
    ["Davies-Bouldin", orNone(evaluation.daviesBouldin)],
    ["ARI", ari === undefined ? undefined : formatNumber(ari)],
    ["ARI, mean of parties", partyAri === undefined ? undefined : formatNumber(partyAri)],
    ["AMI", ami === undefined ? undefined : formatNumber(ami)],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function orNone(value: number | null): string {
  return value === null ? "none (fewer than two clusters)" : formatNumber(value);
}
