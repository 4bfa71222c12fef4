import type { ClusterResult } from "../algorithms/types.js";
import { formatNumber } from "./format.js";

/** Where rows were split: how much nearer people are to their own centre than to the next one, from -1 to 1. */
export function silhouetteSentence({ simplifiedSilhouette }: Pick<ClusterResult, "simplifiedSilhouette">): string[] {
  if (typeof simplifiedSilhouette !== "number") return [];
  return [`Simplified silhouette ${formatNumber(simplifiedSilhouette)}.`];
}

/** The same for a table of facts. */
export function silhouetteFact({ simplifiedSilhouette }: Pick<ClusterResult, "simplifiedSilhouette">) {
  const value = typeof simplifiedSilhouette === "number" ? formatNumber(simplifiedSilhouette) : undefined;
  return ["Simplified silhouette", value] as const;
}
