import type { ClusterResult } from "../algorithms/types.js";
import { formatNumber, formatPeople, formatPrice } from "./format.js";

/** What the sentence needs of a result. */
export type WishedSizes = Pick<
  ClusterResult,
  "sizes" | "sizesKept" | "minSize" | "maxSize" | "n" | "eta" | "objective" | "evenness"
> &
  Partial<Pick<ClusterResult, "minSizeFrom" | "capacity">>;

/** What it cost that clusters are large enough for their bounds, where nobody asked for it; else undefined. */
export function smallestSentence({ minSize, sseAtMinSize2, sse }: ClusterResult): string | undefined {
  if (sseAtMinSize2 === null) return undefined;
  const what = `Every cluster has at least ${formatPeople(minSize)}, so that the bounds mean something`;
  if (sse === sseAtMinSize2) return `${what}; that cost nothing.`;
  const price = sseAtMinSize2 > 0 ? `: ${formatPrice(sse / sseAtMinSize2 - 1)} SSE` : "";
  return `${what}${price} (--min-size 2 allows smaller ones).`;
}

/** What came of a wish for even sizes or for limits, in a sentence; undefined when there was none. */
export function sizesSentence(result: WishedSizes): string | undefined {
  const { sizes, sizesKept, eta, objective, evenness } = result;
  if (sizesKept === null && eta === null) return undefined;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const range =
    least === most ? `of ${formatPeople(least)} each` : `of ${formatNumber(least)} to ${formatPeople(most)}`;
  const limits = limitsOf(result);
  const word = sizesKept ? "Sizes kept" : "Sizes not kept";
  const kept = sizesKept === null ? "" : `${word}: clusters ${range}, where ${limits} were asked for.`;
  if (eta === null || objective === null) return kept;
  const weighed = `${formatNumber(eta)} SSE + ${formatNumber(Number((1 - eta).toPrecision(6)))} balance loss`;
  const before = sizesKept === null ? `Clusters ${range}: ` : `${kept} `;
  return `${before}${weighed} is ${formatNumber(objective)}, with a balance loss of ${formatNumber(evenness.balanceLoss)}.`;
}

function limitsOf({ minSize, minSizeFrom, maxSize, n, capacity }: WishedSizes): string {
  if (capacity) return "sizes of their own";
  const meaningful = minSizeFrom === "meaningful" ? ` (from which on the bounds mean something)` : "";
  if (maxSize === n) return `at least ${formatPeople(minSize)}${meaningful}`;
  return minSize === maxSize ? formatPeople(minSize) : `${formatNumber(minSize)} to ${formatPeople(maxSize)}`;
}
