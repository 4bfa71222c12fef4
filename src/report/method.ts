import type { ClusterResult } from "../algorithms/types.js";
import { formatCount, formatPeople } from "./format.js";
import { say, told } from "./language.js";

const ways = { "in-memory": "held in memory", streamed: "streamed", "in-engine": "scanned in their engine" } as const;

/** "streamed in 9 scans, after a sample of 65,536 people was clustered": where everybody was in a run. */
export function methodWords({ method, scanned }: Pick<ClusterResult, "method" | "scanned">): string {
  if (scanned === undefined) return told(ways[method]);
  const scans = formatCount(scanned.scans, "scan", "scans");
  return say`${told(ways[method])} in ${scans}, after a sample of ${formatPeople(scanned.sample)} was clustered`;
}
